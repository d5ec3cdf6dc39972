import JobKit
import JobStore

// DESIGN
// Who takes, releases or waits for a key first locks the key's row in `line`, under a name that no unique key has, and
// then sees `hold` and `keyline` as they are. An operation waits under one number for all of its keys.
//
// Operations inside of a holder pass those that wait for it, see `ExclusionBoard`. An operation is inside of the
// holders in its job whose paths its own begins with.

/// Exclusive keys and the lines of operations for them.
struct KeyLineTable: KeyLineRows {
    private let connection: PostgresConnection
    private let lines: LineTable
    private let holders, isBehind, ahead, place, enter, leave, next, keys, take, free, freeJob,
        leaveJob: String
    private let ofJobs, around, pass: String

    init(_ connection: PostgresConnection, _ lines: LineTable) {
        self.connection = connection
        self.lines = lines
        let hold = "\(connection.address.schema).hold"
        let line = "\(connection.address.schema).keyline"
        holders = "SELECT id, path FROM \(hold) WHERE key = ANY($1) ORDER BY key"
        let before = """
            SELECT DISTINCT number, id, path FROM \(line) WHERE key = ANY($1) AND number < $2 \
            AND (id <> $3 OR path <> $4)
            """
        isBehind = "\(before) LIMIT 1"
        ahead = "SELECT count(*) FROM (\(before)) AS before"
        place = "SELECT number FROM \(line) WHERE id = ANY($1) AND path = $2 LIMIT 1"
        enter = "INSERT INTO \(line) SELECT unnest($1::bytea[]), $2, $3, $4 ON CONFLICT DO NOTHING"
        leave = "DELETE FROM \(line) WHERE id = ANY($1) AND path = $2 RETURNING key"
        next = "SELECT DISTINCT number, id, path FROM \(line) WHERE key = ANY($1) ORDER BY 1, 2, 3 LIMIT 1000"
        keys = "SELECT key FROM \(line) WHERE id = ANY($1) AND path = $2 ORDER BY key"
        take = """
            INSERT INTO \(hold) SELECT unnest($1::bytea[]), $2, $3 \
            ON CONFLICT (key) DO UPDATE SET id = excluded.id, path = excluded.path
            """
        free = "DELETE FROM \(hold) WHERE id = ANY($1) AND path = $2 RETURNING key"
        freeJob = "DELETE FROM \(hold) WHERE id = ANY($1) RETURNING key"
        leaveJob = "DELETE FROM \(line) WHERE id = ANY($1) RETURNING key"
        around = """
            SELECT min(number) FROM \(line) WHERE key IN (SELECT key FROM \(hold) WHERE id = $1 AND path = ANY($2))
            """
        pass = """
            UPDATE \(line) SET number = $1 WHERE id = $2 AND path <> $3 AND number > $1 \
            AND substring(path FROM 1 FOR octet_length($4)) = $4 RETURNING path, key
            """
        ofJobs = "SELECT key, id, path FROM \(hold) WHERE id = ANY($1) ORDER BY key"
    }

    /// The name under which a key is locked.
    static func lockName(_ key: String) -> String { "exclusive\u{0}\(key)" }

    func holders(of keys: [String]) throws(PostgresFailure) -> [(job: JobID, path: [String])] {
        let rows = try connection.run(holders, [.raws(keys)])
        return (0..<rows.count).map { (rows.id($0, 0), rows.names($0, 1, by: "/")) }
    }

    func isBehind(_ waiter: KeyWaiter, for keys: [String]) throws(PostgresFailure) -> Bool {
        try connection.run(
            isBehind,
            [.raws(keys), .integer(waiter.number), .id(waiter.job), .raw(Self.text(waiter.path))]
        ).count > 0
    }

    func number(of path: [String], in job: JobID) throws(PostgresFailure) -> Int64? {
        let rows = try connection.run(place, [.ids([job]), .raw(path.joined(separator: "/"))])
        return rows.count > 0 ? rows.integer(0, 0) : nil
    }

