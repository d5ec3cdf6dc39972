import JobKit
import JobStore

/// Finds work among the tickets. What is found is locked, and what others have locked is passed over.
struct DispatchTable {
    private let connection: PostgresConnection
    let firstValues, readyRows, dueRows, firstDue, nextRow, suspectRows, lapsedRows, purgeableRows: String

    /// When the first job with a due date and this priority falls due.
    struct FirstDue {
        let priority: Int64
        let at: Timestamp
    }

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        let notLapsed = "(expires_at IS NULL OR started_at IS NOT NULL OR expires_at > $1)"
        // An index that begins with the priority is scanned for each one, so that each scan begins at the start.
        let levels = "generate_series(9, 0, -1) AS level (priority) CROSS JOIN LATERAL"
        func first(_ wanted: String, _ column: String, since start: String) -> String {
            """
            SELECT \(wanted) FROM \(levels) (SELECT \(column) FROM \(schema).ticket WHERE \(column) >= \(start) \
            AND ticket.priority = level.priority ORDER BY \(column) LIMIT 1) AS first
            """
        }
        func earliest(_ column: String, in table: String, where filter: String = "true", since start: String)
            -> String
        {
            """
            SELECT \(column) FROM \(schema).\(table) WHERE \(column) >= \(start) AND \(filter) ORDER BY \(column) LIMIT 1
            """
        }
        firstValues = """
            SELECT (\(first("min(first.ready_at)", "ready_at", since: "$1"))), \
            (\(first("min(first.due_at)", "due_at", since: "$2"))), \
            (\(earliest("expires_at", in: "ticket", where: "started_at IS NULL", since: "$3"))), \
            (\(earliest("purge_at", in: "ended", since: "$4"))), \
            (\(earliest("expires_at", in: "idempotency", since: "$5")))
            """
        readyRows = """
            SELECT next.id FROM \(levels) (SELECT id FROM \(schema).ticket WHERE ready_at >= $3 \
            AND ticket.priority = level.priority AND \(notLapsed) \
            ORDER BY ready_at, number LIMIT $2 FOR UPDATE SKIP LOCKED) AS next LIMIT $2
            """
        firstDue = first("level.priority, first.due_at", "due_at", since: "$1")
        dueRows = """
            SELECT id FROM \(schema).ticket WHERE due_at IS NOT NULL AND priority = $3 AND due_at >= $4 \
            AND due_at <= $1 AND \(notLapsed) ORDER BY due_at, number LIMIT $2 FOR UPDATE SKIP LOCKED
            """
        nextRow = """
            SELECT EXISTS (\(first("1", "ready_at", since: "$1"))), \
            (\(first("min(first.due_at)", "due_at", since: "$2")))
            """
        suspectRows = """
            SELECT id FROM \(schema).ticket WHERE flags & 393216 = 131072 AND ready_at IS NULL AND owner IS NULL \
            AND state = \(JobState.queued.stored) ORDER BY number LIMIT 10000 FOR UPDATE SKIP LOCKED
            """
        lapsedRows = """
            SELECT id FROM \(schema).ticket WHERE started_at IS NULL AND expires_at >= $3 AND expires_at <= $1 \
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
            """
        purgeableRows = """
            SELECT id FROM \(schema).ended WHERE purge_at >= $3 AND purge_at <= $1 AND NOT EXISTS \
            (SELECT 1 FROM \(schema).callback WHERE callback.id = ended.id) ORDER BY purge_at LIMIT $2 \
            FOR UPDATE SKIP LOCKED
            """
    }

    private func ids(
        _ sql: String, _ time: Timestamp, since start: Timestamp, _ limit: Int
    ) throws(PostgresFailure) -> [JobID] {
        limit <= 0 ? [] : try connection.run(sql, [.time(time), .integer(Int64(limit)), .time(start)]).ids()
    }

    /// The first value of each order.
    /// - Parameter starts: where the scans begin.
    func firsts(since starts: ScanStarts) throws(PostgresFailure) -> ScanFirsts {
        let rows = try connection.run(firstValues, ScanOrder.allCases.map { .time(starts[$0]) })
        var firsts = ScanFirsts()
        for order in ScanOrder.allCases { firsts[order] = rows.time(0, order.rawValue) }
        return firsts
    }

    /// Jobs that may be claimed at once, since `start` or later, in the order of claims.
    func ready(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try ids(readyRows, now, since: start, limit)
    }

    /// The first due date since `start` of each priority that has one, the highest priority first.
    func firstDues(since start: Timestamp) throws(PostgresFailure) -> [FirstDue] {
        let rows = try connection.run(firstDue, [.time(start)])
        let found = (0..<rows.count).compactMap { row in
            rows.time(row, 1).map { FirstDue(priority: rows.integer(row, 0), at: $0) }
        }
        return found.sorted { $0.priority > $1.priority }
    }

    /// Jobs that fall due in a period, ordered by priority and then by due date.
    /// - Parameter firsts: the first due dates. A priority whose first job is due later costs no statement.
    func due(
        _ firsts: [FirstDue], since start: Timestamp, until end: Timestamp, limit: Int
    ) throws(PostgresFailure) -> [JobID] {
        var found: [JobID] = []
        for first in firsts where first.at <= end && found.count < limit {
            let rows = try connection.run(
                dueRows,
                [.time(end), .integer(Int64(limit - found.count)), .integer(first.priority), .time(start)])
            found += rows.ids()
        }
        return found
    }

    /// Whether a job may be claimed at once, and the due date of the first that has one, as far as scans from these
    /// starts find any.
    func next(since starts: ScanStarts) throws(PostgresFailure) -> (isReady: Bool, due: Timestamp?) {
        let rows = try connection.run(nextRow, [.time(starts[.ready]), .time(starts[.due])])
        return (rows.integer(0, 0) != 0, rows.time(0, 1))
    }

    /// The jobs suspected of crashing the process, oldest first.
    func suspects() throws(PostgresFailure) -> [JobID] { try connection.run(suspectRows).ids() }

    /// Up to `limit` jobs that did not start in time.
    func lapsed(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try ids(lapsedRows, now, since: start, limit)
    }

    /// Up to `limit` jobs whose retention has ended and whose callbacks are stored.
    func purgeable(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try ids(purgeableRows, now, since: start, limit)
    }
}
