import JobKit
import JobSpec
import JobStore

/// Jobs as rows of the table `job`.
extension StoredJob {
    /// The columns that are written, in their order. `mail` is the number of posts, `ties` are the flags.
    /// `metadata_at` is the place of the metadata in the spec, its offset in the high and its length in the low 32
    /// bits; `metadata` is NULL then. A job in the line of its queue has the time since which it is ready in
    /// `lined_at` instead of `ready_at`. `tenant` is the prefix of `queue`.
    static let stored = [
        "number", "id", "state", "priority", "revision", "fence", "attempt", "attempts_max", "created_at",
        "run_at", "started_at", "finished_at", "expires_at", "due_at", "purge_at", "ready_at",
        "keep_succeeded", "keep_failed", "owner", "name", "type", "queue", "idempotency_key", "labels",
        "detail", "metadata", "mail", "ties", "queue_key", "lined_at", "start_by", "finish_by",
        "metadata_at", "tenant", "call_host",
    ]

    /// The columns that `init(row:)` reads, in its order.
    static let read = stored.dropLast(3)

    /// The same for a SELECT.
    static let columns = read.map { $0 == "metadata" ? metadata : "job.\($0)" }.joined(separator: ", ")

    private static let metadata = """
        CASE WHEN job.metadata_at IS NULL THEN job.metadata ELSE (SELECT substr(spec.bytes, \
        (job.metadata_at >> 32) + 1, job.metadata_at & 4294967295) FROM spec WHERE spec.number = job.number) END
        """

