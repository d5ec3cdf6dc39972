/// Takes people's answers to approvals. Runs open and close approvals with `RunStore.update`.
package protocol ApprovalStore: Sendable {
    /// Stores a person's answer to an approval and posts it to the job, in one step. The first answer counts.
    /// - Throws (in the reply): `.notFound`; `.approvalClosed(state)` when it was answered, has expired or was
    ///   withdrawn; `.digestMismatch`; `.mailboxFull`.
    func decide(
        _ decision: ApprovalDecision,
        reply: @escaping @Sendable (Result<ApprovalReceipt, JobStoreError>) -> Void)
}
