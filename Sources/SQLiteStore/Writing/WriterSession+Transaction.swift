import JobJournal
import JobKit
import JobSpec
import JobStore

/// The rows for the moves that all engines share.
extension WriterSession: StoreTransaction {
    typealias Failure = SQLiteFailure

    func noteErasure() { hasErased = true }

    func noteSettings() { settingsChanges += 1 }

    func configure(_ queue: String, _ spec: QueueSpec?) throws(SQLiteFailure) {
        try lines.configure(queue, spec)
    }

    func put(_ schedule: ScheduleRecord, number: Int64?) throws(SQLiteFailure) -> Int64 {
        try schedules.put(schedule, number: number)
    }

    func spec(of job: StoredJob) throws(SQLiteFailure) -> [UInt8] { try specs.bytes(of: job.number) }

    func journal(of job: StoredJob) throws(SQLiteFailure) -> [JournalEntry] {
        try journals.read(job, isNew: false).entries
    }

    func append(_ entries: [JournalEntry], to job: StoredJob) throws(SQLiteFailure) {
        try journals.append(entries, to: job.number)
    }

    func removeEntries(_ numbers: [ClosedRange<Int64>], of job: StoredJob) throws(SQLiteFailure) {
        try journals.remove(numbers, of: job.number)
    }

    func removeResult(of job: StoredJob) throws(SQLiteFailure) { try results.remove(of: job.number) }

    func removeCallbacks(of job: StoredJob) throws(SQLiteFailure) { try callbacks.remove(of: job.number) }

    /// No other server runs a job.
    func note(_ request: RunRequest) {}

    func settle(_ end: JobEnd) throws(SQLiteFailure) -> Bool {
        try insertRows()
        return try callbacks.settle(end)
    }

    func remember(_ validator: AnswerValidator, for key: String) throws(SQLiteFailure) {
        try validators.put(validator, for: key)
    }

    /// Rows are looked up one by one.
    func willChange(_ ids: [JobID], mayEnd: Bool) throws(SQLiteFailure) {}

    func approval(_ id: ApprovalID) throws(SQLiteFailure) -> (ApprovalRecord, StoredJob)? {
        guard let approval = try approvals.approval(id), let job = try job(approval.job) else { return nil }
        return (approval, job)
    }

    // MARK: Runs

    func didUpdate(_ job: StoredJob, _ update: RunUpdate) throws(SQLiteFailure) {
        if job.owner == nil { try dispatch.claimNext() }
    }

    func noteEntries(of job: StoredJob) { changes.append(.entries(of: job.record)) }

    func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) throws(SQLiteFailure) {
        try holds.note(taken: taken, freed: freed, of: &job)
    }

    func put(_ uses: [ArtifactUse], of job: StoredJob) throws(SQLiteFailure) {
        try artifacts.put(uses, of: job)
    }

    func put(_ summary: JournalSummary, of job: inout StoredJob) throws(SQLiteFailure) {
        try journals.put(summary, of: &job)
    }

    func put(_ result: OperationResult, of job: StoredJob) throws(SQLiteFailure) {
        try results.put(result, of: job.number)
    }

    // MARK: Bulk actions

    func insert(_ bulk: BulkRecord, of ids: [JobID]) throws(SQLiteFailure) {
        try bulks.insert(bulk, parts: BulkTable.parts(of: ids))
    }

    func submitAlso(_ new: NewJob) throws(SQLiteFailure) -> Result<SubmitOutcome, JobStoreError> {
        try insertRows()
        return try submit(new)
    }

    // MARK: Changes by people

    var changeCount: Int { changes.count }

    func add(_ record: AuditRecord) throws(SQLiteFailure) { try audits.add(record) }
}
