/// The effect of a decision about a grant.
package struct GrantReceipt: Sendable {
    /// The grant after the decision.
    package var grant: GrantRecord
    /// Whether it is the first decision.
    package var isNew: Bool
    /// Whether the last decision said the same.
    package var changedNothing = false
    /// The jobs that it woke.
    package var wake: WakeReceipt

    package init(grant: GrantRecord, isNew: Bool, wake: WakeReceipt) {
        self.grant = grant
        self.isNew = isNew
        self.wake = wake
    }
}
