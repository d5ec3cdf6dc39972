import JobKit
import JobSpec
import JobStore

/// Jobs as rows of the table `job`.
extension StoredJob {
    /// The columns that are written, in their order; `lease_until` is not, since leases belong to owners and end with
    /// the process. `mail` is the number of posts, `ties` are the flags. `metadata_at` is the place of the metadata in
    /// the spec, its offset in the high and its length in the low 32 bits; `metadata` is NULL then.
    static let stored = [
        "number", "id", "state", "priority", "revision", "fence", "attempt", "attempts_max", "created_at",
        "run_at", "started_at", "finished_at", "expires_at", "due_at", "purge_at", "ready_at",
        "keep_succeeded", "keep_failed", "owner", "name", "type", "queue", "idempotency_key", "labels",
        "detail", "metadata", "mail", "ties", "metadata_at",
    ]

    /// The columns that `init(row:)` reads, in its order.
    static let columns = stored.dropLast().map { $0 == "metadata" ? metadata : "job.\($0)" }
        .joined(separator: ", ")

    private static let metadata = """
        CASE WHEN job.metadata_at IS NULL THEN job.metadata ELSE (SELECT substr(spec.bytes, \
        (job.metadata_at >> 32) + 1, job.metadata_at & 4294967295) FROM spec WHERE spec.number = job.number) END
        """

    /// The job in the current row of a statement that selects `columns`.
    /// - Throws: a failure with the code of damaged data for a state that this program does not know.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        self.init(record: try JobRecord(row: row), number: row.integer(0))
        readyAt = row.time(15)
        owner = row.optionalText(18).map { OwnerID($0) }
        idempotencyKey = row.optionalText(22)
        posts = row.integer(26)
        flags = Flags(rawValue: row.integer(27))
    }

    /// Binds all columns in the order of `stored`.
    /// - Parameter base: the number before that of the first.
    /// - Parameter place: the place of the metadata in the spec, see `NewJob`.
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
        statement.bind(base + 17, record.keepSucceededMilliseconds)
        statement.bind(base + 18, record.keepFailedMilliseconds)
        statement.bind(base + 19, owner?.description)
        statement.bind(base + 20, record.name)
        statement.bind(base + 21, record.type)
        statement.bind(base + 22, record.queue)
        statement.bind(base + 23, idempotencyKey)
        if record.labels.isEmpty {
            statement.bind(base + 24, Int64?.none)
        } else {
            statement.bind(base + 24, PairCoding.encode(record.labels.lazy.map { ($0.key, $0.value) }))
        }
        if record.detail.isEmpty {
            statement.bind(base + 25, Int64?.none)
        } else {
            statement.bind(base + 25, record.detail)
        }
        if record.metadata.isEmpty || place != nil {
            statement.bind(base + 26, Int64?.none)
        } else {
            statement.bind(base + 26, record.metadata)
        }
        statement.bind(base + 27, posts)
        statement.bind(base + 28, flags.rawValue)
        statement.bind(base + 29, place.map { Int64($0.lowerBound) << 32 | Int64($0.count) })
    }

    /// Writes what a claim changes.
    static let saveClaim = """
        UPDATE job SET state = ?2, revision = ?3, fence = ?4, started_at = ?5, due_at = NULL, ready_at = NULL, \
        owner = ?6 WHERE number = ?1
        """

    /// Binds the columns for `saveClaim`.
    func bindClaim(to statement: SQLiteStatement) {
        statement.bind(1, number)
        statement.bind(2, record.state.stored)
        statement.bind(3, record.revision)
        statement.bind(4, record.fence)
        statement.bind(5, record.startedAt)
        statement.bind(6, owner?.description)
    }

    /// Writes what any other move can change.
    static let saveMove = """
        UPDATE job SET state = ?2, revision = ?3, attempt = ?4, finished_at = ?5, expires_at = ?6, due_at = ?7, \
        purge_at = ?8, ready_at = ?9, owner = ?10, detail = ?11, mail = ?12, ties = ?13, \
        started_at = ?14, run_at = ?15 WHERE number = ?1
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
        statement.bind(10, owner?.description)
        if record.detail.isEmpty {
            statement.bind(11, Int64?.none)
        } else {
            statement.bind(11, record.detail)
        }
        statement.bind(12, posts)
        statement.bind(13, flags.rawValue)
        statement.bind(14, record.startedAt)
        statement.bind(15, record.runAt)
    }
}

extension JobRecord {
    /// The record in the current row of a statement that selects `StoredJob.columns`: for reads, which need no more.
    /// - Throws: a failure with the code of damaged data for a state that this program does not know.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        guard let state = JobState(stored: row.integer(2)) else {
            throw SQLiteFailure.damaged("job \(row.id(1)) has the unknown state \(row.integer(2))")
        }
        self.init(
            id: row.id(1), name: row.text(19), type: row.text(20), queue: row.text(21),
            priority: Int(row.integer(3)), labels: Self.labels(row), state: state,
            attemptsMax: Int(row.integer(7)), createdAt: Timestamp(milliseconds: row.integer(8)),
            keepSucceededMilliseconds: row.integer(16), keepFailedMilliseconds: row.integer(17))
        revision = row.integer(4)
        fence = row.integer(5)
        attempt = Int(row.integer(6))
        runAt = row.time(9)
        startedAt = row.time(10)
        finishedAt = row.time(11)
        expiresAt = row.time(12)
        dueAt = row.time(13)
        purgeAt = row.time(14)
        detail = row.bytes(24)
        metadata = row.bytes(25)
    }

    private static func labels(_ row: SQLiteStatement) -> [JobSpec.Label] {
        if row.isNull(23) { return [] }
        return PairCoding.decode(row.bytes(23)).map { JobSpec.Label(key: $0.0, value: $0.1) }
    }
}

/// The places of journal entries: one job's lie side by side.
enum JournalPlace {
    /// The number of entries that one job can have.
    static let sequenceMax: Int64 = (1 << 22) - 1

    /// The place of an entry.
    static func place(job number: Int64, sequence: Int64) -> Int64 { (number << 22) | sequence }

    /// The sequence number at a place.
    static func sequence(_ place: Int64) -> Int64 { place & sequenceMax }
}
