import JobKit
import JobStore

/// Changes of bulk actions, each with the jobs that it is about.
struct BulkWrites {
    let session: WriterSession

    private var bulks: BulkTable { session.bulks }

    func create(
        _ bulk: BulkRecord, parts: [[UInt8]]
    ) throws(SQLiteFailure) -> Result<BulkRecord, JobStoreError> {
        if bulk.state == .running, let refusal = try bulks.refusal() { return .failure(refusal) }
        try bulks.insert(bulk, parts: parts)
        return .success(bulk)
    }

    func advance(_ step: BulkStep) throws(SQLiteFailure) -> Result<BulkReceipt, JobStoreError> {
        guard let (number, known) = try bulks.bulk(step.id) else { return .failure(.noBulk(step.id)) }
        guard known.state == .running, known.settled == step.place else {
            return .failure(.bulkMoved(step.id))
        }
        var receipt = BulkReceipt(record: known)
        for id in try bulks.ids(of: number, from: step.place, count: step.count) {
            guard let job = try session.job(id) else {
                receipt.note(id, error: .notFound(id))
                continue
            }
            try apply(step.decide(job.record), to: job, &receipt)
        }
        receipt.record.count(receipt.results, at: step.at)
        try bulks.add(receipt.results, of: number, from: step.place)
        try bulks.update(number, to: receipt.record)
        return .success(receipt)
    }

    private func apply(
        _ verdict: BulkStep.Verdict, to job: StoredJob, _ receipt: inout BulkReceipt
    ) throws(SQLiteFailure) {
        let id = job.record.id
        switch verdict {
        case .cancel(let request): receipt.note(id, try session.cancel(request))
        case .retry(let entry): receipt.note(id, error: try session.retry(id, journal: entry).error)
        case .post(let post): receipt.note(id, try session.post(post), of: post)
        case .erase: receipt.note(id, error: try session.erase(id).error)
        case .skip(let code, let detail): receipt.noteSkipped(id, code: code, detail: detail)
        case .reading(let decide):
            try apply(decide(try session.specs.bytes(of: job.number)), to: job, &receipt)
        }
    }

    func stop(
        _ id: BulkID, by: String, at now: Timestamp
    ) throws(SQLiteFailure) -> Result<BulkRecord, JobStoreError> {
        guard let (number, known) = try bulks.bulk(id) else { return .failure(.noBulk(id)) }
        var record = known
        if record.stop(by: by, at: now) { try bulks.update(number, to: record) }
        return .success(record)
    }
}

extension Result where Failure == JobStoreError {
    fileprivate var error: JobStoreError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
