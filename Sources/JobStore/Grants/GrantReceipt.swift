/// The effect of a decision about a grant.
package struct GrantReceipt: Sendable {
    /// The grant after the decision.
    package var grant: GrantRecord
    /// Whether the grant did not exist before.
    package var isNew: Bool
    /// The number of jobs that were woken.
    package var woken: Int

    package init(grant: GrantRecord, isNew: Bool, woken: Int) {
        self.grant = grant
        self.isNew = isNew
        self.woken = woken
    }
}
