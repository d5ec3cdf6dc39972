import JobKit
import JobStore
import StrictJSON

// DESIGN
// The unfinished jobs with one unique key form a line ordered by their numbers; the first holds the key. A transaction
// that reads a line to decide about it, or changes it, locks its row in `line` first and sees the line as it then is.
// So a job that enters gets a number above the last in the line, whatever the clocks of the servers say. The row is
// made when the first job enters, and removed when the line is empty.
//
// A row that another server makes cannot be skipped: INSERT waits for its end. So rows are made at the beginning of a
// group only, by the statement that locks those that exist, each in its turn.

/// Unique keys and the lines of jobs for them.
final class LineTable: UniqueRows {
    private let connection: PostgresConnection
    let clear: String
    private let enter, lock, keys, namesOfJobs, put, first, last, ends, all: String
    /// The lines that the open transaction has locked, and those of them that a job left.
    private var locked: Set<ByteKey> = []
    private var left: Set<ByteKey> = []
    /// The lines that the group has to lock first when it runs again, since another server held them.
    private var awaited: Set<ByteKey> = []

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        // What exists is locked and stays as it is.
        enter = """
            INSERT INTO \(schema).line SELECT unnest($1::bytea[]) \
            ON CONFLICT (key) DO UPDATE SET key = excluded.key WHERE false
            """
        lock = "SELECT key FROM \(schema).line WHERE key = ANY($1) ORDER BY key FOR UPDATE SKIP LOCKED"
        clear = """
            DELETE FROM \(schema).line WHERE key = ANY($1) AND NOT EXISTS \
            (SELECT 1 FROM \(schema).waiter WHERE waiter.key = line.key AND NOT waiter.is_over OFFSET 0)
            """
        keys = "SELECT id, key FROM \(schema).waiter WHERE id = ANY($1)"
        namesOfJobs = """
            SELECT key FROM \(schema).waiter WHERE id = ANY($1) \
            UNION SELECT $2 || key FROM \(schema).hold WHERE id = ANY($1) \
            UNION SELECT $2 || key FROM \(schema).keyline WHERE id = ANY($1)
            """
        put = """
            INSERT INTO \(schema).waiter VALUES ($1, $2, $3, $4::bigint <> 0) \
            ON CONFLICT (id) DO UPDATE SET is_over = excluded.is_over
            """
        let waiting = "FROM \(schema).waiter WHERE key = ANY($1) AND NOT is_over ORDER BY key"
        let line = "SELECT id \(waiting)"
        first = "\(line), number LIMIT 1"
        last = "\(line) DESC, number DESC LIMIT 1"
        ends = "SELECT (\(first)), (SELECT number \(waiting) DESC, number DESC LIMIT 1)"
        all = "\(line), number"
    }

    /// Forgets what the last transaction locked.
    func begin() {
        locked = []
        left = []
    }

    /// Forgets which lines other servers held. After the commit.
    func committed() { awaited = [] }

    /// Locks the first lines of the group until the end of the transaction, in their order, later. Waits for other
    /// servers.
    func lockFirst(_ keys: some Sequence<String>) throws(PostgresFailure) {
        let wanted = awaited.union(keys.map { ByteKey($0) })
        if wanted.isEmpty { return }
        try connection.later(enter, [.raws(wanted.sorted().map(\.text))])
        note(wanted)
    }

    /// Locks further lines until the end of the transaction.
    /// - Throws: `.heldElsewhere` when another server holds one, or one is to be made; the group runs again then, and
    ///   locks it first.
    func lock(_ keys: some Sequence<String>) throws(PostgresFailure) {
        let wanted = Set(keys.map { ByteKey($0) }).subtracting(locked)
        if wanted.isEmpty { return }
        let rows = try connection.run(lock, [.raws(wanted.sorted().map(\.text))])
        let missing = wanted.subtracting((0..<rows.count).map { ByteKey(rows.text($0, 0)) })
        if !missing.isEmpty {
            awaited.formUnion(missing)
            throw .heldElsewhere
        }
        note(wanted)
    }

    /// The names of all lines that jobs stand in or hold: those of unique keys and of exclusive keys.
    func names(of ids: [JobID]) throws(PostgresFailure) -> [String] {
        guard !ids.isEmpty else { return [] }
        let rows = try connection.run(namesOfJobs, [.ids(ids), .raw(KeyLineTable.lockName(""))])
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    private func note(_ keys: Set<ByteKey>) {
        locked.formUnion(keys)
        left.formUnion(keys)
    }

    /// Removes the lines that are empty now. At the end of the transaction.
    func finish() throws(PostgresFailure) {
        if !left.isEmpty { try connection.later(clear, [.raws(left.sorted().map(\.text))]) }
    }

    /// Adds a new job at the end of the line for its key, with a new number if it has to; it waits when another job is
    /// ahead.
    /// - Parameter number: makes a number after the last in the line.
    func enter(
        _ job: inout StoredJob, _ key: String, number: (_ last: Int64) -> Int64
    ) throws(PostgresFailure) {
        try lock([key])
        job.flags.insert(.unique)
        if let line = try ends(of: key) {
            job.awaitTurn(for: key, behind: line.holder)
            if job.number <= line.lastNumber { job.number = number(line.lastNumber) }
        }
        try put(key, of: job, isOver: false)
    }

    /// The keys of jobs.
    func keys(of ids: [JobID]) throws(PostgresFailure) -> [JobID: String] {
        guard !ids.isEmpty else { return [:] }
        let rows = try connection.run(keys, [.ids(ids)])
        var found: [JobID: String] = [:]
        for row in 0..<rows.count { found[rows.id(row, 0)] = rows.text(row, 1) }
        return found
    }

    func key(of job: StoredJob) throws(PostgresFailure) -> String? {
        try keys(of: [job.record.id]).values.first
    }

    func holder(of key: String) throws(PostgresFailure) -> JobID? { try ids(first, key).first }

    func last(of key: String) throws(PostgresFailure) -> JobID? { try ids(last, key).first }

    /// The job that holds a key whose line is locked, and the number of the last job in the line; nil when it is empty.
    private func ends(of key: String) throws(PostgresFailure) -> (holder: JobID, lastNumber: Int64)? {
        let rows = try connection.run(ends, [.raws([key])])
        return rows.isNull(0, 0) ? nil : (holder: rows.id(0, 0), lastNumber: rows.integer(0, 1))
    }

    func line(of key: String) throws(PostgresFailure) -> [JobID] { try ids(all, key) }

    func put(_ key: String, of job: StoredJob, isOver: Bool) throws(PostgresFailure) {
        try connection.run(
            put, [.id(job.record.id), .raw(key), .integer(job.number), .integer(isOver ? 1 : 0)])
    }

    private func ids(_ sql: String, _ key: String) throws(PostgresFailure) -> [JobID] {
        try connection.run(sql, [.raws([key])]).ids()
    }
}
