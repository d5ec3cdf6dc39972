package import JobKit

/// The rows of what came to callback URLs. The job is loaded before, so that no other server changes them.
package protocol StandingRows {
    associatedtype Failure: Error

    func standing(_ name: String, of job: StoredJob) throws(Failure) -> [UInt8]?

    func put(_ bytes: [UInt8], as name: String, of job: StoredJob) throws(Failure)
}

/// Stores a request to a callback URL: the first that ends the wait, as a post to its job; others are noted.
///
/// Refused with `.notFound`; with the errors of a post.
extension CallbackCall: JobWrite {
    package typealias Reply = CallbackOutcome

    package var bytes: Int {
        if case .report(let report, _, _, _) = content { return report.content.storedCount }
        return 0
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let job = try transaction.job(id) else { return .failure(.notFound(id)) }
        guard job.record.detail.retries == retries else { return .success(.moved) }
        var standing: CallbackStanding
        switch try transaction.standing(place, of: job) {
        case .success(let known): standing = known
        case .failure(let error): return .failure(error)
        }
        standing.enter(try: retries)
        switch content {
        case .report(let report, let by, let digest, let upload):
            if let end = standing.end(for: digest, isOver: isOver || job.record.state.isFinal) {
                return try refuse(end, standing, job, transaction)
            }
            standing.taken = digest
            standing.takenAt = at
            standing.isCompleted = report.failure == nil
            return try take(report, by, upload, standing, job, transaction)
        case .heartbeat(let progress):
            if let end = standing.end(for: nil, isOver: isOver || job.record.state.isFinal) {
                return try refuse(end, standing, job, transaction)
            }
            standing.heardAt = at
            standing.progress = progress ?? standing.progress
            try transaction.keep(standing, of: job)
            return .success(.noted)
        case .noted(let status, let reason):
            if status == 202 {
                if let end = standing.end(for: nil, isOver: isOver || job.record.state.isFinal) {
                    return try refuse(end, standing, job, transaction)
                }
                standing.heardAt = at
            } else if !standing.keepsRefused(at: at) {
                return .success(.noted)
            }
            standing.keep(.init(at: at, status: status, reason: reason, address: address))
            try transaction.keep(standing, of: job)
            return .success(.noted)
        }
    }

    private func take<Transaction: StoreTransaction>(
        _ report: JobReport, _ by: String, _ upload: UploadRecord?, _ standing: CallbackStanding,
        _ job: StoredJob, _ transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        if upload != nil {
            let most = transaction.limits.uploadsMax
            guard try transaction.uploads.count() < most else { return .failure(.uploadsFull(most)) }
        }
        let message = JobMessage(by: by, content: .report(report))
        let post = JobPost(id: id, journal: JournalEntry(at: at, path: [], event: .message(message)))
        var job = job
        job.flags.insert(.callbacks)
        if upload != nil { job.flags.insert(.upload) }
        switch try post.deliver(to: job, in: transaction) {
        case .failure(let error): return .failure(error)
        case .success(let receipt):
            if let upload {
                try transaction.uploads.insert(upload)
                try transaction.uploads.keep([upload.id], for: job)
            }
            try transaction.standings.put(
                standing.bytes, as: CallbackStanding.name(of: place), of: job)
            return .success(.taken(receipt))
        }
    }

    /// Keeps that a request came too late, unless it repeats what ended the wait.
    private func refuse<Transaction: StoreTransaction>(
        _ outcome: CallbackOutcome, _ standing: CallbackStanding, _ job: StoredJob,
        _ transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        var standing = standing
        let (status, reason): (Int, String)
        switch outcome {
        case .conflict: (status, reason) = (409, "Another body ended the wait before.")
        case .over: (status, reason) = (410, "The wait had ended without a report.")
        case .taken, .repeated, .noted, .moved: return .success(outcome)
        }
        guard standing.keepsRefused(at: at) else { return .success(outcome) }
        standing.keep(.init(at: at, status: status, reason: reason, address: address))
        try transaction.keep(standing, of: job)
        return .success(outcome)
    }

    package func shown(_ reply: CallbackOutcome, to tenant: Tenant) -> CallbackOutcome {
        if case .taken(let receipt) = reply { return .taken(tenant.shown(receipt)) }
        return reply
    }
}

/// Ends a wait for a callback, unless something came that it must hear of first; see `CallbackDesk.close`.
///
/// Refused with `.staleClaim`: another run may wait by now.
package struct CallbackEnd: StoreWrite {
    package typealias Reply = CallbackClosing

    package var claim: ClaimKey
    package var place: CallbackPlace
    package var at: Timestamp
    package var heard: Timestamp?

    package init(_ claim: ClaimKey, _ place: CallbackPlace, at: Timestamp, heard: Timestamp?) {
        self.claim = claim
        self.place = place
        self.at = at
        self.heard = heard
    }

    package var needs: WriteNeeds { WriteNeeds(ids: [claim.id]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let job = try transaction.job(claim.id), job.isHeld(fence: claim.fence) else {
            return .failure(.staleClaim(claim))
        }
        var standing: CallbackStanding
        switch try transaction.standing(place, of: job) {
        case .success(let known): standing = known
        case .failure(let error): return .failure(error)
        }
        standing.enter(try: job.record.detail.retries)
        if standing.taken != nil { return .success(.reported) }
        if let heard, let last = standing.heardAt, last > heard { return .success(.heard(last)) }
        standing.closedAt = standing.closedAt ?? at
        try transaction.keep(standing, of: job)
        return .success(.closed)
    }
}

extension StoreTransaction {
    /// The requests to a callback URL so far.
    fileprivate func standing(
        _ place: CallbackPlace, of job: StoredJob
    ) throws(Failure) -> Result<CallbackStanding, JobStoreError> {
        guard job.flags.contains(.callbacks),
            let bytes = try standings.standing(CallbackStanding.name(of: place), of: job)
        else { return .success(CallbackStanding(place)) }
        return Result { () throws(JobStoreError) in try CallbackStanding.read(bytes) }
    }

    /// Writes the row of a wait, and notes on the job that it has such rows.
    fileprivate func keep(_ standing: CallbackStanding, of job: StoredJob) throws(Failure) {
        var job = job
        if job.flags.insert(.callbacks).inserted { try save(job, from: job.record) }
        try standings.put(standing.bytes, as: CallbackStanding.name(of: standing.place), of: job)
    }
}
