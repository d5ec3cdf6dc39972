/// The effect of a decision about a grant.
package struct GrantReceipt: Sendable {
    /// The grant after it.
    package var grant: GrantRecord
    /// Whether there was none of this name.
    package var isNew: Bool
    /// The number of jobs woken by it.
    package var woken: Int

    /// A receipt.
    package init(grant: GrantRecord, isNew: Bool, woken: Int) {
        self.grant = grant
        self.isNew = isNew
        self.woken = woken
    }
}