    /// The job in the current row of a statement that selects `columns`.
    /// - Throws: a failure with the code of damaged data for a state that this program does not know.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        self.init(record: try JobRecord(row: row), number: row.integer(0))
        readyAt = row.time(15) ?? row.time(29)
        owner = row.optionalText(18).map { OwnerID($0) }
        idempotencyKey = row.optionalText(22)
        posts = row.integer(26)
        flags = Flags(rawValue: row.integer(27))
    }

    /// The jobs in all rows of a statement that selects `columns`.
    static func all(_ statement: SQLiteStatement) throws(SQLiteFailure) -> [StoredJob] {
        defer { statement.reset() }
        var found: [StoredJob] = []
        while try statement.step() { found.append(try StoredJob(row: statement)) }
        return found
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
        statement.bind(base + 16, isInLine ? nil : readyAt)
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
            statement.bind(base + 24, PairCoding.encode(record.labels.map { ($0.key, $0.value) }))
        }
        bindDetail(to: statement, at: base + 25)
        if record.metadata.isEmpty || place != nil {
            statement.bind(base + 26, Int64?.none)
        } else {
            statement.bind(base + 26, record.metadata)
        }
        statement.bind(base + 27, posts)
        statement.bind(base + 28, flags.rawValue)
        statement.bind(base + 29, record.queueKey)
        statement.bind(base + 30, isInLine ? readyAt : nil)
        statement.bind(base + 31, record.startBy)
        statement.bind(base + 32, record.finishBy)
        statement.bind(base + 33, place.map { Int64($0.lowerBound) << 32 | Int64($0.count) })
        statement.bind(base + 34, record.tenant?.prefix ?? "")
        // Of a job whose run ended first; see `FirstRuns`.
        statement.bind(base + 35, record.state.isFinal ? record.detail.call?.host : nil)
    }

    /// Writes what a claim changes.
    static let saveClaim = claim(from: "due_at = NULL, ready_at = NULL")

    /// The same for a job in the line of its queue.
    static let saveClaimFromLine = claim(from: "lined_at = NULL")

    private static func claim(from place: String) -> String {
        """
        UPDATE job SET state = ?2, revision = ?3, fence = ?4, started_at = ?5, \(place), owner = ?6 WHERE number = ?1
        """
    }

    /// Binds the columns for both.
    func bindClaim(to statement: SQLiteStatement) {
        statement.bind(1, number)
        statement.bind(2, record.state.stored)
        statement.bind(3, record.revision)
        statement.bind(4, record.fence)
        statement.bind(5, record.startedAt)
        statement.bind(6, owner?.description)
    }

    // SQLite opens every index of which an UPDATE names a column, and writes its entry anew even when nothing changed.
    // So the two most frequent moves have statements that name no more than they change.

    /// Whether it is in flight as before, and comes further: no index holds what has changed.
    func hasProgressed(from before: JobRecord) -> Bool {
        record.state == .running && before.state == .running && owner != nil && isUnmoved(since: before)
    }

    /// Whether it was in flight and has ended, so that it was neither ready nor due before and is not now.
    func hasEnded(from before: JobRecord) -> Bool {
        record.state.isFinal && before.state == .running && owner == nil && isUnmoved(since: before)
    }

    private func isUnmoved(since before: JobRecord) -> Bool {
        readyAt == nil && record.dueAt == nil && before.dueAt == nil && record.expiresAt == before.expiresAt
            && record.startedAt == before.startedAt && record.runAt == before.runAt
    }

    /// Writes what progress changes, see `hasProgressed`.
    static let saveProgress = """
        UPDATE job SET revision = ?2, attempt = ?3, detail = ?4, mail = ?5, ties = ?6 WHERE number = ?1
        """

    /// Binds the columns for `saveProgress`.
    func bindProgress(to statement: SQLiteStatement) {
        statement.bind(1, number)
        statement.bind(2, record.revision)
        statement.bind(3, Int64(record.attempt))
        bindDetail(to: statement, at: 4)
        statement.bind(5, posts)
        statement.bind(6, flags.rawValue)
    }

    /// Writes what an end changes, see `hasEnded`.
    static let saveEnd = """
        UPDATE job SET revision = ?2, attempt = ?3, detail = ?4, mail = ?5, ties = ?6, state = ?7, \
        finished_at = ?8, purge_at = ?9, owner = NULL WHERE number = ?1
        """

    /// Binds the columns for `saveEnd`.
    func bindEnd(to statement: SQLiteStatement) {
        bindProgress(to: statement)
        statement.bind(7, record.state.stored)
        statement.bind(8, record.finishedAt)
        statement.bind(9, record.purgeAt)
    }

    private func bindDetail(to statement: SQLiteStatement, at place: Int32) {
        let bytes = record.detail.encoded
        if bytes.isEmpty { statement.bind(place, Int64?.none) } else { statement.bind(place, bytes) }
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
        statement.bind(9, isInLine ? nil : readyAt)
        statement.bind(10, owner?.description)
        bindDetail(to: statement, at: 11)
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
        self.revision = row.integer(4)
        self.fence = row.integer(5)
        self.attempt = Int(row.integer(6))
        self.runAt = row.time(9)
        self.startedAt = row.time(10)
        self.finishedAt = row.time(11)
        self.expiresAt = row.time(12)
        self.dueAt = row.time(13)
        self.purgeAt = row.time(14)
        let detail = row.bytes(24)
        self.detail = detail.isEmpty ? .nothing : .coded(detail)
        self.metadata = row.bytes(25)
        self.queueKey = row.optionalText(28)
        self.isInLine = !row.isNull(29)
        self.startBy = row.time(30)
        self.finishBy = row.time(31)
    }

    private static func labels(_ row: SQLiteStatement) -> [JobSpec.Label] {
        if row.isNull(23) { return [] }
        return PairCoding.decode(row.bytes(23)).map { JobSpec.Label(key: $0.0, value: $0.1) }
    }
}

/// The places of journal entries: one job's lie side by side.
enum JournalPlace {
    /// The bits of a number in a journal; those of the number of its job are above.
    static let sequenceBits = 28
    /// The number of entries that one job can have.
    static let sequenceMax: Int64 = (1 << sequenceBits) - 1

    /// The place of an entry.
    static func place(job number: Int64, sequence: Int64) -> Int64 { (number << sequenceBits) | sequence }

    /// The sequence number at a place.
    static func sequence(_ place: Int64) -> Int64 { place & sequenceMax }
}
