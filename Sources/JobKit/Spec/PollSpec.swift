/// Calls again and again until the other side is done.
public struct PollSpec: Sendable, Hashable {
    /// Polls unless the spec says otherwise.
    public static let pollsDefault = 1_000

    /// What is called.
    public var call: NetworkSpec
    /// It is done when this holds of an answer.
    public var until: Predicate?
    /// It has failed when this holds of an answer.
    public var failIf: Predicate?
    /// How long to wait between two polls; the first value is the wait before poll 2.
    public var wait: RetrySpec.Backoff = .fixed(.seconds(10))
    /// The most polls, 1…10,000.
    public var pollsMax = PollSpec.pollsDefault
    /// Whether `Operation-Location`, or `Location` of a 202, says what is polled from then on.
    public var follows = false

    /// Polls `call`.
    public init(call: NetworkSpec) { self.call = call }
}