    /// Why an operation waits.
    func standing(
        of path: [String], in job: JobID, for keys: [String]
    ) throws(PostgresFailure) -> KeyStanding {
        let waiter = try number(of: path, in: job).map { KeyWaiter(number: $0, job: job, path: path) }
        // Inside of an operation that holds a key it waits under another name.
        let keys = try waiter.map { waiter throws(PostgresFailure) in try self.keys(of: waiter) } ?? keys
        var standing = KeyStanding(
            holder: try holders(of: keys).first { $0.job != job || $0.path != path }?.job)
        if let waiter {
            let rows = try connection.run(
                ahead, [.raws(keys), .integer(waiter.number), .id(job), .raw(Self.text(waiter.path))])
            standing.ahead = Int(rows.integer(0, 0))
        }
        return standing
    }

    func enter(_ waiter: KeyWaiter, for keys: [String]) throws(PostgresFailure) {
        try connection.run(
            enter, [.raws(keys), .integer(waiter.number), .id(waiter.job), .raw(Self.text(waiter.path))])
    }

    func firstWaiting(around path: [String], in job: JobID) throws(PostgresFailure) -> Int64? {
        let outer = path.indices.map { path[..<$0].joined(separator: "/") }
        let rows = try connection.run(around, [.id(job), .raws(outer)])
        return rows.isNull(0, 0) ? nil : rows.integer(0, 0)
    }

    func pass(
        _ waiter: KeyWaiter, insideOf holder: (job: JobID, path: [String])
    ) throws(PostgresFailure) -> [(waiter: KeyWaiter, keys: [String])] {
        let path = holder.path.joined(separator: "/")
        let number = waiter.number - 1
        let rows = try connection.run(
            pass,
            [.integer(number), .id(holder.job), .raw(path), .raw(holder.path.isEmpty ? "" : path + "/")])
        var moved: [(waiter: KeyWaiter, keys: [String])] = []
        for row in 0..<rows.count {
            let inner = KeyWaiter(number: number, job: holder.job, path: rows.names(row, 0, by: "/"))
            if let place = moved.firstIndex(where: { $0.waiter == inner }) {
                moved[place].keys.append(rows.text(row, 1))
            } else {
                moved.append((inner, [rows.text(row, 1)]))
            }
        }
        return moved
    }

    @discardableResult
    func leave(_ path: [String], in job: JobID) throws(PostgresFailure) -> [String] {
        try texts(leave, [.ids([job]), .raw(path.joined(separator: "/"))])
    }

    func waiters(for keys: [String]) throws(PostgresFailure) -> [KeyWaiter] {
        let rows = try connection.run(next, [.raws(keys)])
        return (0..<rows.count).map {
            KeyWaiter(number: rows.integer($0, 0), job: rows.id($0, 1), path: rows.names($0, 2, by: "/"))
        }
    }

    func keys(of waiter: KeyWaiter) throws(PostgresFailure) -> [String] {
        try texts(keys, [.ids([waiter.job]), .raw(Self.text(waiter.path))])
    }

    func take(_ keys: [String], by path: [String], in job: JobID) throws(PostgresFailure) {
        try connection.run(take, [.raws(keys), .id(job), .raw(path.joined(separator: "/"))])
    }

    func free(_ path: [String], in job: JobID) throws(PostgresFailure) -> [String] {
        try texts(free, [.ids([job]), .raw(path.joined(separator: "/"))])
    }

    func forget(_ job: JobID) throws(PostgresFailure) -> [String] {
        try texts(freeJob, [.ids([job])]) + texts(leaveJob, [.ids([job])])
    }

    /// The keys that jobs hold.
    func holds(of ids: [JobID]) throws(PostgresFailure) -> [JobID: [ExclusiveHold]] {
        guard !ids.isEmpty else { return [:] }
        let rows = try connection.run(ofJobs, [.ids(ids)])
        var found: [JobID: [ExclusiveHold]] = [:]
        for row in 0..<rows.count {
            let hold = ExclusiveHold(
                key: rows.text(row, 0), job: rows.id(row, 1), path: rows.names(row, 2, by: "/"))
            found[hold.job, default: []].append(hold)
        }
        return found
    }

    func lock(_ keys: [String]) throws(PostgresFailure) { try lines.lock(keys.map(Self.lockName)) }

    private static func text(_ path: [String]) -> String { path.joined(separator: "/") }

    private func texts(_ sql: String, _ values: [PostgresValue]) throws(PostgresFailure) -> [String] {
        let rows = try connection.run(sql, values)
        return (0..<rows.count).map { rows.text($0, 0) }
    }
}
