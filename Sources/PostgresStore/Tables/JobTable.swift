import JobJournal
import JobKit
import JobSpec
import JobStore

/// A job as it is stored, with what only this engine knows about it.
struct JobRow {
    var job: StoredJob
    /// The number of the last entry of its journal.
    var journalEnd: Int64
    /// The table that holds what changes about it; nil for one that is new.
    var place: StoredJob.Place?
}

/// The end of a job with what comes with it.
struct EndRow {
    var job: StoredJob
    var journalEnd: Int64
    /// The whole journal, when it is stored with the end.
    var journal: [UInt8]?
    var result: OperationResult?
}

/// The rows of jobs. Each statement reads or writes many of them.
struct JobTable {
    private let connection: PostgresConnection
    private let lockTickets, lockEnded, exist, readTickets, readEnded, specs: String
    private let insertJobs, insertTickets, updateTickets, insertEnded, insertLabels: String
    private let schema: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
        lockTickets = StoredJob.selection(in: schema, from: .ticket, locks: true)
        lockEnded = StoredJob.selection(in: schema, from: .ended, locks: true)
        readTickets = StoredJob.selection(in: schema, from: .ticket, locks: false)
        readEnded = StoredJob.selection(in: schema, from: .ended, locks: false)
        exist = "SELECT id FROM \(schema).job WHERE id = ANY($1)"
        specs = "SELECT id, spec FROM \(schema).job WHERE id = ANY($1)"
        insertJobs = """
            INSERT INTO \(schema).job SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], \
            $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bytea[], \
            $12::bytea[], $13::bytea[], $14::bigint[], $15::bytea[]) ON CONFLICT (id) DO NOTHING
            """
        let columns = """
            unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
            $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], \
            $14::bytea[], $15::bigint[], $16::bigint[], $17::bigint[])
            """
        insertTickets = "INSERT INTO \(schema).ticket SELECT * FROM \(columns)"
        updateTickets = """
            UPDATE \(schema).ticket SET state = new.state, revision = new.revision, fence = new.fence, \
            attempt = new.attempt, run_at = new.run_at, started_at = new.started_at, expires_at = new.expires_at, \
            due_at = new.due_at, ready_at = new.ready_at, owner = new.owner, detail = new.detail, \
            posts = new.posts, flags = new.flags, journal_end = new.journal_end FROM \(columns) AS new (id, number, \
            priority, state, revision, fence, attempt, run_at, started_at, expires_at, due_at, ready_at, owner, \
            detail, posts, flags, journal_end) WHERE ticket.id = new.id AND ticket.id = ANY($1)
            """
        insertEnded = """
            INSERT INTO \(schema).ended SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], \
            $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[], \
            $12::bigint[], $13::bigint[], $14::bigint[], $15::bytea[], $16::boolean[], $17::bigint[], $18::bytea[], \
            $19::bytea[], $20::bytea[], $21::bytea[], $22::bytea[])
            """
        insertLabels = """
            INSERT INTO \(schema).label SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::uuid[]) \
            ON CONFLICT DO NOTHING
            """
    }

    // MARK: Reading

    /// The jobs with these ids, locked until the end of the transaction; those that do not exist are left out.
    func locked(_ ids: [JobID]) throws(PostgresFailure) -> [JobRow] {
        var missing = ids
        var found: [JobRow] = []
        // A job that ends or is retried meanwhile moves from one table to the other.
        while !missing.isEmpty {
            for (sql, place) in [(lockTickets, StoredJob.Place.ticket), (lockEnded, .ended)] {
                if missing.isEmpty { break }
                let rows = try rows(sql, missing, place)
                found += rows
                let ids = Set(rows.map(\.job.record.id))
                missing.removeAll(where: ids.contains)
            }
            if !missing.isEmpty { missing = try connection.run(exist, [.ids(missing)]).ids() }
        }
        return found
    }

    /// The jobs with these ids as they are now.
    func read(_ ids: [JobID]) throws(PostgresFailure) -> [JobRow] {
        var missing = ids
        var found: [JobRow] = []
        for _ in 0..<3 {
            for (sql, place) in [(readTickets, StoredJob.Place.ticket), (readEnded, .ended)] {
                if missing.isEmpty { return found }
                let rows = try rows(sql, missing, place)
                found += rows
                let ids = Set(rows.map(\.job.record.id))
                missing.removeAll(where: ids.contains)
            }
            if !missing.isEmpty { missing = try connection.run(exist, [.ids(missing)]).ids() }
        }
        return found
    }

    private func rows(
        _ sql: String, _ ids: [JobID], _ place: StoredJob.Place
    ) throws(PostgresFailure) -> [JobRow] {
        let rows = try connection.run(sql, [.ids(ids)])
        var found: [JobRow] = []
        for row in 0..<rows.count {
            found.append(
                JobRow(
                    job: try StoredJob(rows, row),
                    journalEnd: rows.integer(row, StoredJob.journalEndColumn), place: place))
        }
        return found
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

    /// Inserts the facts of new jobs; returns whether none of their ids was taken.
    func insert(_ jobs: [(stored: StoredJob, new: NewJob)]) throws(PostgresFailure) -> Bool {
        guard !jobs.isEmpty else { return true }
        let news = jobs.map(\.new)
        let more: [PostgresValue] = [
            .blobs(
                news.map {
                    $0.metadataPlace != nil || $0.record.metadata.isEmpty ? nil : $0.record.metadata
                }),
            .integers(
                news.map { $0.metadataPlace.map { Int64($0.lowerBound) << 32 | Int64($0.count) } }),
            .blobs(news.map(\.spec)),
        ]
        let made = try connection.run(insertJobs, jobs.map(\.stored).factColumns + more)
        let labels = jobs.flatMap { job in job.stored.record.labels.map { ($0, job.stored.record.id) } }
        if !labels.isEmpty {
            try connection.run(
                insertLabels,
                [.raws(labels.map(\.0.key)), .raws(labels.map(\.0.value)), .ids(labels.map(\.1))])
        }
        return made.changed == jobs.count
    }

    func insert(tickets jobs: [JobRow]) throws(PostgresFailure) {
        guard !jobs.isEmpty else { return }
        try connection.run(insertTickets, jobs.map(\.job).ticketColumns + [.integers(jobs.map(\.journalEnd))])
    }

    func update(tickets jobs: [JobRow]) throws(PostgresFailure) {
        guard !jobs.isEmpty else { return }
        let made = try connection.run(
            updateTickets, jobs.map(\.job).ticketColumns + [.integers(jobs.map(\.journalEnd))])
        guard made.changed == jobs.count else { throw .lostRows("ticket", made.changed, of: jobs.count) }
    }

    func insert(ended ends: [EndRow]) throws(PostgresFailure) {
        guard !ends.isEmpty else { return }
        let results = ends.map(\.result)
        try connection.run(
            insertEnded,
            ends.map(\.job).endColumns + [
                .integers(ends.map(\.journalEnd)), .blobs(ends.map(\.journal)),
                .booleans(results.map { $0 != nil }), .integers(results.map { $0?.status.map { Int64($0) } }),
                .raws(results.map { $0?.contentType }), .raws(results.map { $0?.contentCoding }),
                .blobs(
                    results.map { result in
                        result.map { PairCoding.encode($0.headers.lazy.map { ($0.name, $0.value) }) }
                    }),
                .blobs(results.map { $0?.body }), .raws(results.map { $0?.artifact?.encoded }),
            ])
    }

    /// Deletes rows of jobs from one table.
    func delete(_ ids: [JobID], from table: String) throws(PostgresFailure) {
        guard !ids.isEmpty else { return }
        try connection.run("DELETE FROM \(schema).\(table) WHERE id = ANY($1)", [.ids(ids)])
    }

    /// Deletes the labels of erased jobs.
    func delete(labelsOf jobs: [StoredJob]) throws(PostgresFailure) {
        let labels = jobs.flatMap { job in job.record.labels.map { ($0, job.record.id) } }
        guard !labels.isEmpty else { return }
        try connection.run(
            """
            DELETE FROM \(schema).label USING unnest($1::bytea[], $2::bytea[], $3::uuid[]) AS old (key, value, id) \
            WHERE label.key = old.key AND label.value = old.value AND label.id = old.id
            """,
            [.raws(labels.map(\.0.key)), .raws(labels.map(\.0.value)), .ids(labels.map(\.1))])
    }
}

extension PostgresFailure {
    /// Rows that were locked are gone, which cannot be.
    static func lostRows(_ table: String, _ changed: Int, of count: Int) -> PostgresFailure {
        .damaged("\(changed) of \(count) rows of \(table) were changed")
    }
}
