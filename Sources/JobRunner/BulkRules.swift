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

    package init(
        decision: @escaping @Sendable (BulkRecord) -> Decision?,
        progressed: @escaping @Sendable (BulkRecord, [BulkResult]) -> Void = { _, _ in }
    ) {
        self.decision = decision
        self.progressed = progressed
    }
}
