/// Runs an operation again and again, one run after the other. The runs are its children `1`, `2`, ….
public struct RepeatSpec: Sendable, Hashable {
    /// The most runs that there can be: 10,000.
    public static let timesMax = 10_000

    /// What is run.
    public var operation: OperationSpec
    /// How many runs there are, or at most when there is `until`: 1…10,000.
    public var times: Int
    /// Ends it when it holds of the document of the last run.
    public var until: Predicate?
    /// How long to wait between two runs; the first value is the wait before run 2. Nil does not wait.
    public var wait: RetrySpec.Backoff?
    /// Whether a failed run ends it.
    public var stopsOnFailure = false

    /// Runs of `operation`.
    public init(operation: OperationSpec, times: Int) {
        self.operation = operation
        self.times = times
    }
}
