package import JobKit

/// A write about one job that exists.
package protocol JobWrite: RequestWrite {
    var id: JobID { get }
}

extension JobWrite {
    package var needs: WriteNeeds { WriteNeeds(ids: [id]) }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> Self {
        guard try tenant.owns(id, reader) else { throw .notFound(id) }
        return self
    }
}

/// A job that is not in flight becomes `cancelled` at once with the request's `detail` and `journal`; a `running` one
/// becomes `cancelling`; `cancelling` and final jobs stay unchanged.
///
/// Refused with `.notFound`.
extension CancelRequest: JobWrite {
    /// The job after the request, and whether a run must end first.
    package typealias Reply = CancelOutcome

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
            try transaction.approvals.withdraw(of: job, at: nil, at)
        }
        if stop != .alreadyCancelling { try transaction.save(job, from: stored.record) }
        try transaction.append(entries(for: stop), to: job)
        guard case .cancelled = stop else { return .success(.cancelling(job.record)) }
        return .success(.cancelled(job.record))
    }

    package func shown(_ reply: CancelOutcome, to tenant: Tenant) -> CancelOutcome { tenant.shown(reply) }
}

/// Returns a `failed`, `cancelled` or `expired` job to `queued` with the given journal entry, and removes its result,
/// `detail`, `finishedAt`, `purgeAt` and `expiresAt`.
///
/// Refused with `.notFound`; `.wrongState(current)` for any other state.
package struct JobRetry: JobWrite {
    /// The job as it is queued again.
    package typealias Reply = JobRecord

    package var id: JobID
    package var journal: JournalEntry

    package init(_ id: JobID, journal: JournalEntry) {
        self.id = id
        self.journal = journal
    }

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

    package func shown(_ reply: JobRecord, to tenant: Tenant) -> JobRecord { tenant.shown(reply) }
}

/// Adds a post to the journal of a job that is not final, and applies its effect.
///
/// Refused with `.notFound`; `.wrongState(current)` when the job is final, and for a hold or release of a `cancelling`
/// one; `.revisionConflict(current)`; `.mailboxFull` beyond `StoreLimits.postsMax`.
extension JobPost: JobWrite {
    /// The number of the post and whether a run must be notified; otherwise the next run finds it in the journal.
    package typealias Reply = PostReceipt

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let job = try transaction.job(id) else { return .failure(.notFound(id)) }
        return try deliver(to: job, in: transaction)
    }

    /// Posts to a job that was looked up.
    func deliver<Transaction: StoreTransaction>(
        to job: StoredJob, in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<PostReceipt, JobStoreError> {
        var job = job
        let before = job.record
        let isRunning: Bool
        do throws(JobStoreError) {
            isRunning = try job.take(self, limits: transaction.limits)
        } catch {
            return .failure(error)
        }
        try transaction.save(job, from: before)
        try transaction.append([journal], to: job)
        if isRunning { transaction.note(RunRequest(id: id, journal: journal, number: job.lastPost)) }
        return .success(PostReceipt(job: job.record, number: job.lastPost, isRunning: isRunning))
    }

    package func shown(_ reply: PostReceipt, to tenant: Tenant) -> PostReceipt { tenant.shown(reply) }
}

/// Erases a final job with all its data except its idempotency key, which lasts until its own expiry.
///
/// Refused with `.notFound`; `.wrongState(current)` when it is not final.
package struct JobErasure: JobWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var id: JobID

    package init(_ id: JobID) { self.id = id }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let job = try transaction.job(id) else { return .failure(.notFound(id)) }
        do throws(JobStoreError) { try job.checkErasable() } catch { return .failure(error) }
        try transaction.remove(job)
        return .success(())
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}
