package import JobKit

/// The approvals of a transaction.
package protocol ApprovalRows {
    associatedtype Failure: Error

    /// Stores a new one of a job.
    func open(_ approval: ApprovalRecord, of job: StoredJob) throws(Failure)

    /// Writes one back that is decided.
    func answer(_ approval: ApprovalRecord) throws(Failure)

    /// Closes one that is open, without a decision.
    func close(_ id: ApprovalID, as state: ApprovalState, at time: Timestamp) throws(Failure)

    /// Withdraws the open ones of a job.
    /// - Parameter path: the operation that asks; nil is any.
    func withdraw(of job: StoredJob, at path: [String]?, _ time: Timestamp) throws(Failure)
}

/// Stores a person's decision and posts it to the job. The first decision counts.
///
/// Refused with `.noApproval`; `.approvalClosed(state)` when it was decided, has expired or was withdrawn;
/// `.digestMismatch`; `.mailboxFull`.
extension ApprovalDecision: RequestWrite {
    /// The approval after the decision, and the post to its job.
    package typealias Reply = ApprovalReceipt

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let (known, job) = try transaction.approval(id) else { return .failure(.noApproval(id)) }
        var approval = known
        do throws(JobStoreError) { try approval.decide(self) } catch { return .failure(error) }
        switch try post(to: approval.job).deliver(to: job, in: transaction) {
        case .failure(let error): return .failure(error)
        case .success(let receipt):
            try transaction.approvals.answer(approval)
            return .success(ApprovalReceipt(approval: approval, post: receipt))
        }
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> ApprovalDecision
    {
        guard let approval = try reader.approval(id), try tenant.owns(approval.job, reader) else {
            throw .noApproval(id)
        }
        return self
    }

    package func shown(_ reply: ApprovalReceipt, to tenant: Tenant) -> ApprovalReceipt {
        var reply = reply
        reply.post = tenant.shown(reply.post)
        return reply
    }
}
