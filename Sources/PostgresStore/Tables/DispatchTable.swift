import JobKit
import JobStore

/// Finds work among the jobs. What is found is locked, and what others have locked is passed over.
struct DispatchTable {
    private let connection: PostgresConnection
    let firstValues, readyRows, dueRows, nextRow, suspectRows, lapsedRows, purgeableRows: String

    /// Jobs that one claim may take, each kind in the order of claims.
    struct Claimable {
        /// Jobs that may begin at once.
        var ready: [JobRow]
        /// Jobs that have fallen due.
        var due: [JobRow]
        /// Jobs that fall due within the lead time.
        var ahead: [JobRow]
    }

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        let notLapsed =
            "(ticket.expires_at IS NULL OR ticket.started_at IS NOT NULL OR ticket.expires_at > $1)"
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
        func claimable(_ column: String, until end: String) -> String {
            """
            SELECT next.* FROM \(levels) (SELECT \(StoredJob.columns(from: .ticket)) FROM \(schema).ticket \
            JOIN \(schema).job ON job.id = ticket.id WHERE ticket.\(column) >= $3\(end) \
            AND ticket.priority = level.priority AND \(notLapsed) ORDER BY ticket.\(column), ticket.number LIMIT $2 \
            FOR UPDATE OF ticket SKIP LOCKED) AS next LIMIT $2
            """
        }
        readyRows = claimable("ready_at", until: "")
        dueRows = claimable("due_at", until: " AND ticket.due_at <= $1")
        nextRow = """
            SELECT EXISTS (\(first("1", "ready_at", since: "$1"))), \
            (\(first("min(first.due_at)", "due_at", since: "$2")))
            """
        suspectRows = """
            SELECT id FROM \(schema).ticket WHERE flags & 393216 = 131072 AND ready_at IS NULL AND owner IS NULL \
            AND state = \(JobState.queued.stored) ORDER BY number LIMIT 10000 FOR UPDATE SKIP LOCKED
            """
        lapsedRows = """
            SELECT \(StoredJob.columns(from: .ticket)) FROM \(schema).ticket JOIN \(schema).job ON job.id = ticket.id \
            WHERE ticket.started_at IS NULL AND ticket.expires_at >= $3 AND ticket.expires_at <= $1 \
            ORDER BY ticket.expires_at LIMIT $2 FOR UPDATE OF ticket SKIP LOCKED
            """
        purgeableRows = """
            SELECT \(StoredJob.columns(from: .ended)) FROM \(schema).ended JOIN \(schema).job ON job.id = ended.id \
            WHERE ended.purge_at >= $3 AND ended.purge_at <= $1 AND NOT EXISTS \
            (SELECT 1 FROM \(schema).callback WHERE callback.id = ended.id) ORDER BY ended.purge_at LIMIT $2 \
            FOR UPDATE OF ended SKIP LOCKED
            """
    }

    private static func values(_ time: Timestamp, since start: Timestamp, _ limit: Int) -> [PostgresValue] {
        [.time(time), .integer(Int64(limit)), .time(start)]
    }

    /// The first value of each order.
    /// - Parameter starts: where the scans begin.
    func firsts(since starts: ScanStarts) throws(PostgresFailure) -> ScanFirsts {
        let rows = try connection.run(firstValues, ScanOrder.allCases.map { .time(starts[$0]) })
        var firsts = ScanFirsts()
        for order in ScanOrder.allCases { firsts[order] = rows.time(0, order.rawValue) }
        return firsts
    }

    /// The jobs that a claim may take, in one round trip. Up to `limit` of each kind.
    func claimable(
        _ request: ClaimRequest, since starts: ScanStarts
    ) throws(PostgresFailure) -> Claimable {
        var statements = [
            (readyRows, Self.values(request.now, since: starts[.ready], request.limit)),
            (dueRows, Self.values(request.now, since: starts[.due], request.limit)),
        ]
        if request.aheadMax > 0 {
            let next = request.now.advanced(by: .milliseconds(1))
            let most = min(request.aheadMax, request.limit)
            statements.append((dueRows, Self.values(request.horizon, since: next, most)))
        }
        var found: [[JobRow]] = []
        for rows in try connection.run(statements) { found.append(try JobTable.rows(rows, .ticket)) }
        return Claimable(ready: found[0], due: found[1], ahead: found.count > 2 ? found[2] : [])
    }

    /// Jobs that may begin at once.
    func ready(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobRow] {
        try JobTable.rows(connection.run(readyRows, Self.values(now, since: start, limit)), .ticket)
    }

    /// Jobs that fall due in a period.
    func due(since start: Timestamp, until end: Timestamp, limit: Int) throws(PostgresFailure) -> [JobRow] {
        try JobTable.rows(connection.run(dueRows, Self.values(end, since: start, limit)), .ticket)
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
    func lapsed(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobRow] {
        try JobTable.rows(connection.run(lapsedRows, Self.values(now, since: start, limit)), .ticket)
    }

    /// Up to `limit` jobs whose retention has ended and whose callbacks are stored.
    func purgeable(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobRow]
    {
        try JobTable.rows(connection.run(purgeableRows, Self.values(now, since: start, limit)), .ended)
    }
}
