import JobKit
import JobStore

/// Finds work among the jobs. What is found is locked, and what others have locked is passed over.
struct DispatchTable {
    private let connection: PostgresConnection
    let firstValues, readyRows, turnRows, dueRows, nextRow, tenantRows, readyRow, suspectRows, lapsedRows,
        purgeableRows: String

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
        func first(
            _ wanted: String, _ column: String, where filter: String = "true", since start: String
        ) -> String {
            """
            SELECT \(wanted) FROM \(levels) (SELECT \(column) FROM \(schema).ticket WHERE \(column) >= \(start) \
            AND \(filter) AND ticket.priority = level.priority ORDER BY \(column) LIMIT 1) AS first
            """
        }
        func earliest(_ column: String, in table: String, where filter: String = "true", since start: String)
            -> String
        {
            """
            SELECT \(column) FROM \(schema).\(table) WHERE \(column) >= \(start) AND \(filter) ORDER BY \(column) LIMIT 1
            """
        }
        let (hasNone, hasOne) = ("tenant IS NULL", "tenant IS NOT NULL")
        firstValues = """
            SELECT (\(first("min(first.ready_at)", "ready_at", where: hasNone, since: "$1"))), \
            (\(first("min(first.due_at)", "due_at", since: "$2"))), \
            (\(earliest("expires_at", in: "ticket", where: "started_at IS NULL", since: "$3"))), \
            (\(earliest("purge_at", in: "ended", since: "$4"))), \
            (\(earliest("expires_at", in: "idempotency", since: "$5"))), \
            (\(earliest("ready_at", in: "ticket", where: hasOne, since: "$6")))
            """
        func claimable(_ column: String, _ filter: String) -> String {
            """
            SELECT next.* FROM \(levels) (SELECT \(StoredJob.columns(from: .ticket)), \(Self.spec) FROM \(schema).ticket \
            JOIN \(schema).job ON job.id = ticket.id WHERE ticket.\(column) >= $3 AND \(filter) \
            AND ticket.priority = level.priority AND \(notLapsed) ORDER BY ticket.\(column), ticket.number LIMIT $2 \
            FOR UPDATE OF ticket SKIP LOCKED) AS next LIMIT $2
            """
        }
        readyRows = claimable("ready_at", "ticket.tenant IS NULL")
        turnRows = """
            SELECT own.* FROM unnest($4::bytea[]) AS turn (tenant) CROSS JOIN LATERAL \
            (\(claimable("ready_at", "ticket.tenant = turn.tenant"))) AS own
            """
        dueRows = claimable("due_at", "ticket.due_at <= $1")
        nextRow = """
            SELECT EXISTS (\(first("1", "ready_at", where: hasNone, since: "$1"))), \
            (\(first("min(first.due_at)", "due_at", since: "$2"))), \
            EXISTS (\(earliest("ready_at", in: "ticket", where: hasOne, since: "$3")))
            """
        readyRow = Self.readyRow(in: schema, levels, notLapsed)
        tenantRows = Self.tenantRows(in: schema)
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
            SELECT ended.id FROM \(schema).ended WHERE ended.purge_at >= $3 AND ended.purge_at <= $1 AND NOT EXISTS \
            (SELECT 1 FROM \(schema).callback WHERE callback.id = ended.id OFFSET 0) ORDER BY ended.purge_at LIMIT $2 \
            FOR UPDATE OF ended SKIP LOCKED
            """
    }

    /// A short spec, in the column behind those of its job: a claim needs no round trip to read it. A claim finds up to
    /// 256 jobs of each kind, with 1 MiB of specs.
    private static let spec = "CASE WHEN octet_length(job.spec) <= 4096 THEN job.spec END"

    /// The jobs in the answer to a statement that finds claimable ones.
    private static func rows(_ answer: PostgresRows) throws(PostgresFailure) -> [JobRow] {
        var jobs = try JobTable.rows(answer, .ticket)
        for row in jobs.indices where !answer.isNull(row, StoredJob.columnCount) {
            jobs[row].spec = answer.bytes(row, StoredJob.columnCount)
        }
        return jobs
    }

    /// Whether jobs of tenants are ready.
    private static func readyRow(in schema: String, _ levels: String, _ notLapsed: String) -> String {
        func isReady(_ filter: String, since start: String) -> String {
            """
            SELECT 1 FROM \(levels) (SELECT 1 FROM \(schema).ticket WHERE ready_at >= \(start) AND \(filter) \
            AND ticket.priority = level.priority AND \(notLapsed) LIMIT 1) AS first
            """
        }
        return """
            SELECT EXISTS (SELECT 1 FROM unnest($4::bytea[]) AS turn (tenant) CROSS JOIN LATERAL \
            (\(isReady("ticket.tenant = turn.tenant", since: "$3"))) AS own) \
            OR ($5::bigint = 1 AND EXISTS (\(isReady("ticket.tenant IS NULL", since: "$2"))))
            """
    }

    /// The tenants of which a job is ready, by leaps from one to the next.
    private static func tenantRows(in schema: String) -> String {
        func tenant(_ filter: String) -> String {
            "SELECT tenant FROM \(schema).ticket WHERE ready_at IS NOT NULL AND \(filter) ORDER BY tenant LIMIT 1"
        }
        return LeapQuery.sql(first: tenant("tenant IS NOT NULL"), next: tenant("tenant > leap.value"))
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

    /// The jobs that a claim may take, in one round trip: up to `limit` of each kind, of those that are ready together.
    /// - Parameter names: the prefixes of the tenants whose jobs take turns.
    func claimable(
        _ request: ClaimRequest, of names: [String], since starts: ScanStarts
    ) throws(PostgresFailure) -> Claimable {
        let share = TenantTurns.share(of: request.limit, among: names.count)
        let ready = readyStatements(at: request.now, of: names, since: starts, limit: share)
        var statements =
            ready + [(dueRows, Self.values(request.now, since: starts[.due], request.limit))]
        if request.aheadMax > 0 {
            let next = request.now.advanced(by: .milliseconds(1))
            let most = min(request.aheadMax, request.limit)
            statements.append((dueRows, Self.values(request.horizon, since: next, most)))
        }
        var found: [[JobRow]] = []
        for rows in try connection.run(statements) { found.append(try Self.rows(rows)) }
        let rest = found[ready.count...].dropFirst()
        return Claimable(
            ready: Array(found[..<ready.count].joined()), due: found[ready.count], ahead: rest.first ?? [])
    }

    /// Jobs that may begin at once, of each of these tenants so many.
    func ready(
        at now: Timestamp, of names: [String], since starts: ScanStarts, limit: Int
    ) throws(PostgresFailure) -> [JobRow] {
        var found: [JobRow] = []
        let statements = readyStatements(at: now, of: names, since: starts, limit: limit)
        for rows in try connection.run(statements) { found += try Self.rows(rows) }
        return found
    }

    private func readyStatements(
        at now: Timestamp, of names: [String], since starts: ScanStarts, limit: Int
    ) -> [(String, [PostgresValue])] {
        let tenants = names.filter { !$0.isEmpty }
        var statements: [(String, [PostgresValue])] = []
        if tenants.count < names.count {
            statements.append((readyRows, Self.values(now, since: starts[.ready], limit)))
        }
        if !tenants.isEmpty {
            statements.append((turnRows, Self.values(now, since: starts[.turn], limit) + [.raws(tenants)]))
        }
        return statements
    }

    /// The tenants that have a job in no line that is ready.
    func tenants() throws(PostgresFailure) -> [Tenant] {
        let rows = try connection.run(tenantRows)
        return (0..<rows.count).compactMap { Tenant(ofStored: rows.text($0, 0)) }
    }

    /// Whether a job of one of these tenants is ready, as far as scans from these starts find one. Locked ones count.
    func hasReady(
        of names: [String], since starts: ScanStarts, at now: Timestamp
    ) throws(PostgresFailure) -> Bool {
        let tenants = names.filter { !$0.isEmpty }
        let values: [PostgresValue] = [
            .time(now), .time(starts[.ready]), .time(starts[.turn]), .raws(tenants),
            .integer(tenants.count < names.count ? 1 : 0),
        ]
        return try connection.run(readyRow, values).integer(0, 0) != 0
    }

    /// Jobs that fall due in a period.
    func due(since start: Timestamp, until end: Timestamp, limit: Int) throws(PostgresFailure) -> [JobRow] {
        try Self.rows(connection.run(dueRows, Self.values(end, since: start, limit)))
    }

    /// Whether a job without a tenant, and one of a tenant, may be claimed at once, and the due date of the first that
    /// has one, as far as scans from these starts find any.
    func next(
        since starts: ScanStarts
    ) throws(PostgresFailure) -> (isReady: Bool, due: Timestamp?, hasTenants: Bool) {
        let rows = try connection.run(
            nextRow, [.time(starts[.ready]), .time(starts[.due]), .time(starts[.turn])])
        return (rows.integer(0, 0) != 0, rows.time(0, 1), rows.integer(0, 2) != 0)
    }

    /// The jobs suspected of crashing the process, oldest first.
    func suspects() throws(PostgresFailure) -> [JobID] { try connection.run(suspectRows).ids() }

    /// Up to `limit` jobs that did not start in time.
    func lapsed(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobRow] {
        try JobTable.rows(connection.run(lapsedRows, Self.values(now, since: start, limit)), .ticket)
    }

    /// Up to `limit` jobs whose retention has ended and whose callbacks are stored, locked.
    func purgeable(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try connection.run(purgeableRows, Self.values(now, since: start, limit)).ids()
    }
}
