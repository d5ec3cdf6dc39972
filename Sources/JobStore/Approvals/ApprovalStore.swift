/// Takes decisions about approvals. Runs open and close approvals with `RunStore.update`.
package protocol ApprovalStore: Sendable {
    /// Stores a person's decision and posts it to the job, in one transaction. The first decision counts.
    /// - Throws (in the reply): `.noApproval`; `.approvalClosed(state)` when it was decided, has expired or was
    ///   withdrawn; `.digestMismatch`; `.mailboxFull`.
    func decide(
        _ decision: ApprovalDecision,
        reply: @escaping @Sendable (Result<ApprovalReceipt, JobStoreError>) -> Void)
}
