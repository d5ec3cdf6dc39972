/// The effect of a decision about a grant.
package struct GrantReceipt: Sendable {
    /// The grant after the decision.
    package var grant: GrantRecord
    /// Whether it is the first decision.
    package var isNew: Bool
    /// The jobs that it woke.
    package var wake: WakeReceipt

    package init(grant: GrantRecord, isNew: Bool, wake: WakeReceipt) {
        self.grant = grant
        self.isNew = isNew
        self.wake = wake
    }
}
