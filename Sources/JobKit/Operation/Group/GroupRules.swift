/// Concurrency, order, completion and error mapping of a group.
public struct GroupRules: Sendable {
    /// Whether members run one after the other.
    public enum Order: Sendable, Hashable {
        /// Members run as soon as they can.
        case none
        /// One after the other; the members behind a failure are skipped.
        case stopsAtFailure
        /// One after the other, whatever their outcomes.
        case carriesOn
    }

    /// The number of members executed at once; nil is no limit.
    public var concurrency: Int?
    /// Whether members run in the order in which they were added, late ones last.
    public var order: Order
    /// Whether the other members are stopped as soon as the group cannot succeed any more.
    public var failsFast: Bool
    /// When the group succeeds.
    public var completion: GroupCompletion
    /// Maps the errors of members.
    public var childErrors: GroupErrorPolicy

    /// Rules.
    public init(
        concurrency: Int? = nil, order: Order = .none, failsFast: Bool = false,
        completion: GroupCompletion = .all, childErrors: GroupErrorPolicy = []
    ) {
        self.concurrency = concurrency
        self.order = order
        self.failsFast = failsFast
        self.completion = completion
        self.childErrors = childErrors
    }

    /// The limit of errors kept; further ones are only counted.
    static let errorsMax = 100
}
