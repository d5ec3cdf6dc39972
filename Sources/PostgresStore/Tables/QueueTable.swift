import JobKit
import JobStore
import StrictJSON

// DESIGN
// The line of a queue is made of tickets with `lined_at`. A ticket in it, and one whose job runs and counts against the
// limits of its queue, names queue and key (`line_queue`, `line_key`); others name none, so that queues without limits
// cost no index entry. What decides and claims locks the row of the queue first, so servers decide one after the other,
// and each sees what those before it claimed. Nothing is counted in a row: the jobs that run are counted where they
// are, so that an end, and the death of a server, frees its place with the ticket and no other row is written. Keys
// take turns in their order; the row of the queue has the key that came last.

/// The lines of queues with a configuration, the rows of queues that decide whose turn it is, and the states of rates.
struct QueueTable {
    /// The row of a queue.
    struct Row: Sendable {
        var name: String
        var rate: RateState
        /// The key that came last, by priority.
        var cursors: [Int: String]
    }

    /// A job in a line.
    struct Head: Sendable {
        var key: String
        var id: JobID
        var place: QueuePlace
    }

    /// The number of jobs that run, of one key.
    struct Running: Sendable {
        var queue, key: String
        var count: Int
    }

    private let connection: PostgresConnection
    private let schema: String
    let keys, heads, oldest, running, priorities, lockJobs, put, raiseQueues, raiseKeys: String
    private let lock, putRates: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
        let line = "\(schema).ticket WHERE line_queue = $1 AND priority = $2 AND lined_at IS NOT NULL"
        let notLapsed = "(expires_at IS NULL OR started_at IS NOT NULL OR expires_at > $5)"
        keys = """
            WITH RECURSIVE leap (key, place) AS (\
            (SELECT line_key, 1::bigint FROM \(line) AND line_key >= $3 ORDER BY line_key LIMIT 1) UNION ALL \
            SELECT (SELECT line_key FROM \(line) AND line_key > leap.key ORDER BY line_key LIMIT 1), leap.place + 1 \
            FROM leap WHERE leap.key IS NOT NULL AND leap.place < $4) SELECT key FROM leap WHERE key IS NOT NULL
            """
        heads = """
            SELECT wanted.key, head.id, head.lined_at, head.number FROM unnest($3::bytea[]) AS wanted (key) \
            CROSS JOIN LATERAL (SELECT id, lined_at, number FROM \(line) AND line_key = wanted.key AND \(notLapsed) \
            ORDER BY lined_at, number LIMIT $4) AS head
            """
        oldest = """
            SELECT line_key, id, lined_at, number FROM \(line) AND (lined_at, number) > ($3, $4) AND \(notLapsed) \
            ORDER BY lined_at, number LIMIT $6
            """
        running = """
            SELECT line_queue, line_key, count(*) FROM \(schema).ticket \
            WHERE line_queue = ANY($1) AND owner IS NOT NULL GROUP BY line_queue, line_key
            """
        priorities = """
            SELECT name, level FROM unnest($1::bytea[]) AS name CROSS JOIN generate_series(9, 0, -1) AS level \
            WHERE EXISTS (SELECT 1 FROM \(schema).ticket \
            WHERE line_queue = name AND priority = level AND lined_at IS NOT NULL OFFSET 0)
            """
        lock = """
            SELECT name, rate, cursors FROM \(schema).queue WHERE name = ANY($1) ORDER BY name FOR UPDATE
            """
        // Named otherwise, `lined_at` would make an index of all lines seem as good as that of ids.
        lockJobs = """
            SELECT ticket.id, octet_length(job.spec), ticket.journal_end FROM \(schema).ticket \
            JOIN \(schema).job ON job.id = ticket.id WHERE ticket.id = ANY($1) AND num_nonnulls(ticket.lined_at) = 1 \
            ORDER BY ticket.id FOR UPDATE OF ticket SKIP LOCKED
            """
        let queue = "\(schema).queue"
        put = """
            UPDATE \(queue) SET rate = new.rate, cursors = new.cursors FROM \
            \(ListedRows.sql("$1::bytea[], $2::bigint[], $3::bytea[]", "name, rate, cursors", in: queue, by: "name")) \
            AS new WHERE queue.ctid = new.place
            """
        putRates = """
            INSERT INTO \(schema).queue_rate SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) \
            ON CONFLICT (queue, key) DO UPDATE SET next = excluded.next
            """
        // Rows of queues are locked, so those of their rates stay where they are found.
        raiseQueues = """
            UPDATE \(queue) SET rate = greatest(queue.rate, new.next) \
            FROM \(ListedRows.sql("$1::bytea[], $2::bigint[]", "name, next", in: queue, by: "name")) AS new \
            WHERE queue.ctid = new.place
            """
        let rate = "\(schema).queue_rate"
        let columns = ("$1::bytea[], $2::bytea[], $3::bigint[]", "queue, key, next")
        raiseKeys = """
            UPDATE \(rate) SET next = greatest(queue_rate.next, new.next) \
            FROM \(ListedRows.sql(columns.0, columns.1, in: rate, by: "queue", "key")) AS new \
            WHERE queue_rate.ctid = new.place
            """
    }

    // MARK: Configurations

    /// The number of changes of configurations.
    func version() throws(PostgresFailure) -> Int64 {
        try connection.run("SELECT number FROM \(schema).queue_version").integer(0, 0)
    }

    /// Counts a change of configurations, and returns the number.
    func raiseVersion() throws(PostgresFailure) -> Int64 {
        try connection.run("UPDATE \(schema).queue_version SET number = number + 1 RETURNING number")
            .integer(0, 0)
    }

    /// The queues that have a line, by leaps from one to the next.
    func lined() throws(PostgresFailure) -> [String] {
        func next(_ filter: String) -> String {
            """
            SELECT line_queue FROM \(schema).ticket WHERE lined_at IS NOT NULL\(filter) ORDER BY line_queue LIMIT 1
            """
        }
        let rows = try connection.run(
            LeapQuery.sql(first: next(""), next: next(" AND line_queue > leap.value")))
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    /// Makes the rows of queues that have none.
    func make(_ names: [String]) throws(PostgresFailure) {
        if names.isEmpty { return }
        try connection.later(
            "INSERT INTO \(schema).queue SELECT unnest($1::bytea[]), 0 ON CONFLICT DO NOTHING",
            [.raws(names.sorted())])
    }

    /// The jobs of a queue that run and do not count against its limits yet. No claim is open, so none is added.
    func uncounted(in queue: String) throws(PostgresFailure) -> [JobID] {
        try connection.run(
            """
            SELECT ticket.id FROM \(schema).ticket JOIN \(schema).job ON job.id = ticket.id \
            WHERE ticket.owner IS NOT NULL AND ticket.line_queue IS NULL AND job.queue = $1 ORDER BY ticket.id
            """, [.raw(queue)]
        ).ids()
    }

    /// Counts jobs that run, which are locked, against the limits of their queues.
    func count(_ ids: [JobID]) throws(PostgresFailure) {
        if ids.isEmpty { return }
        try connection.later(
            """
            UPDATE \(schema).ticket SET line_queue = job.queue, line_key = coalesce(job.queue_key, '') \
            FROM \(schema).job WHERE job.id = ticket.id AND ticket.id = ANY($1) AND ticket.owner IS NOT NULL
            """, [.ids(ids)])
    }

    /// Forgets the state of a queue's rate.
    func removeRate(of queue: String) throws(PostgresFailure) {
        try connection.later("UPDATE \(schema).queue SET rate = 0 WHERE name = $1", [.raw(queue)])
    }

    /// Forgets the states of the rates of a queue's keys.
    func removeKeyRates(of queue: String) throws(PostgresFailure) {
        try connection.later("DELETE FROM \(schema).queue_rate WHERE queue = $1", [.raw(queue)])
    }

    /// Removes up to `limit` states that hold nothing back any more.
    func removeOldRates(at now: Timestamp, limit: Int) throws(PostgresFailure) {
        try connection.later(
            """
            DELETE FROM \(schema).queue_rate WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(schema).queue_rate \
            WHERE next <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
            """, [.integer(RateState(over: now).next), .integer(Int64(limit))])
    }

    // MARK: Deciding

    /// The rows of queues, locked until the end of the transaction.
    /// - Parameter waits: whether to wait for other servers that decide about one of them, or to leave it out.
    func locked(_ names: [String], waits: Bool) throws(PostgresFailure) -> [Row] {
        if names.isEmpty { return [] }
        let rows = try connection.run(lock + (waits ? "" : " SKIP LOCKED"), [.raws(names.sorted())])
        return (0..<rows.count).map { row in
            let cursors = PairCoding.decode(rows.bytes(row, 2)).compactMap { pair in
                Int(pair.0).map { ($0, pair.1) }
            }
            return Row(
                name: rows.text(row, 0), rate: RateState(next: rows.integer(row, 1)),
                cursors: Dictionary(cursors) { first, _ in first })
        }
    }

    /// The jobs that run, counted by queue and key.
    func running(in names: [String]) throws(PostgresFailure) -> [Running] {
        if names.isEmpty { return [] }
        let rows = try connection.run(running, [.raws(names)])
        return (0..<rows.count).map { row in
            Running(queue: rows.text(row, 0), key: rows.text(row, 1), count: Int(rows.integer(row, 2)))
        }
    }

    /// The priorities that jobs in the lines of queues have; queues without a line are left out.
    func priorities(of names: [String]) throws(PostgresFailure) -> [String: [Int]] {
        if names.isEmpty { return [:] }
        let rows = try connection.run(priorities, [.raws(names)])
        var found: [String: [Int]] = [:]
        for row in 0..<rows.count {
            found[rows.text(row, 0), default: []].append(Int(rows.integer(row, 1)))
        }
        return found
    }

    /// Up to `limit` keys of jobs in a line, in their order, by leaps from one to the next.
    /// - Parameter first: the first bytes of the first key.
    func keys(
        of queue: String, _ priority: Int, from first: [UInt8], limit: Int
    ) throws(PostgresFailure) -> [String] {
        let rows = try connection.run(
            keys, [.raw(queue), .integer(Int64(priority)), .bytes(first), .integer(Int64(limit))])
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    /// The first `limit` jobs of each of these keys, without those that did not start in time.
    func heads(
        of queue: String, _ priority: Int, keys: [String], limit: Int, now: Timestamp
    ) throws(PostgresFailure) -> [Head] {
        if keys.isEmpty { return [] }
        return Self.heads(
            try connection.run(
                heads,
                [
                    .raw(queue), .integer(Int64(priority)), .raws(keys), .integer(Int64(limit)), .time(now),
                ]))
    }

    /// The first `limit` jobs of a line behind a place, whatever their keys.
    func oldest(
        of queue: String, _ priority: Int, after place: QueuePlace?, limit: Int, now: Timestamp
    ) throws(PostgresFailure) -> [Head] {
        Self.heads(
            try connection.run(
                oldest,
                [
                    .raw(queue), .integer(Int64(priority)), .integer(place?.time.milliseconds ?? .min),
                    .integer(place?.number ?? .min), .time(now), .integer(Int64(limit)),
                ]))
    }

    private static func heads(_ rows: PostgresRows) -> [Head] {
        (0..<rows.count).map { row in
            Head(
                key: rows.text(row, 0), id: rows.id(row, 1),
                place: QueuePlace(
                    time: Timestamp(milliseconds: rows.integer(row, 2)), number: rows.integer(row, 3)))
        }
    }

    /// Those of these jobs that are in lines and no other transaction holds, locked, with the sizes of their specs and
    /// whether they have journals.
    func lock(_ ids: [JobID]) throws(PostgresFailure) -> [JobID: (spec: Int, hasJournal: Bool)] {
        if ids.isEmpty { return [:] }
        let rows = try connection.run(lockJobs, [.ids(ids)])
        var found: [JobID: (spec: Int, hasJournal: Bool)] = [:]
        for row in 0..<rows.count {
            found[rows.id(row, 0)] = (Int(rows.integer(row, 1)), rows.integer(row, 2) > 0)
        }
        return found
    }

    /// The states of the rates of keys.
    func rates(of queue: String, keys: [String]) throws(PostgresFailure) -> [ByteKey: RateState] {
        let rows = try connection.run(
            "SELECT key, next FROM \(schema).queue_rate WHERE queue = $1 AND key = ANY($2)",
            [.raw(queue), .raws(keys)])
        var found: [ByteKey: RateState] = [:]
        for row in 0..<rows.count {
            found[ByteKey(rows.text(row, 0))] = RateState(next: rows.integer(row, 1))
        }
        return found
    }

    /// Stores the rows of queues that are locked.
    func put(_ rows: [Row]) throws(PostgresFailure) {
        if rows.isEmpty { return }
        let cursors = rows.map { PairCoding.encode($0.cursors.map { (String($0.key), $0.value) }) }
        try connection.later(
            put, [.raws(rows.map(\.name)), .integers(rows.map(\.rate.next)), .blobs(cursors)])
    }

    /// Stores the states of the rates of keys.
    func put(_ rates: [(name: QueueGate.RateName, state: RateState)]) throws(PostgresFailure) {
        if rates.isEmpty { return }
        try connection.later(
            putRates,
            [
                .raws(rates.map(\.name.queue)), .raws(rates.map(\.name.key)),
                .integers(rates.map(\.state.next)),
            ])
    }

    /// Raises states of rates, of queues that exist, in a transaction that has changed nothing else.
    func raise(_ rates: [(name: QueueGate.RateName, state: RateState)]) throws(PostgresFailure) {
        // All servers lock the rows of queues first, in their order.
        _ = try locked(rates.map(\.name.queue), waits: true)
        let ofQueues = rates.filter { $0.name.key == nil }
        if !ofQueues.isEmpty {
            try connection.later(
                raiseQueues, [.raws(ofQueues.map(\.name.queue)), .integers(ofQueues.map(\.state.next))])
        }
        let ofKeys = rates.filter { $0.name.key != nil }
        if ofKeys.isEmpty { return }
        try connection.later(
            raiseKeys,
            [
                .raws(ofKeys.map(\.name.queue)), .raws(ofKeys.map(\.name.key)),
                .integers(ofKeys.map(\.state.next)),
            ])
    }

    /// The number of jobs in the line of a queue, counted up to `most`.
    func waiting(in queue: String, upTo most: Int) throws(PostgresFailure) -> Int {
        let rows = try connection.run(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(schema).ticket WHERE line_queue = $1 AND lined_at IS NOT NULL \
            LIMIT $2) AS waiting
            """, [.raw(queue), .integer(Int64(most))])
        return Int(rows.integer(0, 0))
    }

    // MARK: For people

    /// The lines of queues, with their lengths and first places.
    /// - Parameter queue: nil is all.
    func lines(
        of queue: String?
    ) throws(PostgresFailure) -> [(line: QueueGate.Line, count: Int, head: QueuePlace)] {
        let rows = try connection.run(
            """
            SELECT line_queue, priority, line_key, count(*), min(lined_at), min(number) FROM \(schema).ticket \
            WHERE lined_at IS NOT NULL\(queue == nil ? "" : " AND line_queue = $1") \
            GROUP BY line_queue, priority, line_key ORDER BY line_queue, priority, line_key
            """, queue.map { [.raw($0)] } ?? [])
        return (0..<rows.count).map { row in
            let key = rows.text(row, 2)
            let line = QueueGate.Line(
                queue: rows.text(row, 0), key: key.isEmpty ? nil : key, priority: Int(rows.integer(row, 1)))
            let head = QueuePlace(
                time: Timestamp(milliseconds: rows.integer(row, 4)), number: rows.integer(row, 5))
            return (line, Int(rows.integer(row, 3)), head)
        }
    }

    /// The states of rates that hold something back after `now`.
    func rates(
        after now: Timestamp
    ) throws(PostgresFailure) -> [(name: QueueGate.RateName, state: RateState)] {
        let rows = try connection.run(
            """
            SELECT queue, key, next FROM \(schema).queue_rate WHERE next > $1 UNION ALL \
            SELECT name, NULL, rate FROM \(schema).queue WHERE rate > $1
            """, [.integer(RateState(over: now).next)])
        return (0..<rows.count).map { row in
            let name = QueueGate.RateName(queue: rows.text(row, 0), key: rows.optionalText(row, 1))
            return (name, RateState(next: rows.integer(row, 2)))
        }
    }

    /// The number of jobs of a line before a place, counted up to 10,000.
    func count(of line: QueueGate.Line, before place: QueuePlace) throws(PostgresFailure) -> Int {
        let rows = try connection.run(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(schema).ticket WHERE line_queue = $1 AND priority = $2 \
            AND line_key = $3 AND lined_at IS NOT NULL AND (lined_at, number) < ($4, $5) LIMIT 10000) AS before
            """,
            [
                .raw(line.queue), .integer(Int64(line.priority)), .raw(line.key ?? ""), .time(place.time),
                .integer(place.number),
            ])
        return Int(rows.integer(0, 0))
    }
}
