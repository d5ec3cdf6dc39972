package import JobKit

/// The words for a wait, from the kind whose operations or conditions wait so.
package struct WaitWords: Sendable {
    /// The waits that the words are for.
    package let reason: OperationWait.Reason
    /// The category: `time`, `signal`, `callback`, `approval`, `condition`, `lock`, `hold` or `origin`.
    package let category: String
    /// Whether an attempt or a run begins after the wait, which a hold of the job keeps back.
    package let isBeforeMore: Bool
    /// The object of "waits for".
    package let object: @Sendable (OperationWait) -> String
    /// The event that ends the wait, as a sentence. It may name the id of the job.
    package let end: @Sendable (_ wait: OperationWait, _ job: String) -> String

    /// Words for waits for this reason. Without `end` the date ends the wait.
    init(
        _ reason: OperationWait.Reason, _ category: String, isBeforeMore: Bool = false,
        object: @escaping @Sendable (OperationWait) -> String,
        end: (@Sendable (_ wait: OperationWait, _ job: String) -> String)? = nil
    ) {
        self.reason = reason
        self.category = category
        self.isBeforeMore = isBeforeMore
        self.object = object
        self.end = end ?? { wait, _ in wait.until.map { "It goes on at \($0)." } ?? "It goes on after that." }
    }
}
