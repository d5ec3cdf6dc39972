import JobKit
import JobStore

/// Finds work among the tickets. What is found is locked, and what others have locked is passed over.
struct DispatchTable {
    private let connection: PostgresConnection
    let readyRows, firstReady, dueRows, firstDue, nextRow, suspectRows, lapsedRows, purgeableRows: String

    /// When the first job with a due date and this priority falls due.
    struct FirstDue {
        let priority: Int64
        let at: Timestamp
    }

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        let notLapsed = "(expires_at IS NULL OR started_at IS NOT NULL OR expires_at > $1)"
        readyRows = """
            SELECT id FROM \(schema).ticket WHERE ready_at >= $3 AND \(notLapsed) \
            ORDER BY priority DESC, ready_at, number LIMIT $2 FOR UPDATE SKIP LOCKED
            """
        func first(_ wanted: String, _ column: String) -> String {
            """
            SELECT \(wanted) FROM generate_series(9, 0, -1) AS level (priority) CROSS JOIN LATERAL \
            (SELECT \(column) FROM \(schema).ticket WHERE \(column) IS NOT NULL AND ticket.priority = level.priority \
            ORDER BY \(column) LIMIT 1) AS first
            """
        }
        firstReady = first("min(first.ready_at)", "ready_at")
        firstDue = first("level.priority, first.due_at", "due_at")
        dueRows = """
            SELECT id FROM \(schema).ticket WHERE due_at IS NOT NULL AND priority = $3 AND due_at > $4 \
            AND due_at <= $1 AND \(notLapsed) ORDER BY due_at, number LIMIT $2 FOR UPDATE SKIP LOCKED
            """
        nextRow = """
            SELECT EXISTS (SELECT 1 FROM \(schema).ticket WHERE ready_at >= $1), \
            (\(first("min(first.due_at)", "due_at")))
            """
        suspectRows = """
            SELECT id FROM \(schema).ticket WHERE flags & 393216 = 131072 AND ready_at IS NULL AND owner IS NULL \
            AND state = \(JobState.queued.stored) ORDER BY number LIMIT 10000 FOR UPDATE SKIP LOCKED
            """
        lapsedRows = """
            SELECT id FROM \(schema).ticket WHERE expires_at IS NOT NULL AND started_at IS NULL AND expires_at <= $1 \
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
            """
        purgeableRows = """
            SELECT id FROM \(schema).ended WHERE purge_at <= $1 AND NOT EXISTS \
            (SELECT 1 FROM \(schema).callback WHERE callback.id = ended.id) ORDER BY purge_at LIMIT $2 \
            FOR UPDATE SKIP LOCKED
            """
    }

    private func ids(_ sql: String, _ time: Timestamp, _ limit: Int) throws(PostgresFailure) -> [JobID] {
        try connection.run(sql, [.time(time), .integer(Int64(limit))]).ids()
    }

    /// Jobs that may be claimed at once, since `start` or later, in the order of claims.
    func ready(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try connection.run(readyRows, [.time(now), .integer(Int64(limit)), .time(start)]).ids()
    }

    /// The time since which the first job may be claimed; nil when none may.
    func firstReadyAt() throws(PostgresFailure) -> Timestamp? { try connection.run(firstReady).time(0, 0) }

    /// The first due date of each priority that has one, the highest priority first.
    func firstDues() throws(PostgresFailure) -> [FirstDue] {
        let rows = try connection.run(firstDue)
        let found = (0..<rows.count).compactMap { row in
            rows.time(row, 1).map { FirstDue(priority: rows.integer(row, 0), at: $0) }
        }
        return found.sorted { $0.priority > $1.priority }
    }

    /// Jobs that fall due in a period, ordered by priority and then by due date.
    /// - Parameter firsts: the first due dates. A priority whose first job is due later costs no statement.
    func due(
        _ firsts: [FirstDue], after start: Timestamp?, until end: Timestamp, limit: Int
    ) throws(PostgresFailure) -> [JobID] {
        var found: [JobID] = []
        for first in firsts where first.at <= end && found.count < limit {
            let rows = try connection.run(
                dueRows,
                [
                    .time(end), .integer(Int64(limit - found.count)), .integer(first.priority),
                    .integer(start?.milliseconds ?? .min),
                ])
            found += rows.ids()
        }
        return found
    }

    /// Whether a job may be claimed at once, since `start` or later, and the due date of the first that has one.
    func next(since start: Timestamp) throws(PostgresFailure) -> (isReady: Bool, due: Timestamp?) {
        let rows = try connection.run(nextRow, [.time(start)])
        return (rows.integer(0, 0) != 0, rows.time(0, 1))
    }

    /// The jobs suspected of crashing the process, oldest first.
    func suspects() throws(PostgresFailure) -> [JobID] { try connection.run(suspectRows).ids() }

    /// Up to `limit` jobs that did not start in time.
    func lapsed(at now: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        limit <= 0 ? [] : try ids(lapsedRows, now, limit)
    }

    /// Up to `limit` jobs whose retention has ended and whose callbacks are stored.
    func purgeable(at now: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try ids(purgeableRows, now, limit)
    }
}
