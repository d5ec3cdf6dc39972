package import JobKit
internal import StrictJSON

/// The rows of deliveries to hooks.
package protocol DeliveryRows: SweptRows {
    /// The delivery that has one of these keys. No other server stores one with a key that the write needs.
    func first(of keys: [[UInt8]]) throws(Failure) -> DeliveryRecord?

    /// Stores a delivery, which is found by its keys from then on.
    func insert(_ delivery: DeliveryRecord) throws(Failure)
}

/// Stores a delivery with its effect: a job, or a signal to one. One whose key is known is stored as a duplicate, and
/// has no effect.
///
/// Refused as a submission, or as a post.
package struct DeliveryWrite: RequestWrite {
    /// The effect of a delivery.
    package struct Reply: Sendable {
        /// The delivery as it is stored.
        package var delivery: DeliveryRecord
        /// Whether it is stored: not when it is a replay that an earlier one made needless.
        package var isStored = true
        /// The first delivery with its key, when it is a duplicate.
        package var first: DeliveryRecord?
        /// The job that was made or found.
        package var submitted: SubmitOutcome?
        package var posted: PostReceipt?
    }

    /// A message to a job.
    package struct Signal: Sendable {
        package enum Target: Sendable, Hashable {
            case job(JobID)
            /// The unfinished job that holds a unique key.
            case holder(of: String)
            /// No job, with the reason: only a delivery that came before is answered.
            case missing(String)
        }

        package var target: Target
        package var journal: JournalEntry

        package init(to target: Target, _ journal: JournalEntry) {
            self.target = target
            self.journal = journal
        }
    }

    /// A replay of a delivery, of which the store remembers that it acted.
    package struct Replay: Sendable {
        /// The digest by which the replays of one delivery are known.
        package var key: [UInt8]
        /// Whether it does nothing when an earlier one acted.
        package var isOnce: Bool

        package init(key: [UInt8], isOnce: Bool) {
            self.key = key
            self.isOnce = isOnce
        }
    }

    package var delivery: DeliveryRecord
    /// Nil for a delivery from outside.
    package var replay: Replay?
    package var job: NewJob?
    package var signal: Signal?

    package init(_ delivery: DeliveryRecord) { self.delivery = delivery }

    package var needs: WriteNeeds {
        var needs = WriteNeeds(submissions: job.map { [$0] } ?? [])
        needs.deliveries = (delivery.keys + [replay?.key].compactMap(\.self)).map(Self.lockName)
        switch signal?.target {
        case .job(let id): needs.ids = [id]
        case .holder(let key): needs.deliveries.append(key)
        case .missing, nil: break
        }
        return needs
    }

    package var rows: Int { 1 }

    package var bytes: Int { delivery.bytes + (job?.bytes ?? 0) + (signal?.journal.bytes ?? 0) }

    package var admission: (ids: [JobID], at: Timestamp)? {
        job.map { ([$0.record.id], $0.record.createdAt) }
    }

    package func unmade(by result: Result<Reply, JobStoreError>) -> [JobID] {
        guard let job else { return [] }
        if case .success(let reply) = result {
            switch reply.submitted {
            case .created, .replacing: return []
            default: break
            }
        }
        return [job.record.id]
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let rows = transaction.deliveries
        if let first = try rows.first(of: delivery.keys) {
            var again = delivery
            again.outcome = .duplicate
            (again.first, again.job) = (first.id, first.job)
            (again.keys, again.head, again.body) = ([], [], [])
            try rows.insert(again)
            return .success(Reply(delivery: again, first: first))
        }
        if let replay, replay.isOnce, let acted = try rows.first(of: [replay.key]) {
            var again = delivery
            again.outcome = .duplicate
            again.job = acted.job
            return .success(Reply(delivery: again, isStored: false, first: acted))
        }
        var reply = Reply(delivery: delivery)
        if let job {
            switch try transaction.submit(job) {
            case .failure(let error): return .failure(error)
            case .success(let outcome):
                reply.submitted = outcome
                reply.delivery.job = outcome.jobID
            }
        }
        if let signal {
            let id: JobID
            switch try receiver(of: signal, in: transaction) {
            case .failure(let error): return .failure(error)
            case .success(let found): id = found
            }
            switch try JobPost(id: id, journal: signal.journal).apply(in: transaction) {
            case .failure(let error): return .failure(error)
            case .success(let receipt):
                reply.posted = receipt
                reply.delivery.job = receipt.job.id
            }
        }
        if let replay, job != nil || signal != nil { reply.delivery.keys.append(replay.key) }
        try rows.insert(reply.delivery)
        return .success(reply)
    }

    private func receiver<Transaction: StoreTransaction>(
        of signal: Signal, in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<JobID, JobStoreError> {
        switch signal.target {
        case .job(let id): return .success(id)
        case .missing(let reason): return .failure(JobStoreError(.missing(.job), reason))
        case .holder(let key):
            // Nothing is replaced: only who holds the key is asked.
            let claim = UniqueClaim(key: key, onConflict: .reject) { holder in
                CancelRequest(id: holder.id, at: holder.createdAt, journal: signal.journal)
            }
            guard case .failure(let error) = try transaction.refusal(of: claim),
                case .uniqueTaken(let holder) = error.code
            else {
                return .failure(JobStoreError(.missing(.job), "No unfinished job holds the unique key."))
            }
            return .success(holder)
        }
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> DeliveryWrite {
        var own = self
        switch signal?.target {
        case .job(let id): if try !tenant.owns(id, reader) { throw .notFound(id) }
        case .holder(let key): own.signal?.target = .holder(of: tenant.storedText(key))
        case .missing, nil: break
        }
        own.delivery.hook = tenant.stored(delivery.hook)
        if var job { tenant.stamp(&job); own.job = job }
        return own
    }

    package func shown(_ reply: Reply, to tenant: Tenant) -> Reply {
        var reply = reply
        reply.delivery = tenant.shown(reply.delivery)
        reply.first = reply.first.map { tenant.shown($0) }
        reply.submitted = reply.submitted.map { tenant.shown($0) }
        reply.posted = reply.posted.map { tenant.shown($0) }
        return reply
    }

    /// The name of the lock of a key. No client can write such a key.
    private static func lockName(_ key: [UInt8]) -> String { "\u{1}hook\u{1}\(HexText.encode(key))" }
}

extension SubmitOutcome {
    /// The job that was made or found.
    package var jobID: JobID {
        switch self {
        case .created(let job), .joined(let job), .replayed(let job): job.id
        case .replacing(let job, _): job.id
        case .replayedGone(let id), .keyReused(let id): id
        }
    }
}
