import JobKit
import JobStore

/// The prepared statements of the write connection.
struct WriterStatements {
    let begin, commit, rollback: SQLiteStatement
    let jobByID, jobByNumber, saveClaim, saveMove, deleteJob: SQLiteStatement
    let insertSpec, specByNumber, deleteSpec: SQLiteStatement
    let jobRows, specRows: RowInsert
    let lastPlace, insertEntry, entries, deleteEntries: SQLiteStatement
    let putSummary, summary, deleteSummary: SQLiteStatement
    let putResult, deleteResult: SQLiteStatement
    let insertLabel, deleteLabel: SQLiteStatement
    let keyByText, putKey, outlive, deleteOldKeys: SQLiteStatement
    let ready, due, firstDue, held, nextOwner, suspects, purgeable, lapsed: SQLiteStatement
    let putTally, probe: SQLiteStatement
    let putWake, wakeNumbers, deleteWakes, putHold, deleteHold, deleteHolds: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        jobByID = try connection.prepare("SELECT \(StoredJob.columns) FROM job WHERE id = ?1")
        jobByNumber = try connection.prepare("SELECT \(StoredJob.columns) FROM job WHERE number = ?1")
        jobRows = RowInsert(into: "job", columns: StoredJob.stored, scratchBytes: 4_096, on: connection)
        saveClaim = try connection.prepare(StoredJob.saveClaim)
        saveMove = try connection.prepare(StoredJob.saveMove)
        deleteJob = try connection.prepare("DELETE FROM job WHERE number = ?1")
        insertSpec = try connection.prepare("INSERT INTO spec VALUES (?1, ?2)")
        specRows = RowInsert(
            into: "spec", columns: ["number", "bytes"], scratchBytes: 16_384, on: connection)
        specByNumber = try connection.prepare("SELECT bytes FROM spec WHERE number = ?1")
        deleteSpec = try connection.prepare("DELETE FROM spec WHERE number = ?1")
        lastPlace = try connection.prepare(
            "SELECT place FROM journal WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1")
        insertEntry = try connection.prepare("INSERT INTO journal VALUES (?1, ?2)")
        entries = try connection.prepare(
            "SELECT place, bytes FROM journal WHERE place BETWEEN ?1 AND ?2 ORDER BY place")
        deleteEntries = try connection.prepare("DELETE FROM journal WHERE place BETWEEN ?1 AND ?2")
        putSummary = try connection.prepare("INSERT OR REPLACE INTO summary VALUES (?1, ?2, ?3)")
        summary = try connection.prepare("SELECT place, bytes FROM summary WHERE number = ?1")
        deleteSummary = try connection.prepare("DELETE FROM summary WHERE number = ?1")
        putResult = try connection.prepare(
            "INSERT OR REPLACE INTO result (number, status, content_type, headers, body, artifact, content_coding) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        deleteResult = try connection.prepare("DELETE FROM result WHERE number = ?1")
        insertLabel = try connection.prepare("INSERT OR IGNORE INTO label VALUES (?1, ?2, ?3)")
        deleteLabel = try connection.prepare("DELETE FROM label WHERE key = ?1 AND value = ?2 AND id = ?3")
        keyByText = try connection.prepare(
            "SELECT number, fingerprint, expires_at, substr(fingerprint, -16) FROM idempotency WHERE key = ?1"
        )
        putKey = try connection.prepare("INSERT OR REPLACE INTO idempotency VALUES (?1, ?2, ?3, ?4)")
        outlive = try connection.prepare(
            """
            UPDATE idempotency SET number = ?4, fingerprint = CAST(fingerprint || ?3 AS BLOB) \
            WHERE key = ?1 AND number = ?2
            """)
        deleteOldKeys = try connection.prepare(
            """
            DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency INDEXED BY idempotency_expiry \
            WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)
            """)
        ready = try connection.prepare(DispatchQueries.ready)
        due = try connection.prepare(DispatchQueries.due)
        firstDue = try connection.prepare(DispatchQueries.firstDue)
        held = try connection.prepare(DispatchQueries.held)
        suspects = try connection.prepare(DispatchQueries.suspects)
        purgeable = try connection.prepare(DispatchQueries.purgeable)
        lapsed = try connection.prepare(DispatchQueries.lapsed)
        nextOwner = try connection.prepare(DispatchQueries.nextOwner)
        putTally = try connection.prepare("INSERT OR REPLACE INTO tally VALUES (?1, ?2)")
        putWake = try connection.prepare("INSERT OR IGNORE INTO wake VALUES (?1, ?2)")
        wakeNumbers = try connection.prepare("SELECT number FROM wake WHERE key = ?1 ORDER BY number")
        deleteWakes = try connection.prepare("DELETE FROM wake WHERE number = ?1")
        putHold = try connection.prepare("INSERT OR REPLACE INTO hold VALUES (?1, ?2, ?3)")
        deleteHold = try connection.prepare("DELETE FROM hold WHERE key = ?1 AND number = ?2")
        deleteHolds = try connection.prepare("DELETE FROM hold WHERE number = ?1")
        probe = try connection.prepare("UPDATE probe SET writes = writes + 1 WHERE number = 1")
    }
}

/// The queries that find work. Each names the partial index that it lives on, so that it fails at the start instead
/// of becoming slow when the index is not fit for it.
enum DispatchQueries {
    private static let notLapsed = "(expires_at IS NULL OR started_at IS NOT NULL OR expires_at > ?1)"

    /// Claimable at once, in the order of claims; ?1 is now, ?2 how many.
    static let ready = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_ready WHERE ready_at IS NOT NULL AND \(notLapsed) \
        ORDER BY priority DESC, ready_at, number LIMIT ?2
        """

    /// Due behind ?4 and until ?1 with one priority, the first due first; ?2 is how many, ?3 the priority.
    static let due = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_due WHERE due_at IS NOT NULL AND priority = ?3 \
        AND due_at > ?4 AND due_at <= ?1 AND \(notLapsed) ORDER BY due_at, number LIMIT ?2
        """

    /// When the first job of priority ?1 falls due.
    static let firstDue = """
        SELECT due_at FROM job INDEXED BY job_due WHERE due_at IS NOT NULL AND priority = ?1 ORDER BY due_at LIMIT 1
        """

    /// In flight for the owner ?1.
    static let held = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_held WHERE owner = ?1
        """

    /// The first owner of jobs in flight behind ?1.
    static let nextOwner = "SELECT owner FROM job INDEXED BY job_held WHERE owner > ?1 ORDER BY owner LIMIT 1"

    /// Suspected of having ended the process, the oldest first: `Ties.suspect` without `Ties.alone`.
    static let suspects = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_suspect WHERE ties & 393216 = 131072 \
        AND state = \(JobState.queued.stored) AND ready_at IS NULL ORDER BY number LIMIT 10000
        """

    /// Kept long enough at ?1, and nobody is to be told of their end; ?2 is how many.
    static let purgeable = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_purge WHERE purge_at IS NOT NULL AND purge_at <= ?1 \
        AND NOT EXISTS (SELECT 1 FROM callback WHERE callback.number = job.number) ORDER BY purge_at LIMIT ?2
        """

    /// The ends that somebody is to be told of; ?1 is how many.
    static let untold = """
        SELECT job.id, callback.revision FROM callback CROSS JOIN job ON job.number = callback.number \
        ORDER BY callback.number LIMIT ?1
        """

    /// Not started in time at ?1; ?2 is how many.
    static let lapsed = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_expiry WHERE expires_at IS NOT NULL \
        AND started_at IS NULL AND state < 10 AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2
        """
}
