package import JobKit
package import JobStore

/// Decides for bulk actions.
package struct BulkRules: Sendable {
    /// The decision about each job of a bulk action.
    package typealias Decision = @Sendable (JobRecord, _ now: Timestamp) -> BulkStep.Verdict

    /// Makes the decision of a stored bulk action; nil when its request cannot be read here.
    package var decision: @Sendable (BulkRecord) -> Decision?
    /// Called when a bulk action begins or goes on, with the results of each step, and when it is over. On any thread.
    package var progressed: @Sendable (BulkRecord, [BulkResult]) -> Void

    /// The code in the result of a job for which the store refused the change.
    package var code: @Sendable (JobStoreError) -> String

    package init(
        code: @escaping @Sendable (JobStoreError) -> String,
        decision: @escaping @Sendable (BulkRecord) -> Decision?,
        progressed: @escaping @Sendable (BulkRecord, [BulkResult]) -> Void = { _, _ in }
    ) {
        self.code = code
        self.decision = decision
        self.progressed = progressed
    }
}
