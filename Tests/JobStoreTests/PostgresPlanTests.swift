import JobKit
import JobSpec
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A statement on PostgreSQL` {
    typealias Change = @Sendable (inout JobListQuery) -> Void

    /// A connection to a schema with empty tables, on which statements have the plans of the writer.
    private func connection() throws -> PostgresConnection {
        let server = try #require(PostgresServer.shared)
        let connection = try PostgresConnection(
            PostgresAddress(server.address, schema: PostgresServer.emptyStore()))
        try connection.favourIndexes()
        return connection
    }

    /// The scans of the plan that a prepared statement keeps, with their conditions.
    private func scans(_ sql: String, parameters: Int, on connection: PostgresConnection) throws -> [String] {
        try connection.execute("DEALLOCATE ALL; PREPARE planned AS \(sql)")
        let nulls = [String](repeating: "NULL", count: parameters).joined(separator: ", ")
        let rows = try connection.run(
            "EXPLAIN (COSTS OFF) EXECUTE planned\(parameters > 0 ? "(\(nulls))" : "")")
        return (0..<rows.count).map { rows.text($0, 0) }.filter {
            $0.contains("Scan") || $0.contains("Index Cond") || $0.contains("Sort")
        }
    }

    private func hasSeqScan(_ scans: [String]) -> Bool {
        scans.contains { line in
            line.contains("Seq Scan") && ["job", "ticket", "ended"].contains { line.hasSuffix(" on \($0)") }
        }
    }

    @Test func `that finds work walks one partial index and sorts nothing`() throws {
        let connection = try connection()
        let dispatch = DispatchTable(connection)
        for (sql, parameters, index) in [
            (dispatch.readyRows, 3, "ticket_ready"), (dispatch.dueRows, 3, "ticket_due"),
            (dispatch.turnRows, 4, "ticket_turn"), (dispatch.readyRow, 5, "ticket_turn"),
            (dispatch.nextRow, 3, "ticket_ready"), (dispatch.nextRow, 3, "ticket_due"),
            (dispatch.nextRow, 3, "ticket_wanted"), (dispatch.firstValues, 6, "ticket_wanted"),
            (dispatch.lapsedRows, 3, "ticket_expiry"), (dispatch.suspectRows, 0, "ticket_suspect"),
            (dispatch.purgeableRows, 3, "ended_purge"),
            (dispatch.firstValues, 6, "ticket_ready"), (dispatch.firstValues, 6, "ticket_due"),
            (dispatch.firstValues, 6, "ticket_expiry"), (dispatch.firstValues, 6, "ended_purge"),
            (dispatch.firstValues, 6, "idempotency_expiry"),
        ] {
            let scans = try scans(sql, parameters: parameters, on: connection)
            let place = try #require(scans.firstIndex { $0.contains("using \(index) ") }, "\(scans)")
            if index != "ticket_suspect" {
                #expect(scans[place + 1].contains(" >= "), "does not begin where work is: \(scans)")
            }
            #expect(!scans.contains { $0.contains("Sort") }, "\(scans)")
            #expect(!hasSeqScan(scans), "\(scans)")
        }
    }

    @Test func `that finds the tenants whose jobs are ready leaps from one to the next`() throws {
        let connection = try connection()
        let scans = try scans(DispatchTable(connection).tenantRows, parameters: 0, on: connection)
        #expect(scans.contains { $0.contains(" using ticket_turn ") }, "\(scans)")
        #expect(!hasSeqScan(scans) && !scans.contains { $0.contains("Sort") }, "\(scans)")
    }

    @Test func `that reads what other servers committed begins after what is known`() throws {
        let connection = try connection()
        let scans = try scans(LandedTable(connection).more, parameters: 4, on: connection)
        let place = try #require(scans.firstIndex { $0.contains("using landed_pkey ") }, "\(scans)")
        #expect(scans[place + 1].contains("number > "), "\(scans)")
    }

    @Test func `that folds receipts begins after those that were folded`() throws {
        let connection = try connection()
        let landed = LandedTable(connection)
        for (sql, parameters) in [(landed.first, 2), (landed.takeOld, 3), (landed.removeServers, 3)] {
            let scans = try scans(sql, parameters: parameters, on: connection)
            let place = try #require(
                scans.firstIndex { $0.contains("using landed_pkey ") || $0.contains("landed_pkey on ") },
                "\(scans)")
            #expect(scans[place + 1].contains("number >= "), "\(scans)")
            #expect(!scans.contains { $0.contains("Seq Scan on landed") }, "\(scans)")
        }
    }

    @Test(arguments: [0, 1, 2, 8])
    func `that looks up a list does so by index among dead rows`(alive: Int) throws {
        let connection = try connection()
        let ticket = "\(connection.address.schema).ticket"
        let holder = try PostgresConnection(connection.address)
        try holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")
        try connection.execute(
            """
            INSERT INTO \(ticket) (id, number, priority, state, revision, fence, attempt, posts, flags, journal_end) \
            SELECT gen_random_uuid(), number, 5, 0, 1, 0, 0, 0, 0, 0 FROM generate_series(1, 60000) AS number; \
            DELETE FROM \(ticket) WHERE number > \(alive)
            """)
        try connection.execute("VACUUM ANALYZE \(ticket)")
        let jobs = JobTable(connection)
        for (sql, parameters) in [
            (jobs.updateTickets, 22), (jobs.updateLimited, 25), (jobs.lockCopies, 6), (jobs.deleteTickets, 5),
            (jobs.deleteAlike, 5),
            (jobs.lockTickets, 1), (jobs.readTickets, 1), (QueueTable(connection).lockJobs, 1),
        ] {
            let scans = try scans(sql, parameters: parameters, on: connection)
            #expect(scans.contains { $0.contains("Index Cond: (id = ") }, "\(scans)")
            #expect(scans.filter { $0.contains("using ticket_pkey") }.count == 1, "\(scans)")
        }
        try holder.execute("ROLLBACK")
    }

    /// Statements that look up rows in tables that are often empty: with the values of a row that has `number`, and the
    /// index with its condition.
    private static func lookups(_ connection: PostgresConnection) -> [(
        table: String, values: String, index: String, sql: String, parameters: Int
    )] {
        let id = "('00000000-0000-0000-0000-' || lpad(number::text, 12, '0'))::uuid"
        let queues = QueueTable(connection)
        return [
            ("journal", "\(id), 1, ''", "journal_pkey id", JournalTable(connection).runRows, 2),
            ("label", "'', '', \(id)", "label_pkey key", JobTable(connection).deleteLabels, 3),
            (
                "stats", "1, 1, number::text::bytea, number, false, ''", "stats_ step",
                StatsTable(connection).read, 4
            ),
            ("queue", "number::text::bytea, 0, NULL", "queue_pkey name", queues.put, 3),
            ("queue", "number::text::bytea, 0, NULL", "queue_pkey name", queues.raiseQueues, 2),
            ("queue_rate", "'', number::text::bytea, 0", "queue_rate_pkey queue", queues.raiseKeys, 3),
            ("callback", "\(id), number, 0", "callback_pkey id", DispatchTable(connection).purgeableRows, 3),
            (
                "waiter", "\(id), number::text::bytea, 0, false", "waiter_line key",
                LineTable(connection).clear, 1
            ),
        ]
    }

    @Test(arguments: [0, 1, 2, 8], 0..<8)
    func `that looks up rows of a table that was full does so by index`(alive: Int, _ lookup: Int) throws {
        let connection = try connection()
        let (name, values, index, sql, parameters) = Self.lookups(connection)[lookup]
        let table = "\(connection.address.schema).\(name)"
        let holder = try PostgresConnection(connection.address)
        try holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")
        try connection.execute(
            "INSERT INTO \(table) SELECT \(values) FROM generate_series(1, 60000) AS number")
        try connection.execute(
            "DELETE FROM \(table) WHERE ctid <> ALL(ARRAY(SELECT ctid FROM \(table) LIMIT \(alive)))")
        try connection.execute("VACUUM ANALYZE \(table)")
        let scans = try scans(sql, parameters: parameters, on: connection)
        let words = index.split(separator: " ")
        let places = scans.indices.filter { scans[$0].contains(" using \(words[0])") }
        let conditions = places.map { scans.dropFirst($0 + 1).first ?? "" }
        #expect(
            conditions.count == 1 && conditions[0].contains("Index Cond: ")
                && conditions[0].contains("(\(words[1]) = "), "\(scans)")
        try holder.execute("ROLLBACK")
    }

    @Test func `that finds the jobs of lost servers passes over those of the others`() throws {
        let connection = try connection()
        let scans = try scans(
            LeaseTable(connection, usesDatabaseClock: true).isOver, parameters: 2, on: connection)
        let ranges = scans.indices.filter { scans[$0].contains("using ticket_owner ") }.map { scans[$0 + 1] }
        #expect(ranges.count == 2 && ranges.allSatisfy { $0.contains("owner >") }, "\(scans)")
        #expect(!hasSeqScan(scans), "\(scans)")
    }

    @Test func `that loads or writes jobs looks up their ids`() throws {
        let connection = try connection()
        let jobs = JobTable(connection)
        for (sql, parameters) in [
            (JournalTable(connection).runRows, 2), (JournalTable(connection).runSizes, 2),
            (jobs.endedSizes, 2),
            (jobs.lockTickets, 1), (jobs.lockEnded, 1), (jobs.readTickets, 1), (jobs.readEnded, 1),
            (jobs.exist, 1), (jobs.specs, 1), (jobs.updateTickets, 22), (jobs.deleteTickets, 5),
        ] {
            let scans = try scans(sql, parameters: parameters, on: connection)
            #expect(scans.contains { $0.contains("_pkey") }, "\(scans)")
            #expect(!hasSeqScan(scans), "\(scans)")
        }
    }

    @Test func `that decides about a queue walks its line alone`() throws {
        let connection = try connection()
        let queues = QueueTable(connection)
        for (sql, parameters, index) in [
            (queues.keys, 4, "ticket_line"), (queues.heads, 5, "ticket_line"),
            (queues.oldest, 6, "ticket_age"), (queues.running, 1, "ticket_slot"),
            (queues.priorities, 1, "ticket_line"),
        ] {
            let scans = try scans(sql, parameters: parameters, on: connection)
            let isFound = scans.contains { $0.contains("using \(index) ") }
            #expect(
                isFound || index == "ticket_line" && scans.contains { $0.contains("using ticket_age ") },
                "\(scans)")
            #expect(index == "ticket_slot" || !scans.contains { $0.contains("Sort") }, "\(scans)")
            #expect(!hasSeqScan(scans), "\(scans)")
        }
    }

    /// Each filter with the index that leads.
    private static let cases: [(Change, PageQuery.Lead, [String])] = [
        ({ _ in }, .everything, ["job_pkey"]),
        ({ $0.name = "n" }, .name, ["job_name", "job_type"]),
        ({ $0.namePrefix = "imp" }, .namePrefix, ["job_name", "job_type"]),
        ({ $0.queueKey = "c" }, .key, ["job_key"]),
        ({ $0.errorCode = "http.status" }, .error, ["ended_error"]),
        ({ $0.queue = "q" }, .queue, ["job_queue"]),
        ({ $0.queue = "default" }, .everything, ["job_pkey"]),
        ({ $0.type = "group" }, .type, ["job_type"]),
        ({ $0.states = [.failed] }, .state, ["ended_odd"]),
        ({ $0.states = [.running] }, .state, ["ticket_pkey"]),
        ({ $0.ids = JobID(high: 1, low: 0)...JobID(high: 2, low: 0) }, .everything, ["job_pkey"]),
        ({ $0.labels = [.init(key: "a", value: "b")] }, .label(0), ["label_pkey"]),
        ({ $0.isByFinish = true }, .finish, ["ended_finish"]),
        (
            {
                $0.isByFinish = true
                $0.states = [.failed]
            }, .finish, ["ended_odd_finish"]
        ),
        ({ $0.waitKind = .signal }, .wait, ["ticket_wait"]),
        ({ $0.waitKind = .time }, .wait, ["ticket_wait"]),
        ({ $0.origins = ["https://a.example", "http://a.example"] }, .origin, ["wake_pkey"]),
    ]

    @Test func `that finds what jobs wait for leaps from one set of kinds to the next`() throws {
        let connection = try connection()
        let scans = try scans(
            PageQuery.waits(in: connection.address.schema), parameters: 0, on: connection)
        #expect(scans.contains { $0.contains(" using ticket_wait ") }, "\(scans)")
        #expect(!hasSeqScan(scans), "\(scans)")
    }

    @Test(arguments: cases.indices, [true, false])
    func `that finds a page walks the index of its filter`(_ number: Int, _ isFirst: Bool) throws {
        let connection = try connection()
        let (change, lead, indexes) = Self.cases[number]
        var query = JobListQuery()
        change(&query)
        #expect(PageQuery.leads(for: query).first == lead)
        if !isFirst {
            query.after = .made(at: .noon(9))
            query.afterFinish = query.isByFinish ? .noon(9) : nil
        }
        for isCount in [false, true] {
            var page = PageQuery(
                query, by: lead, schema: connection.address.schema, most: 1_050, names: ["imports"],
                types: ["import"], waits: [.signal, [.signal, .time]])
            let sql = isCount ? page.grouping(by: [.state, .queue]) : page.sql()
            let scans = try scans(sql, parameters: page.values.count, on: connection)
            for index in indexes where !isCount {
                #expect(scans.contains { $0.contains(" using \(index) ") }, "\(scans)")
            }
            #expect(!hasSeqScan(scans), "\(scans)")
        }
    }
}
