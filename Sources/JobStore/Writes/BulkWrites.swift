package import JobKit

/// The rows of bulk actions, their ids and their results. A transaction inserts the bulk actions themselves. Those that
/// are removed when they are old are over; each result counts as a row.
package protocol BulkRows: SweptRows {
    /// The number of bulk actions that run; no other server adds one until the end of the transaction.
    func runningCount() throws(Failure) -> Int

    /// A bulk action, which no other server changes until the end of the transaction, and the number of its rows.
    func bulk(_ id: BulkID) throws(Failure) -> (number: Int64, record: BulkRecord)?

    /// Up to `count` ids from a place on.
    func ids(of number: Int64, from place: Int, count: Int) throws(Failure) -> [JobID]

    func add(_ results: [BulkResult], of number: Int64, from place: Int) throws(Failure)

    /// Stores the progress of a bulk action, and removes its ids when it is over.
    func update(_ number: Int64, to record: BulkRecord) throws(Failure)
}

/// Stores a bulk action with the distinct ids of its jobs.
///
/// Refused with `.bulksFull` while `StoreLimits.bulksMax` are running.
package struct BulkCreation: RequestWrite {
    /// The bulk action as it is stored.
    package typealias Reply = BulkRecord

    package var bulk: BulkRecord
    package var ids: [JobID]

    package init(_ bulk: BulkRecord, of ids: [JobID]) {
        self.bulk = bulk
        self.ids = ids
    }

    package var needs: WriteNeeds {
        WriteNeeds(wholes: bulk.state == .running ? [.bulks] : [], parts: [.bulks])
    }

    package var bytes: Int { ids.count * 16 }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let most = transaction.limits.bulksMax
        if bulk.state == .running, try transaction.bulks.runningCount() >= most {
            return .failure(.bulksFull(most))
        }
        try transaction.insert(bulk, of: ids)
        return .success(bulk)
    }

    /// Whose the jobs are, the decisions see; see `BulkStep`.
    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> BulkCreation {
        var own = self
        own.bulk.createdBy = tenant.storedText(bulk.createdBy)
        return own
    }

    package func shown(_ reply: BulkRecord, to tenant: Tenant) -> BulkRecord { tenant.shown(reply) }
}

/// Decides about each of the next jobs and changes it as the single action would, and stores the results and the
/// counts. So each id has one result, and no job is changed twice.
///
/// Refused with `.noBulk`; `.bulkMoved` when it is over, or another number of ids is settled.
extension BulkStep: StoreWrite {
    /// The bulk action after the step, its results, and the requests to runs.
    package typealias Reply = BulkReceipt

    package var needs: WriteNeeds { WriteNeeds(bulks: [id], parts: [.bulks]) }

    package var rows: Int { count }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let (number, known) = try transaction.bulks.bulk(id) else { return .failure(.noBulk(id)) }
        guard known.state == .running, known.settled == place else { return .failure(.bulkMoved(id)) }
        var receipt = BulkReceipt(record: known, of: self)
        let ids = try transaction.bulks.ids(of: number, from: place, count: count)
        try transaction.willChange(ids, mayEnd: true)
        var bytes = 0
        for id in ids where bytes < Self.bytesMax {
            guard let job = try transaction.job(id) else {
                receipt.note(id, error: .notFound(id))
                continue
            }
            bytes += try Self.apply(decide(job.record), to: job, &receipt, in: transaction)
        }
        receipt.record.count(receipt.results, at: at)
        try transaction.bulks.add(receipt.results, of: number, from: place)
        try transaction.bulks.update(number, to: receipt.record)
        return .success(receipt)
    }

    /// - Returns: the bytes of the specs that were read and stored, and of an erased job.
    private static func apply<Transaction: StoreTransaction>(
        _ verdict: Verdict, to job: StoredJob, _ receipt: inout BulkReceipt, in transaction: Transaction
    ) throws(Transaction.Failure) -> Int {
        let id = job.record.id
        switch verdict {
        case .cancel(let request): receipt.note(id, try request.apply(in: transaction), of: request)
        case .retry(let entry):
            receipt.note(id, error: try JobRetry(id, journal: entry).apply(in: transaction).error)
        case .post(let post): receipt.note(id, try post.apply(in: transaction), of: post)
        case .submit(let new):
            receipt.note(id, try transaction.submitAlso(new))
            return new.bytes
        case .erase:
            do throws(JobStoreError) { try job.checkErasable() } catch {
                receipt.note(id, error: error)
                return 0
            }
            receipt.note(id, error: nil)
            var budget = JobBudget(jobs: 1, bytes: .max)
            try transaction.purge([id], within: &budget)
            return .max - budget.bytes
        case .skip(let code, let detail): receipt.noteSkipped(id, code: code, detail: detail)
        case .reading(let decide):
            let spec = try transaction.spec(of: job)
            return spec.count + (try apply(decide(spec), to: job, &receipt, in: transaction))
        }
        return 0
    }
}

/// Stops a bulk action; one that is over stays as it is.
///
/// Refused with `.noBulk`.
package struct BulkStop: RequestWrite {
    /// The bulk action after the stop.
    package typealias Reply = BulkRecord

    package var id: BulkID
    /// The person who stops it.
    package var by: String
    package var at: Timestamp

    package init(_ id: BulkID, by: String, at: Timestamp) {
        self.id = id
        self.by = by
        self.at = at
    }

    package var needs: WriteNeeds { WriteNeeds(bulks: [id], parts: [.bulks]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let (number, known) = try transaction.bulks.bulk(id) else { return .failure(.noBulk(id)) }
        var record = known
        if record.stop(by: by, at: at) { try transaction.bulks.update(number, to: record) }
        return .success(record)
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> BulkStop {
        guard let bulk = try reader.bulk(id), tenant.ownsText(bulk.createdBy) else { throw .noBulk(id) }
        return BulkStop(id, by: tenant.storedText(by), at: at)
    }

    package func shown(_ reply: BulkRecord, to tenant: Tenant) -> BulkRecord { tenant.shown(reply) }
}

extension Result where Failure == JobStoreError {
    fileprivate var error: JobStoreError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
