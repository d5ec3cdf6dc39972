import JobJournal
import JobKit
import JobSpec
import JobStore

/// The rows of jobs. Each statement reads or writes many of them.
struct JobTable {
    private let connection: PostgresConnection
    let deleteAlike, lockTickets, lockEnded, lockCopies, exist, readTickets, readEnded, specs,
        endedSizes: String
    let updateTickets, updateLimited, deleteTickets, deleteLabels: String
    private let insertLabels: String
    private let insertJobs, insertTickets, insertFurther, insertEnded: RowInsertion
    private let schema: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        self.schema = schema
        lockTickets = StoredJob.selection(in: schema, from: .ticket, locks: true)
        lockEnded = StoredJob.selection(in: schema, from: .ended, locks: true)
        readTickets = StoredJob.selection(in: schema, from: .ticket, locks: false)
        readEnded = StoredJob.selection(in: schema, from: .ended, locks: false)
        exist = "SELECT id FROM \(schema).job WHERE id = ANY($1)"
        specs = "SELECT id, spec FROM \(schema).job WHERE id = ANY($1)"
        endedSizes = SizeWalk.endedJobs(in: schema)
        insertJobs = Self.jobInsertion(schema)
        (insertTickets, insertFurther) = Self.ticketInsertions(schema)
        insertEnded = Self.endedInsertion(schema)
        let ticket = "\(schema).ticket"
        let columns = """
            $1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], \
            $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::bytea[], \
            $15::bigint[], $16::bigint[], $17::bigint[]
            """
        let lineColumns = "$18::bigint[], $19::bytea[], $20::bytea[], $21::bigint[]"
        updateTickets = Self.update(
            ticket, "\(columns), $18::bigint[]", ", wait_kinds", ", wait_kinds = new.wait_kinds", from: 19)
        // Another server may have made a running job count against limits since this one read it.
        updateLimited = Self.update(
            ticket, "\(columns), \(lineColumns)", ", lined_at, line_queue, line_key, wait_kinds",
            """
            , lined_at = new.lined_at, line_queue = coalesce(new.line_queue, ticket.line_queue), \
            line_key = coalesce(new.line_key, ticket.line_key), wait_kinds = new.wait_kinds
            """, from: 22)
        let versions = "$1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]"
        let versionNames = "id, old_revision, old_posts, old_fence, old_journal_end"
        lockCopies = """
            SELECT count(old_revision) = $6 FROM (SELECT new.old_revision FROM (SELECT * FROM \(ListedRows.sql(versions)) \
            AS given (\(versionNames)) ORDER BY id) AS new CROSS JOIN LATERAL (SELECT 1 FROM \(ticket) \
            WHERE ticket.id = new.id AND (new.old_revision IS NULL OR \(Self.isUnchanged)) FOR UPDATE) AS locked) AS held
            """
        let read = ListedRows.sql(versions, versionNames, in: ticket, by: "id")
        deleteTickets = """
            WITH changed AS (DELETE FROM \(ticket) USING \(read) AS new WHERE ticket.ctid = new.place \
            AND \(Self.isUnchanged) RETURNING 1) SELECT \(Self.isComplete) FROM changed
            """
        deleteAlike = """
            WITH changed AS (DELETE FROM \(ticket) \
            USING \(ListedRows.sql("$1::uuid[]", "id", in: ticket, by: "id")) AS new WHERE ticket.ctid = new.place \
            AND ticket.revision = $2 AND ticket.posts = $3 AND ticket.fence = $4 AND ticket.journal_end = $5 \
            RETURNING 1) SELECT \(Self.isComplete) FROM changed
            """
        let label = "\(schema).label"
        let lists = "$1::bytea[], $2::bytea[], $3::uuid[]"
        deleteLabels = """
            DELETE FROM \(label) USING \
            \(ListedRows.sql(lists, "key, value, id", in: label, by: "key", "value", "id")) AS old \
            WHERE label.ctid = old.place
            """
        insertLabels = "INSERT INTO \(label) SELECT * FROM unnest(\(lists)) ON CONFLICT DO NOTHING"
    }

    /// Whether a ticket is as it was read.
    private static let isUnchanged = """
        ticket.revision = new.old_revision AND ticket.posts = new.old_posts \
        AND ticket.fence = new.old_fence AND ticket.journal_end = new.old_journal_end
        """
    /// Whether all that were listed were changed.
    private static let isComplete = "count(*) = cardinality($1)"

    private static func update(
        _ ticket: String, _ columns: String, _ names: String, _ further: String, from first: Int
    ) -> String {
        let old = (first...first + 3).map { "$\($0)::bigint[]" }.joined(separator: ", ")
        let new = ListedRows.sql(
            "\(columns), \(old)",
            """
            id, number, priority, state, revision, fence, attempt, run_at, started_at, expires_at, due_at, ready_at, \
            owner, detail, posts, flags, journal_end\(names), old_revision, old_posts, old_fence, old_journal_end
            """, in: ticket, by: "id")
        return """
            WITH changed AS (UPDATE \(ticket) SET state = new.state, revision = new.revision, \
            fence = new.fence, attempt = new.attempt, run_at = new.run_at, started_at = new.started_at, \
            expires_at = new.expires_at, due_at = new.due_at, ready_at = new.ready_at, owner = new.owner, \
            detail = new.detail, posts = new.posts, flags = new.flags, journal_end = new.journal_end\(further) \
            FROM \(new) AS new WHERE ticket.ctid = new.place AND \(Self.isUnchanged) RETURNING 1) \
            SELECT \(Self.isComplete) FROM changed
            """
    }

    private static func types(_ kinds: (String, Int)...) -> [String] {
        kinds.flatMap { Array(repeating: $0.0, count: $0.1) }
    }

    /// In bundles: priority and limits, the names of the kind of job, and columns that are empty for most jobs.
    private static func jobInsertion(_ schema: String) -> RowInsertion {
        RowInsertion(
            into: "\(schema).job",
            types(("uuid", 1), ("bigint", 6), ("bytea", 6), ("bigint", 1), ("bytea", 2), ("bigint", 2)),
            bundles: [[2, 3, 5, 6], [7, 8, 9], [10, 11, 12, 15, 16, 17]])
    }

    /// Without and with the place of the job in the line of its queue, the kinds of its waits and its tenant. In
    /// bundles: columns that new jobs in one state share, and their times.
    private static func ticketInsertions(_ schema: String) -> (RowInsertion, RowInsertion) {
        let kinds = types(("uuid", 1), ("bigint", 11), ("text", 1), ("bytea", 1), ("bigint", 3))
        let line = types(("bigint", 1), ("bytea", 2), ("bigint", 1), ("bytea", 1))
        let bundles = [[2, 3, 4, 5, 6, 7, 9, 12, 13, 14, 15, 16], [8], [10], [11]]
        return (
            RowInsertion(into: "\(schema).ticket", kinds, bundles: bundles),
            RowInsertion(into: "\(schema).ticket", kinds + line, bundles: bundles)
        )
    }

    /// In bundles: the numbers of the run, and the kind of its outcome.
    private static func endedInsertion(_ schema: String) -> RowInsertion {
        RowInsertion(
            into: "\(schema).ended",
            types(
                ("uuid", 1), ("bigint", 9), ("bytea", 1), ("bigint", 3), ("bytea", 1), ("boolean", 1),
                ("bigint", 1), ("bytea", 9), ("bigint", 1)),
            bundles: [[1, 2, 3, 4, 5, 8, 11, 12, 13], [16, 17, 18, 21, 22, 23, 24, 25, 26]])
    }

    // MARK: Reading

    /// The jobs with these ids, locked until the end of the transaction; those that do not exist are left out.
    /// - Parameter waits: whether to wait for other servers.
    /// - Returns: the jobs, and those that another server holds.
    func locked(_ ids: [JobID], waits: Bool) throws(PostgresFailure) -> (rows: [JobRow], held: [JobID]) {
        var missing = ids
        var found: [JobRow] = []
        // A job that ends or is retried meanwhile moves from one table to the other.
        repeat {
            for (sql, place) in [(lockTickets, StoredJob.Place.ticket), (lockEnded, .ended)] {
                if missing.isEmpty { break }
                let rows = try rows(waits ? sql : sql + " SKIP LOCKED", missing, place)
                found += rows
                let ids = Set(rows.map { $0.job.record.id })
                missing.removeAll(where: ids.contains)
            }
            if !missing.isEmpty { missing = try connection.run(exist, [.ids(missing)]).ids() }
        } while waits && !missing.isEmpty
        return (found, missing)
    }

    /// Locks the tickets of copies, and of other jobs, in the order of their ids. Fails later when a copy is stale.
    func lock(copies: [JobRow], with others: [JobID]) throws(PostgresFailure) {
        let none = [Int64?](repeating: nil, count: others.count)
        func list(_ part: KeyPath<JobRow.Version, Int64>) -> PostgresValue {
            .integers(copies.map { $0.version[keyPath: part] } + none)
        }
        try connection.later(
            lockCopies,
            [
                .ids(copies.map { $0.job.record.id } + others), list(\.revision), list(\.posts),
                list(\.fence),
                list(\.journalEnd), .integer(Int64(copies.count)),
            ], or: .rowChanged)
    }

    /// The jobs with these ids as they are now.
    func read(_ ids: [JobID]) throws(PostgresFailure) -> [JobRow] {
        var missing = ids
        var found: [JobID: JobRow] = [:]
        for _ in 0..<3 {
            if missing.isEmpty { break }
            let answers = try connection.run([(readTickets, [.ids(missing)]), (readEnded, [.ids(missing)])])
            // A job that ended in between is found in both, as it was and as it is.
            for row in try Self.rows(answers[0], .ticket) { found[row.job.record.id] = row }
            for row in try Self.rows(answers[1], .ended) { found[row.job.record.id] = row }
            missing.removeAll { found[$0] != nil }
            if !missing.isEmpty { missing = try connection.run(exist, [.ids(missing)]).ids() }
        }
        return ids.compactMap { found[$0] }
    }

    private func rows(
        _ sql: String, _ ids: [JobID], _ place: StoredJob.Place
    ) throws(PostgresFailure) -> [JobRow] {
        try Self.rows(try connection.run(sql, [.ids(ids)]), place)
    }

    /// The jobs in the answer to a statement that selects `StoredJob.columns(from: place)`.
    static func rows(_ rows: PostgresRows, _ place: StoredJob.Place) throws(PostgresFailure) -> [JobRow] {
        var found: [JobRow] = []
        for row in 0..<rows.count {
            var one = JobRow(
                job: try StoredJob(rows, row),
                journalEnd: rows.integer(row, StoredJob.journalEndColumn), place: place)
            if place == .ticket { one.specBytes = Int(rows.integer(row, StoredJob.specBytesColumn)) }
            found.append(one)
        }
        return found
    }

    /// Those of these jobs that have ended, locked until the end of the transaction.
    func ended(_ ids: [JobID]) throws(PostgresFailure) -> [JobRow] {
        ids.isEmpty ? [] : try rows(lockEnded, ids, .ended)
    }

    /// The sizes of jobs that have ended with all that they have, in this order until they are `max` together.
    func sizes(ofEnded ids: [JobID], max: Int) throws(PostgresFailure) -> [Int] {
        try SizeWalk.sizes(of: ids, max: max, endedSizes, connection)
    }

    /// The specs of jobs.
    func specs(of ids: [JobID]) throws(PostgresFailure) -> [JobID: [UInt8]] {
        guard !ids.isEmpty else { return [:] }
        let rows = try connection.run(specs, [.ids(ids)])
        var found: [JobID: [UInt8]] = [:]
        for row in 0..<rows.count { found[rows.id(row, 0)] = rows.bytes(row, 1) }
        return found
    }

    // MARK: Writing

    /// Inserts the facts of new jobs. Fails, also later, when one of their ids is taken.
    func insert(_ jobs: [(stored: StoredJob, new: NewJob)]) throws(PostgresFailure) {
        guard !jobs.isEmpty else { return }
        let news = jobs.map(\.new)
        let more: [PostgresValue] = [
            .blobs(
                news.map {
                    $0.metadataPlace != nil || $0.record.metadata.isEmpty ? nil : $0.record.metadata
                }),
            .integers(
                news.map { $0.metadataPlace.map { Int64($0.lowerBound) << 32 | Int64($0.count) } }),
            .blobs(news.map { $0.spec }), .raws(news.map { $0.record.queueKey }),
            .times(news.map { $0.record.startBy }), .times(news.map { $0.record.finishBy }),
        ]
        try insertJobs.run(on: connection, jobs.map(\.stored).factColumns + more)
        let labels = jobs.flatMap { job in job.stored.record.labels.map { ($0, job.stored.record.id) } }
        if !labels.isEmpty {
            try connection.later(
                insertLabels,
                [.raws(labels.map(\.0.key)), .raws(labels.map(\.0.value)), .ids(labels.map(\.1))])
        }
    }

    func insert(tickets jobs: [JobRow]) throws(PostgresFailure) {
        guard !jobs.isEmpty else { return }
        let values = jobs.map(\.job).ticketColumns + [.integers(jobs.map(\.journalEnd))]
        let waits = jobs.map(\.job.waitKinds)
        let hasMore = jobs.contains { $0.isLimited || Tenant.isOwner(of: $0.job.record.queue) }
        if hasMore || waits.contains(where: { $0 != nil }) {
            let further = [PostgresValue.integers(waits), .raws(jobs.map { $0.job.record.tenant?.prefix })]
            try insertFurther.run(on: connection, values + Self.lines(of: jobs) + further)
        } else {
            try insertTickets.run(on: connection, values)
        }
    }

    /// Finds out whether the tickets that were updated and deleted are as they were read.
    func awaitChecks() throws(PostgresFailure) { try connection.awaitChecks() }

    /// Updates tickets that are as they were read.
    /// - Parameter checks: whether another server may have changed one; then it fails later.
    func update(tickets jobs: [JobRow], checks: Bool) throws(PostgresFailure) {
        guard !jobs.isEmpty else { return }
        let values = jobs.map(\.job).ticketColumns + [.integers(jobs.map(\.journalEnd))]
        let failure = checks ? PostgresFailure.rowChanged : nil
        let rest = [.integers(jobs.map(\.job.waitKinds))] + Self.versions(of: jobs)
        if jobs.contains(where: { $0.isLimited || $0.wasInLine }) {
            try connection.later(updateLimited, values + Self.lines(of: jobs) + rest, or: failure)
        } else {
            try connection.later(updateTickets, values + rest, or: failure)
        }
    }

    private static func lines(of jobs: [JobRow]) -> [PostgresValue] {
        [
            .times(jobs.map { $0.job.isInLine ? $0.job.readyAt : nil }),
            .raws(jobs.map { $0.isLimited ? $0.job.record.queue : nil }),
            .raws(jobs.map { $0.isLimited ? $0.job.record.queueKey ?? "" : nil }),
        ]
    }

    /// Deletes tickets that are as they were read, of jobs that end. Fails like `update`.
    func delete(tickets jobs: [JobRow], checks: Bool) throws(PostgresFailure) {
        guard !jobs.isEmpty else { return }
        let versions = Self.versions(of: jobs)
        let common = versions.compactMap(\.common)
        let isAlike = common.count == versions.count
        try connection.later(
            isAlike ? deleteAlike : deleteTickets,
            [.ids(jobs.map { $0.job.record.id })] + (isAlike ? common : versions),
            or: checks ? .rowChanged : nil)
    }

    private static func versions(of jobs: [JobRow]) -> [PostgresValue] {
        [
            .integers(jobs.map(\.version.revision)), .integers(jobs.map(\.version.posts)),
            .integers(jobs.map(\.version.fence)), .integers(jobs.map(\.version.journalEnd)),
        ]
    }

    func insert(ended ends: [EndRow]) throws(PostgresFailure) {
        guard !ends.isEmpty else { return }
        let results = ends.map(\.result)
        let calls = ends.map { $0.job.record.state == .succeeded ? nil : $0.job.record.failedCall }
        func known(_ part: KeyPath<CallFacts, String>) -> PostgresValue {
            .raws(calls.map { $0.flatMap { $0[keyPath: part].isEmpty ? nil : $0[keyPath: part] } })
        }
        try insertEnded.run(
            on: connection,
            ends.map(\.job).endColumns + [
                .integers(ends.map(\.journalEnd)), .blobs(ends.map(\.journal)),
                .booleans(results.map { $0 != nil }), .integers(results.map { $0?.status.map { Int64($0) } }),
                .raws(results.map { $0?.contentType }), .raws(results.map { $0?.contentCoding }),
                .blobs(
                    results.map { result in
                        result.map { PairCoding.encode($0.headers.map { ($0.name, $0.value) }) }
                    }),
                .blobs(results.map { $0?.body }), .raws(results.map { $0?.artifact?.encoded }),
                .raws(ends.map { $0.job.record.endCode?.description }),
                known(\.host), known(\.method), known(\.url),
                .integers(calls.map { $0?.status.map { Int64($0) } }),
            ])
    }

    /// Deletes rows of jobs from one table.
    func delete(_ ids: [JobID], from table: String) throws(PostgresFailure) {
        guard !ids.isEmpty else { return }
        try connection.later("DELETE FROM \(schema).\(table) WHERE id = ANY($1)", [.ids(ids)])
    }

    /// Deletes the labels of erased jobs.
    func delete(labelsOf jobs: [StoredJob]) throws(PostgresFailure) {
        let labels = jobs.flatMap { job in job.record.labels.map { ($0, job.record.id) } }
        guard !labels.isEmpty else { return }
        try connection.run(
            deleteLabels,
            [.raws(labels.map(\.0.key)), .raws(labels.map(\.0.value)), .ids(labels.map(\.1))])
    }
}

extension PostgresFailure {
    /// Whether a new job has the id of another one.
    var isIDTaken: Bool { isConstraint && constraint == "job_pkey" }

    /// Another server holds a row that is locked first in their order.
    static let heldElsewhere = PostgresFailure(state: "JS008", message: "another server holds a job or a key")

    /// Another server changed a job of which this one had a copy.
    static let rowChanged = PostgresFailure(state: "JS006", message: "a job was changed elsewhere")

    /// Whether another server changed a job of which this one had a copy.
    var isRowChanged: Bool { state == Self.rowChanged.state }
}
