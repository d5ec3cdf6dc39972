import JobJournal
import JobKit
import JobStore

/// The rows for the moves that all engines share.
extension WorkUnit: StoreTransaction {
    typealias Failure = PostgresFailure

    var templates: TemplateTable { tables.templates }
    var settings: SettingTable { tables.settings }
    var schedules: ScheduleTable { tables.schedules }
    var grants: GrantTable { tables.grants }
    var bulks: BulkTable { tables.bulks }
    var uploads: UploadTable { tables.uploads }
    var deliveries: DeliveryTable { tables.deliveries }
    var standings: StandingTable { tables.standings }
    var approvals: ApprovalTable { tables.approvals }
    var audits: AuditTable { tables.audits }
    var closings: ClosingTable { tables.closings }
    var uniques: LineTable { tables.lines }
    var wakes: WakeTable { tables.wakes }
    var stats: StatsTable { tables.stats }

    func put(_ schedule: ScheduleRecord, number: Int64?) throws(PostgresFailure) -> Int64 {
        let number = number ?? numbers.next(at: schedule.updatedAt)
        try schedules.put(schedule, number: number)
        return number
    }

    func job(_ id: JobID) throws(PostgresFailure) -> StoredJob? { try touched.job(id) }

    func spec(of job: StoredJob) throws(PostgresFailure) -> [UInt8] {
        try touched.spec(of: job.record.id)
    }

    func journal(of job: StoredJob) throws(PostgresFailure) -> [JournalEntry] {
        try touched.journals(of: [job]).entries(of: job.record.id)
    }

    func append(_ entries: [JournalEntry], to job: StoredJob) { touched.append(entries, to: job.record.id) }

    func removeEntries(_ numbers: [ClosedRange<Int64>], of job: StoredJob) throws(PostgresFailure) {
        try touched.flush()
        try tables.journals.remove(numbers, of: job.record.id)
    }

    func removeResult(of job: StoredJob) { touched.put(nil, of: job.record.id) }

    func removeCallbacks(of job: StoredJob) { note(end: nil, of: job.record.id) }

    func settle(_ end: JobEnd) throws(PostgresFailure) -> Bool {
        if hasEnd(of: end.id) { return false }
        return try tables.callbacks.settle(end)
    }

    /// Erases a job with all its data, after what the group changed about it is written.
    func remove(_ job: StoredJob) throws(PostgresFailure) {
        try touched.flush()
        drop(job)
    }

    /// Rows are locked together, in the order of their ids.
    func willChange(_ ids: [JobID], mayEnd: Bool) throws(PostgresFailure) {
        if mayEnd { try tables.lines.lock(tables.lines.names(of: ids)) }
        try touched.load(ids)
    }

    /// The job is locked before the approval, as runs do.
    func approval(_ id: ApprovalID) throws(PostgresFailure) -> (ApprovalRecord, StoredJob)? {
        guard let found = try tables.approvals.approval(id, locks: false),
            let job = try touched.job(found.job),
            let approval = try tables.approvals.approval(id, locks: true)
        else { return nil }
        return (approval, job)
    }

    // MARK: Runs

    func willUpdate(_ job: StoredJob, _ update: RunUpdate) throws(PostgresFailure) {
        if job.hasRowsBesides(update) { try touched.lockCopies() }
    }

    func didUpdate(_ job: StoredJob, _ update: RunUpdate) throws(PostgresFailure) {
        if update.freed.isEmpty { return }
        try passOn(update.freed, at: update.journal.last?.at ?? SystemClock().now)
    }

    func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) throws(PostgresFailure) {
        try tables.holds.note(taken: taken, freed: freed, of: &job)
    }

    func put(_ uses: [ArtifactUse], of job: StoredJob) throws(PostgresFailure) {
        try tables.artifacts.put(uses, of: job)
    }

    func put(_ summary: JournalSummary, of job: inout StoredJob) throws(PostgresFailure) {
        try tables.journals.put(summary, of: &job)
    }

    func put(_ result: OperationResult, of job: StoredJob) { touched.put(result, of: job.record.id) }

    // MARK: Bulk actions

    func insert(_ bulk: BulkRecord, of ids: [JobID]) throws(PostgresFailure) {
        try tables.bulks.insert(bulk, of: ids, number: numbers.next(at: bulk.createdAt))
    }

    /// The job has no idempotency key.
    func submitAlso(_ new: NewJob) throws(PostgresFailure) -> Result<SubmitOutcome, JobStoreError> {
        try lines.prepare(for: [new], isFirst: false)
        return try submit(new)
    }

    // MARK: Changes by people

    var changeCount: Int { news.changes.count }
}

extension WorkUnit: SharedTransaction {
    var keyLines: KeyLineTable { tables.keyLines }

    func nextNumber(at time: Timestamp) -> Int64 { numbers.next(at: time) }

    func announce(_ server: ServerRecord) throws(PostgresFailure) -> Bool { try leases.announce(server) }
}

extension StoredJob {
    /// Whether an update of its run may change more rows than its ticket, its end and its journal.
    fileprivate func hasRowsBesides(_ update: RunUpdate) -> Bool {
        let keys = update.taken.count + update.freed.count + update.wakeKeys.count
        return keys > 0 || update.summary != nil || !update.artifactUses.isEmpty
            || !flags.isDisjoint(with: [.wake, .hold, .approval, .unique, .summary])
    }
}
