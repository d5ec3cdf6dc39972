package import JobKit

/// A transaction that can change bulk actions.
package protocol BulkTransaction: StoreTransaction {
    /// A bulk action, locked until the end, and the number of its rows.
    func bulk(_ id: BulkID) throws(Failure) -> (number: Int64, record: BulkRecord)?

    /// Up to `count` ids of a bulk action from a place on.
    func ids(ofBulk number: Int64, from place: Int, count: Int) throws(Failure) -> [JobID]

    /// Stores a job that was not announced when the transaction began. It has no idempotency key.
    func submitAlso(_ new: NewJob) throws(Failure) -> Result<SubmitOutcome, JobStoreError>

    func add(_ results: [BulkResult], toBulk number: Int64, from place: Int) throws(Failure)

    /// Stores the progress of a bulk action, and removes its ids when it is over.
    func updateBulk(_ number: Int64, to record: BulkRecord) throws(Failure)
}

/// Steps of bulk actions, each with the jobs that it is about.
extension BulkTransaction {
    package func advance(_ step: BulkStep) throws(Failure) -> Result<BulkReceipt, JobStoreError> {
        guard let (number, known) = try bulk(step.id) else { return .failure(.noBulk(step.id)) }
        guard known.state == .running, known.settled == step.place else {
            return .failure(.bulkMoved(step.id))
        }
        var receipt = BulkReceipt(record: known, of: step)
        let ids = try ids(ofBulk: number, from: step.place, count: step.count)
        try willChange(ids)
        var bytes = 0
        for id in ids where bytes < BulkStep.bytesMax {
            guard let job = try job(id) else {
                receipt.note(id, error: .notFound(id))
                continue
            }
            bytes += try apply(step.decide(job.record), to: job, &receipt)
        }
        receipt.record.count(receipt.results, at: step.at)
        try add(receipt.results, toBulk: number, from: step.place)
        try updateBulk(number, to: receipt.record)
        return .success(receipt)
    }

    /// - Returns: the bytes of the specs that were read and stored.
    private func apply(
        _ verdict: BulkStep.Verdict, to job: StoredJob, _ receipt: inout BulkReceipt
    ) throws(Failure) -> Int {
        let id = job.record.id
        switch verdict {
        case .cancel(let request): receipt.note(id, try cancel(request), of: request)
        case .retry(let entry): receipt.note(id, error: try retry(id, journal: entry).error)
        case .post(let post): receipt.note(id, try self.post(post), of: post)
        case .submit(let new):
            receipt.note(id, try submitAlso(new))
            return new.bytes
        case .erase: receipt.note(id, error: try erase(id).error)
        case .skip(let code, let detail): receipt.noteSkipped(id, code: code, detail: detail)
        case .reading(let decide):
            let spec = try spec(of: job)
            return spec.count + (try apply(decide(spec), to: job, &receipt))
        }
        return 0
    }

    package func stopBulk(
        _ id: BulkID, by: String, at now: Timestamp
    ) throws(Failure) -> Result<BulkRecord, JobStoreError> {
        guard let (number, known) = try bulk(id) else { return .failure(.noBulk(id)) }
        var record = known
        if record.stop(by: by, at: now) { try updateBulk(number, to: record) }
        return .success(record)
    }
}

extension Result where Failure == JobStoreError {
    fileprivate var error: JobStoreError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
