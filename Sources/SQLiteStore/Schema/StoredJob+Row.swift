import JobKit
import JobStore

/// How a job lies in a row of the table `job`.
extension StoredJob {
    /// The columns of the table in their order. `metadata_at` is the place of the metadata in the spec, its offset in
    /// the high and its length in the low 32 bits; `metadata` is NULL then.
    static let stored = [
        "number", "id", "state", "priority", "revision", "fence", "attempt", "attempts_max", "created_at",
        "run_at",
        "started_at", "finished_at", "expires_at", "due_at", "purge_at", "ready_at", "lease_until",
        "keep_succeeded",
        "keep_failed", "owner", "name", "type", "queue", "idempotency_key", "labels", "detail", "metadata",
        "mail",
        "ties", "metadata_at",
    ]

    /// What `init(row:)` reads, in its order, of the table `job`.
    static let columns = stored.dropLast().map { $0 == "metadata" ? metadata : "job.\($0)" }
        .joined(separator: ", ")

    private static let metadata = """
        CASE WHEN job.metadata_at IS NULL THEN job.metadata ELSE (SELECT substr(spec.bytes, \
        (job.metadata_at >> 32) + 1, job.metadata_at & 4294967295) FROM spec WHERE spec.number = job.number) END
        """

    /// The job in the current row of a statement that selects `columns`.
    /// - Throws: a failure with the code of damaged data for a state that this program does not know.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        guard let state = JobState(stored: row.integer(2)) else {
            throw SQLiteFailure.damaged("job \(row.id(1)) has the unknown state \(row.integer(2))")
        }
        var record = JobRecord(
            id: row.id(1), name: row.text(20), type: row.text(21), queue: row.text(22),
            priority: Int(row.integer(3)), labels: Self.labels(row), state: state,
            attemptsMax: Int(row.integer(7)), createdAt: Timestamp(milliseconds: row.integer(8)),
            keepSucceededMilliseconds: row.integer(17), keepFailedMilliseconds: row.integer(18))
        record.revision = row.integer(4)
        record.fence = row.integer(5)
        record.attempt = Int(row.integer(6))
        record.runAt = row.time(9)
        record.startedAt = row.time(10)
        record.finishedAt = row.time(11)
        record.expiresAt = row.time(12)
        record.dueAt = row.time(13)
        record.purgeAt = row.time(14)
        record.detail = row.bytes(25)
        record.metadata = row.bytes(26)
        self.init(record: record, number: row.integer(0))
        readyAt = row.time(15)
        leaseUntil = row.time(16)
        owner = row.optionalText(19)
        idempotencyKey = row.optionalText(23)
        mail = row.integer(27)
        ties = Ties(rawValue: row.integer(28))
    }

    private static func labels(_ row: SQLiteStatement) -> [JobSpec.Label] {
        if row.isNull(24) { return [] }
        return PairCoding.decode(row.bytes(24)).map { JobSpec.Label(key: $0.0, value: $0.1) }
    }

    /// Binds all columns in the order of `stored`.
    /// - Parameter base: the number before that of the first.
    /// - Parameter place: where in its spec the metadata stand, see `NewJob`.
    func bindAll(to statement: SQLiteStatement, after base: Int32, metadataPlace place: Range<Int>?) {
        statement.bind(base + 1, number)
        statement.bind(base + 2, record.id)
        statement.bind(base + 3, record.state.stored)
        statement.bind(base + 4, Int64(record.priority))
        statement.bind(base + 5, record.revision)
        statement.bind(base + 6, record.fence)
        statement.bind(base + 7, Int64(record.attempt))
        statement.bind(base + 8, Int64(record.attemptsMax))
        statement.bind(base + 9, record.createdAt)
        statement.bind(base + 10, record.runAt)
        statement.bind(base + 11, record.startedAt)
        statement.bind(base + 12, record.finishedAt)
        statement.bind(base + 13, record.expiresAt)
        statement.bind(base + 14, record.dueAt)
        statement.bind(base + 15, record.purgeAt)
        statement.bind(base + 16, readyAt)
        statement.bind(base + 17, leaseUntil)
        statement.bind(base + 18, record.keepSucceededMilliseconds)
        statement.bind(base + 19, record.keepFailedMilliseconds)
        statement.bind(base + 20, owner)
        statement.bind(base + 21, record.name)
        statement.bind(base + 22, record.type)
        statement.bind(base + 23, record.queue)
        statement.bind(base + 24, idempotencyKey)
        if record.labels.isEmpty {
            statement.bind(base + 25, Int64?.none)
        } else {
            statement.bind(base + 25, PairCoding.encode(record.labels.lazy.map { ($0.key, $0.value) }))
        }
        if record.detail.isEmpty {
            statement.bind(base + 26, Int64?.none)
        } else {
            statement.bind(base + 26, record.detail)
        }
        if record.metadata.isEmpty || place != nil {
            statement.bind(base + 27, Int64?.none)
        } else {
            statement.bind(base + 27, record.metadata)
        }
        statement.bind(base + 28, mail)
        statement.bind(base + 29, ties.rawValue)
        statement.bind(base + 30, place.map { Int64($0.lowerBound) << 32 | Int64($0.count) })
    }

    /// Writes what a claim changes.
    static let saveClaim = """
        UPDATE job SET state = ?2, revision = ?3, fence = ?4, started_at = ?5, due_at = NULL, ready_at = NULL, \
        owner = ?6, lease_until = ?7 WHERE number = ?1
        """

    /// Binds the columns for `saveClaim`.
    func bindClaim(to statement: SQLiteStatement) {
        statement.bind(1, number)
        statement.bind(2, record.state.stored)
        statement.bind(3, record.revision)
        statement.bind(4, record.fence)
        statement.bind(5, record.startedAt)
        statement.bind(6, owner)
        statement.bind(7, leaseUntil)
    }

    /// Writes what any other move can change.
    static let saveMove = """
        UPDATE job SET state = ?2, revision = ?3, attempt = ?4, finished_at = ?5, expires_at = ?6, due_at = ?7, \
        purge_at = ?8, ready_at = ?9, owner = ?10, lease_until = ?11, detail = ?12, mail = ?13, ties = ?14, \
        started_at = ?15, run_at = ?16 WHERE number = ?1
        """

    /// Binds the columns for `saveMove`.
    func bindMove(to statement: SQLiteStatement) {
        statement.bind(1, number)
        statement.bind(2, record.state.stored)
        statement.bind(3, record.revision)
        statement.bind(4, Int64(record.attempt))
        statement.bind(5, record.finishedAt)
        statement.bind(6, record.expiresAt)
        statement.bind(7, record.dueAt)
        statement.bind(8, record.purgeAt)
        statement.bind(9, readyAt)
        statement.bind(10, owner)
        statement.bind(11, leaseUntil)
        if record.detail.isEmpty {
            statement.bind(12, Int64?.none)
        } else {
            statement.bind(12, record.detail)
        }
        statement.bind(13, mail)
        statement.bind(14, ties.rawValue)
        statement.bind(15, record.startedAt)
        statement.bind(16, record.runAt)
    }
}

/// The places of journal entries: one job's lie side by side.
enum JournalPlace {
    /// How many entries one job can have.
    static let sequenceMax: Int64 = (1 << 22) - 1

    /// The place of an entry.
    static func place(job number: Int64, sequence: Int64) -> Int64 { (number << 22) | sequence }

    /// The sequence number at a place.
    static func sequence(_ place: Int64) -> Int64 { place & sequenceMax }
}
