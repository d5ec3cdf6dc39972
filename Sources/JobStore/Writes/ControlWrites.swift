package import JobKit

/// A job that is not in flight becomes `cancelled` at once with the request's `detail` and `journal`; a `running` one
/// becomes `cancelling`; `cancelling` and final jobs stay unchanged.
///
/// Refused with `.notFound`.
extension CancelRequest: RequestWrite {
    package typealias Reply = CancelOutcome

    package var needs: WriteNeeds { WriteNeeds(ids: [id]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard var job = try transaction.job(id) else { return .failure(.notFound(id)) }
        let stored = job
        let stop = try job.stop(self) { () throws(Transaction.Failure) in
            try LastWork(
                of: try transaction.spec(of: stored), acceptedAt: stored.record.createdAt, stoppedAt: at
            ) { () throws(Transaction.Failure) in try transaction.journal(of: stored) }
        }
        if stop == .alreadyFinal { return .success(.alreadyFinal(job.record)) }
        if stop == .cancelling && job.owner != nil {
            transaction.note(RunRequest(id: id, journal: journal, number: job.record.fence))
        }
        if stop == .cancelling && job.flags.contains(.approval) {
            try transaction.withdrawApprovals(of: job, at: at)
        }
        if stop != .alreadyCancelling { try transaction.save(job, from: stored.record) }
        try transaction.append(entries(for: stop), to: job)
        guard case .cancelled = stop else { return .success(.cancelling(job.record)) }
        return .success(.cancelled(job.record))
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> CancelRequest {
        guard try tenant.owns(id, reader) else { throw .notFound(id) }
        return self
    }

    package func shown(_ reply: CancelOutcome, to tenant: Tenant) -> CancelOutcome { tenant.shown(reply) }
}

/// Returns a `failed`, `cancelled` or `expired` job to `queued` with the given journal entry, and removes its result,
/// `detail`, `finishedAt`, `purgeAt` and `expiresAt`. The reply is the updated record.
///
/// Refused with `.notFound`; `.wrongState(current)` for any other state.
package struct JobRetry: RequestWrite {
    package typealias Reply = JobRecord

    package var id: JobID
    package var journal: JournalEntry

    package init(_ id: JobID, journal: JournalEntry) {
        self.id = id
        self.journal = journal
    }

    package var needs: WriteNeeds { WriteNeeds(ids: [id]) }

    package var admission: (ids: [JobID], at: Timestamp)? { ([id], journal.at) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard var job = try transaction.job(id) else { return .failure(.notFound(id)) }
        let before = job.record
        do throws(JobStoreError) { try job.retry(at: journal.at) } catch { return .failure(error) }
        if let holder = try transaction.enterAgain(job) { return .failure(.uniqueTaken(by: holder)) }
        if !job.flags.isDisjoint(with: .anyCallback) { try transaction.removeCallbacks(of: job) }
        try transaction.save(job, from: before)
        try transaction.removeResult(of: job)
        try transaction.append([journal], to: job)
        return .success(job.record)
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> JobRetry {
        guard try tenant.owns(id, reader) else { throw .notFound(id) }
        return self
    }

    package func shown(_ reply: JobRecord, to tenant: Tenant) -> JobRecord { tenant.shown(reply) }
}
