import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// A transaction of the memory engine, which runs what requests do in all engines. It has the ledger as long as it
/// lasts; nothing in it fails but what a request itself refuses.
final class MemoryTransaction {
    var ledger = MemoryLedger(limits: StoreLimits())
}

extension MemoryLedger {
    /// Runs a transaction on this ledger.
    mutating func run<Value>(
        _ work: (MemoryTransaction) -> Result<Value, JobStoreError>
    ) throws(JobStoreError) -> Value { try within(work).get() }

    /// Makes a part of a transaction on this ledger.
    mutating func within<Value>(_ work: (MemoryTransaction) -> Value) -> Value {
        let transaction = MemoryTransaction()
        swap(&self, &transaction.ledger)
        defer { swap(&self, &transaction.ledger) }
        return work(transaction)
    }
}

extension MemoryTransaction: StoreTransaction {
    typealias Failure = Never

    var limits: StoreLimits { ledger.limits }

    var templates: MemoryTemplates { MemoryTemplates(transaction: self) }

    var settings: MemorySettings { MemorySettings(transaction: self) }

    var schedules: MemorySchedules { MemorySchedules(transaction: self) }

    var grants: MemoryGrants { MemoryGrants(transaction: self) }

    var bulks: MemoryBulks { MemoryBulks(transaction: self) }

    var uploads: MemoryUploads { MemoryUploads(transaction: self) }
    var standings: MemoryStandings { MemoryStandings(transaction: self) }

    var deliveries: MemoryDeliveries { MemoryDeliveries(transaction: self) }

    var approvals: MemoryApprovals { MemoryApprovals(transaction: self) }

    var audits: MemoryAudits { MemoryAudits(transaction: self) }

    var closings: MemoryClosings { MemoryClosings(transaction: self) }

    var uniques: MemoryUniques { MemoryUniques(transaction: self) }

    var wakes: MemoryWakes { MemoryWakes(transaction: self) }

    var stats: MemoryStats { MemoryStats(transaction: self) }

    func put(_ schedule: ScheduleRecord, number: Int64?) -> Int64 {
        let last = ledger.schedules.values.map(\.number).max() ?? 0
        let known = ledger.schedules[schedule.name]
        var stored = known ?? MemoryLedger.Schedule(number: last + 1, record: schedule)
        stored.record = schedule
        ledger.schedules[schedule.name] = stored
        return stored.number
    }

    func noteSettings() { ledger.settingsVersion += 1 }

    func configure(_ queue: String, _ spec: QueueSpec?) { ledger.configure(queue, spec) }

    func job(_ id: JobID) -> StoredJob? { ledger.entries[id]?.job }

    func spec(of job: StoredJob) -> [UInt8] { ledger.entries[job.record.id]?.spec ?? [] }

    func journal(of job: StoredJob) -> [JournalEntry] { ledger.entries[job.record.id]?.journalForRun ?? [] }

    func save(_ job: StoredJob, from before: JobRecord) {
        ledger.put(job)
        if before.revision == job.record.revision { noteEntries(of: job) }
    }

    func append(_ entries: [JournalEntry], to job: StoredJob) {
        ledger.entries[job.record.id]?.journal += entries
    }

    func removeEntries(_ numbers: [ClosedRange<Int64>], of job: StoredJob) {
        for range in numbers { ledger.entries[job.record.id]?.removed.formUnion(range) }
    }

    func removeResult(of job: StoredJob) { ledger.entries[job.record.id]?.result = nil }

    func removeCallbacks(of job: StoredJob) { ledger.ends[job.number] = nil }

    func settle(_ end: JobEnd) -> Bool {
        guard let number = ledger.entries[end.id]?.job.number, ledger.ends[number] == end else {
            return false
        }
        ledger.ends[number] = nil
        return true
    }

    func remove(_ job: StoredJob) { ledger.remove(job.record.id) }

    func beginUpkeep(at now: Timestamp, limit: Int) {}

    func purgeable(at now: Timestamp, limit: Int) -> [JobID] {
        ledger.purgeable(at: now).prefix(limit).map(\.record.id)
    }

