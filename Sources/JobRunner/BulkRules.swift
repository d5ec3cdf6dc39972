package import JobKit
package import JobStore

/// Decides for bulk actions.
package struct BulkRules: Sendable {
    /// The decision about each job of a bulk action.
    package typealias Decision = @Sendable (JobRecord, _ now: Timestamp) -> BulkStep.Verdict

    /// Makes the decision of a stored bulk action; nil when its request cannot be read here.
    package var decision: @Sendable (BulkRecord) -> Decision?
    /// Called when a bulk action is over. On any thread.
    package var over: @Sendable (BulkRecord) -> Void

    package init(
        decision: @escaping @Sendable (BulkRecord) -> Decision?,
        over: @escaping @Sendable (BulkRecord) -> Void = { _ in }
    ) {
        self.decision = decision
        self.over = over
    }
}
