import JobKit
import JobSpec
import JobStore

/// The rows of jobs with their labels.
///
/// Rows of new jobs may be gathered: `insertRows` must precede any other use of the table.
final class JobTable {
    private let byID, byNumber, saveClaim, saveClaimFromLine, saveMove, saveEnd, saveProgress, saveError,
        saveHost, saveWaits, delete: SQLiteStatement
    private let insertLabel, deleteLabel: SQLiteStatement
    private let readyRows, nextTenant, readyRow, dueRows, firstDue, heldRows, purgeableRows,
        lapsedRows: SQLiteStatement
    private let rows: RowInsert

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        byID = try connection.prepare("SELECT \(StoredJob.columns) FROM job WHERE id = ?1")
        byNumber = try connection.prepare("SELECT \(StoredJob.columns) FROM job WHERE number = ?1")
        saveClaim = try connection.prepare(StoredJob.saveClaim)
        saveClaimFromLine = try connection.prepare(StoredJob.saveClaimFromLine)
        saveMove = try connection.prepare(StoredJob.saveMove)
        saveEnd = try connection.prepare(StoredJob.saveEnd)
        saveProgress = try connection.prepare(StoredJob.saveProgress)
        saveError = try connection.prepare(
            """
            UPDATE job SET error_code = ?2, call_host = ?3, call_method = ?4, call_url = ?5, call_status = ?6 \
            WHERE number = ?1
            """)
        saveHost = try connection.prepare("UPDATE job SET call_host = ?2 WHERE number = ?1")
        saveWaits = try connection.prepare("UPDATE job SET wait_kinds = ?2 WHERE number = ?1")
        delete = try connection.prepare("DELETE FROM job WHERE number = ?1")
        insertLabel = try connection.prepare("INSERT OR IGNORE INTO label VALUES (?1, ?2, ?3)")
        deleteLabel = try connection.prepare("DELETE FROM label WHERE key = ?1 AND value = ?2 AND id = ?3")
        readyRows = try connection.prepare(DispatchQueries.ready)
        nextTenant = try connection.prepare(DispatchQueries.nextTenant)
        readyRow = try connection.prepare(DispatchQueries.hasReady)
        dueRows = try connection.prepare(DispatchQueries.due)
        firstDue = try connection.prepare(DispatchQueries.firstDue)
        heldRows = try connection.prepare(DispatchQueries.held)
        purgeableRows = try connection.prepare(DispatchQueries.purgeable)
        lapsedRows = try connection.prepare(DispatchQueries.lapsed)
        rows = try RowInsert(into: "job", columns: StoredJob.stored, scratchBytes: 4_096, on: connection)
    }

    // MARK: One job

    func job(_ id: JobID) throws(SQLiteFailure) -> StoredJob? {
        byID.bind(1, id)
        return try first(byID)
    }

    func job(number: Int64) throws(SQLiteFailure) -> StoredJob? {
        byNumber.bind(1, number)
        return try first(byNumber)
    }

    /// Inserts the row of a new job, or gathers it with others.
    func insert(_ job: StoredJob, metadataPlace place: Range<Int>?, gathers: Bool) throws(SQLiteFailure) {
        try rows.add(gathers: gathers) { job.bindAll(to: $0, after: $1, metadataPlace: place) }
    }

    /// Inserts the gathered rows.
    func insertRows() throws(SQLiteFailure) { try rows.run() }

    /// Discards the gathered rows.
    func rollback() { rows.forget() }

    func addLabels(of job: JobRecord) throws(SQLiteFailure) {
        for label in job.labels {
            insertLabel.bind(1, label.key)
            insertLabel.bind(2, label.value)
            insertLabel.bind(3, job.id)
            try insertLabel.run()
        }
    }

    /// Stores the columns that a claim changes.
    /// - Parameter isFromLine: whether the job was in the line of its queue.
    func save(claimed job: StoredJob, fromLine isFromLine: Bool = false) throws(SQLiteFailure) {
        let statement = isFromLine ? saveClaimFromLine : saveClaim
        job.bindClaim(to: statement)
        try statement.run()
    }

    /// Stores the columns that any other transition from `before` changed.
    func save(_ job: StoredJob, from before: JobRecord) throws(SQLiteFailure) {
        if job.hasProgressed(from: before) {
            job.bindProgress(to: saveProgress)
            try saveProgress.run()
        } else if job.hasEnded(from: before) {
            job.bindEnd(to: saveEnd)
            try saveEnd.run()
        } else {
            job.bindMove(to: saveMove)
            try saveMove.run()
        }
        if job.record.state != before.state { try saveEndCode(of: job, from: before) }
    }

    /// Stores the facts of the end that lists are filtered by. Jobs that succeed have none but the host of their call.
    private func saveEndCode(of job: StoredJob, from before: JobRecord) throws(SQLiteFailure) {
        let mayHaveHad = before.state.isFinal && before.state != .succeeded
        guard mayHaveHad || job.record.state.isFinal else { return }
        if mayHaveHad || job.record.endCode != nil { return try save(endOf: job.record, of: job.number) }
        if let host = job.record.detail.call?.host { try save(host: host, of: job.number) }
    }

    /// Stores the facts of an end without success, or none.
    func save(endOf record: JobRecord, of number: Int64) throws(SQLiteFailure) {
        let call = record.failedCall
        func known(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }
        saveError.bind(1, number)
        saveError.bind(2, record.endCode?.description)
        saveError.bind(3, known(call?.host))
        saveError.bind(4, known(call?.method))
        saveError.bind(5, known(call?.url))
        saveError.bind(6, call?.status.map { Int64($0) })
        try saveError.run()
    }

    /// Stores the host of the call of a job that succeeded.
    func save(host: String, of number: Int64) throws(SQLiteFailure) {
        saveHost.bind(1, number)
        saveHost.bind(2, host)
        try saveHost.run()
    }

    /// Stores the kinds of things that a suspended job waits for, or nil at its end. While it runs they stay, and lists
    /// look at its state as well: so a job that polls has them written only when it is suspended.
    func save(waits: WaitKinds?, of number: Int64) throws(SQLiteFailure) {
        saveWaits.bind(1, number)
        saveWaits.bind(2, waits?.rawValue)
        try saveWaits.run()
    }

    func remove(_ job: StoredJob) throws(SQLiteFailure) {
        delete.bind(1, job.number)
        try delete.run()
        for label in job.record.labels {
            deleteLabel.bind(1, label.key)
            deleteLabel.bind(2, label.value)
            deleteLabel.bind(3, job.record.id)
            try deleteLabel.run()
        }
    }

    // MARK: Work

    /// Jobs of a tenant that may be claimed at once, in the order of claims.
    /// - Parameter prefix: that of the tenant; empty for jobs without one.
    func ready(at now: Timestamp, of prefix: String, limit: Int) throws(SQLiteFailure) -> [StoredJob] {
        readyRows.bind(1, now)
        readyRows.bind(2, Int64(limit))
        readyRows.bind(3, prefix)
        return try all(readyRows)
    }

    /// The prefix of the first tenant behind one that has a job that may be claimed.
    func tenant(after prefix: String) throws(SQLiteFailure) -> String? {
        nextTenant.bind(1, prefix)
        defer { nextTenant.reset() }
        return try nextTenant.step() ? nextTenant.text(0) : nil
    }

    /// Whether a job of a tenant may be claimed.
    func hasReady(of prefix: String) throws(SQLiteFailure) -> Bool {
        readyRow.bind(1, prefix)
        defer { readyRow.reset() }
        return try readyRow.step()
    }

    /// Jobs that fall due in a period, ordered by priority and then by due date.
    func due(after start: Timestamp?, until end: Timestamp, limit: Int) throws(SQLiteFailure) -> [StoredJob] {
        var found: [StoredJob] = []
        for priority in (Int64(0)...9).reversed() where found.count < limit {
            dueRows.bind(1, end)
            dueRows.bind(2, Int64(limit - found.count))
            dueRows.bind(3, priority)
            dueRows.bind(4, start ?? Timestamp(milliseconds: .min))
            found += try all(dueRows)
        }
        return found
    }

    /// The due date of the first job; nil when none has one.
    func firstDueAt() throws(SQLiteFailure) -> Timestamp? {
        var first: Timestamp?
        for priority in Int64(0)...9 {
            firstDue.bind(1, priority)
            defer { firstDue.reset() }
            guard try firstDue.step(), let time = firstDue.time(0) else { continue }
            first = min(first ?? time, time)
        }
        return first
    }

    /// The jobs in flight.
    func held() throws(SQLiteFailure) -> [StoredJob] { try all(heldRows) }

    /// Up to `limit` jobs whose retention has ended.
    func purgeable(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> [JobID] {
        try ids(purgeableRows, at: now, limit: limit)
    }

    /// Up to `limit` jobs that did not start in time.
    func lapsed(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> [JobID] {
        try ids(lapsedRows, at: now, limit: limit)
    }

    // MARK: Rows

    private func ids(
        _ statement: SQLiteStatement, at now: Timestamp, limit: Int
    ) throws(SQLiteFailure) -> [JobID] {
        statement.bind(1, now)
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var ids: [JobID] = []
        while try statement.step() { ids.append(statement.id(0)) }
        return ids
    }

    private func first(_ statement: SQLiteStatement) throws(SQLiteFailure) -> StoredJob? {
        defer { statement.reset() }
        return try statement.step() ? try StoredJob(row: statement) : nil
    }

    private func all(_ statement: SQLiteStatement) throws(SQLiteFailure) -> [StoredJob] {
        try StoredJob.all(statement)
    }
}