    func purge(_ ids: [JobID], within budget: inout JobBudget) {
        for id in ids where !budget.isSpent {
            budget.take(ledger.entries[id]?.erasedBytes ?? 0)
            ledger.remove(id)
        }
    }

    func removeKeys(at now: Timestamp, limit: Int) -> Int { ledger.removeKeys(at: now, limit: limit) }

    func lapsed(at now: Timestamp, limit: Int) -> [JobID] {
        ledger.lapsed(at: now).prefix(limit).map(\.record.id)
    }

    func note(_ request: RunRequest) { ledger.requests.append(request) }

    func willChange(_ ids: [JobID], mayEnd: Bool) {}

    func approval(_ id: ApprovalID) -> (ApprovalRecord, StoredJob)? {
        guard let approval = ledger.approvals[id], let job = job(approval.job) else { return nil }
        return (approval, job)
    }

    // MARK: Runs

    func didUpdate(_ job: StoredJob, _ update: RunUpdate) {
        if ledger.isShared { passOn(update.freed, at: update.journal.last?.at ?? job.record.createdAt) }
        if job.owner == nil { ledger.claimNext() }
    }

    func noteEntries(of job: StoredJob) { ledger.changes.append(.entries(of: job.record)) }

    func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) {
        for key in freed.map({ ByteKey($0) }) where ledger.holds[key]?.job == job.record.id {
            ledger.holds[key] = nil
        }
        for hold in taken {
            ledger.holds[ByteKey(hold.key)] = hold
            job.flags.insert(.hold)
        }
    }

    /// The reader finds the uses in journals and results.
    func put(_ uses: [ArtifactUse], of job: StoredJob) {}

    func put(_ summary: JournalSummary, of job: inout StoredJob) {
        ledger.entries[job.record.id]?.summary = summary
    }

    func put(_ result: OperationResult, of job: StoredJob) { ledger.entries[job.record.id]?.result = result }

    func nextDueAt() -> Timestamp? { ledger.nextDueAt }

    // MARK: Bulk actions

    func insert(_ bulk: BulkRecord, of ids: [JobID]) {
        let last = ledger.bulks.values.map(\.number).max() ?? 0
        ledger.bulks[bulk.id] = MemoryLedger.Bulk(number: last + 1, record: bulk, ids: ids)
    }

    func outcome(known new: NewJob) -> SubmitOutcome? { ledger.outcome(known: new) }

    func keep(_ claim: IdempotencyClaim, for holder: JobID) { ledger.keep(claim, for: holder) }

    func has(_ id: JobID) -> Bool { ledger.entries[id] != nil }

    func lineRefusal(of jobs: [NewJob]) -> JobStoreError? { ledger.refusal(ofLines: jobs) }

    var unfinished: Int { ledger.unfinished }

    func submitAlso(_ new: NewJob) -> Result<SubmitOutcome, JobStoreError> { submit(new) }

    func insert(_ new: NewJob) -> Result<SubmitOutcome, JobStoreError> {
        Result { () throws(JobStoreError) in try ledger.insert(new) }
    }

    func remember(_ validator: AnswerValidator, for key: String) { ledger.remember(validator, for: key) }

    // MARK: Changes by people

    var changeCount: Int { ledger.changes.count }

    func add(_ record: AuditRecord) { ledger.add(record) }
}

extension MemoryTransaction: SharedTransaction {
    var keyLines: MemoryKeyLines { MemoryKeyLines(transaction: self) }

    func nextNumber(at time: Timestamp) -> Int64 { ledger.nextNumber(at: time) }

    func note(_ messages: [ServerMessage]) { ledger.messages += messages }

    func announce(_ server: ServerRecord) -> Bool {
        guard ledger.leases.holds(server.id) else { return false }
        ledger.servers[server.id] = server
        return true
    }
}

/// The origins of a ledger in a transaction.
struct MemoryClosings: ClosingRows {
    let transaction: MemoryTransaction

    func keep(_ closings: [OriginClosing], at now: Timestamp) {
        var kept = transaction.ledger.closings
        for closing in closings { kept[closing.origin] = closing.until == nil ? nil : closing }
        transaction.ledger.closings = kept.filter { $0.value.until.map { $0 > now } ?? false }
    }
}
