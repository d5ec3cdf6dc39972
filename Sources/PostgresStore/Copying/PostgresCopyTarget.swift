package import JobKit
package import JobStore

/// A schema in a PostgreSQL that becomes a copy. Meanwhile its version is one that no server opens.
package final class PostgresCopyTarget: CopyTarget {
    private let target: CopyConnection
    private let schema: String
    private let jobs: JobTable
    private var counts = JobCounts()
    private var lastStart: Int64 = 0
    private var connection: PostgresConnection { target.connection }

    /// The tables with one row from the start.
    static let singletons = ["meta", "tally", "audit_end", "queue_version", "epoch", "counted"]

    package var keepsKeyLines: Bool { true }

    /// - Throws: `.unavailable` when PostgreSQL does not answer.
    package init(
        _ connection: String, schema: String, options: PostgresOptions = PostgresOptions()
    ) throws(JobStoreError) {
        self.schema = schema
        do throws(PostgresFailure) {
            target = try CopyConnection(connection, schema: schema, options: options)
        } catch {
            throw error.storeError(doing: "Writing the copy failed")
        }
        jobs = JobTable(target.connection)
    }

    package func begin(anew: Bool) throws(JobStoreError) {
        let problem = try writing { () throws(PostgresFailure) -> JobStoreError? in
            let version = try target.version()
            if version == nil { try PostgresMigration.run(on: connection) }
            let isUnfinished = version == PostgresMigration.copying + PostgresMigration.newest
            if isUnfinished {
                if !anew { throw .unfinishedCopy }
            } else if let version, version >= PostgresMigration.copying {
                return JobStoreError(
                    .unavailable,
                    "Another version of this program left an unfinished copy in the schema \(schema). Remove it with "
                        + "DROP SCHEMA \(schema) CASCADE, and copy again.")
            } else if let version, let misfit = target.misfit(version) {
                return misfit
            }
            if let use = try target.use() { return use }
            return try connection.transaction { (connection) throws(PostgresFailure) in
                // Servers that start look at the same row.
                _ = try PostgresMigration.version(on: connection, locks: true)
                if isUnfinished { try empty() }
                if let full = try firstNonEmpty() {
                    return JobStoreError(
                        .unavailable,
                        "There is a store in the schema \(schema) that is not empty (\(full)). Nothing is overwritten: "
                            + "choose another one with --schema.")
                }
                lastStart = try target.lastStart()
                try connection.run(
                    "UPDATE \(schema).meta SET format = $1",
                    [.integer(PostgresMigration.copying + PostgresMigration.newest)])
                return nil
            }
        }
        if let problem { throw problem }
    }

    private func empty() throws(PostgresFailure) {
        let rows = try connection.run(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = $1", [.text(schema)])
        let names = (0..<rows.count).map { rows.text($0, 0) }.filter { !Self.singletons.contains($0) }
        let tables = names.map { "\(schema).\"\($0)\"" }.joined(separator: ", ")
        try connection.run("TRUNCATE \(tables)")
    }

    private func firstNonEmpty() throws(PostgresFailure) -> String? {
        for name in ["job"] + StoredTable.all.map(\.name) {
            let rows = try connection.run("SELECT EXISTS (SELECT 1 FROM \(schema).\(name))")
            if rows.integer(0, 0) != 0 { return name }
        }
        return nil
    }

    package func add(_ jobs: [CopiedJob]) throws(JobStoreError) {
        let news = jobs.map { copied in
            var new = NewJob(record: copied.job.record, spec: copied.spec)
            new.metadataPlace = copied.metadataPlace
            return (stored: copied.job, new: new)
        }
        let tickets = jobs.filter { !$0.job.record.state.isFinal }.map { copied in
            var row = JobRow(job: copied.job, journalEnd: copied.journalEnd, place: nil)
            row.isLimited = copied.job.isInLine
            return row
        }
        let ends = jobs.filter { $0.job.record.state.isFinal }.map { copied in
            EndRow(job: copied.job, journalEnd: copied.journalEnd, journal: nil, result: copied.result)
        }
        try transaction { () throws(PostgresFailure) in
            try self.jobs.insert(news)
            try self.jobs.insert(tickets: tickets)
            try self.jobs.insert(ended: ends)
        }
        for copied in jobs { counts.add(1, to: copied.job.record.state) }
    }

    package func add(_ rows: [[StoredValue]], to table: StoredTable) throws(JobStoreError) {
        let table = PostgresCopyTable(table, schema: schema)
        try transaction { () throws(PostgresFailure) in try connection.run(table.insert, table.values(rows)) }
    }

    package func note(_ contents: [ArtifactReference]) throws(JobStoreError) {
        try transaction { () throws(PostgresFailure) in
            try connection.run(
                """
                INSERT INTO \(schema).content SELECT unnest($1::text[]), false, \
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint ON CONFLICT DO NOTHING
                """, [.texts(contents.map(\.sha256))])
        }
    }

    package func jobCount() throws(JobStoreError) -> Int {
        try writing { () throws(PostgresFailure) in
            Int(
                try connection.run(
                    """
                    SELECT least((SELECT count(*) FROM \(schema).job), (SELECT count(*) FROM \(schema).ticket) \
                    + (SELECT count(*) FROM \(schema).ended))
                    """
                ).integer(0, 0))
        }
    }

    package func count(of table: StoredTable) throws(JobStoreError) -> Int {
        try writing { () throws(PostgresFailure) in
            Int(try connection.run(PostgresCopyTable(table, schema: schema).count).integer(0, 0))
        }
    }

    package func finish() throws(JobStoreError) {
        let isAlone = try writing { () throws(PostgresFailure) in
            var tally: [UInt8] = []
            counts.append(to: &tally)
            return try connection.transaction { (connection) throws(PostgresFailure) in
                guard try target.lastStart() == lastStart else { return false }
                try connection.run("UPDATE \(schema).tally SET counts = $1", [.bytes(tally)])
                try connection.run(
                    "UPDATE \(schema).audit_end SET number = coalesce((SELECT max(number) FROM \(schema).audit), 0)"
                )
                try connection.run(
                    "INSERT INTO \(schema).queue SELECT name, 0 FROM \(schema).setting WHERE kind = $1",
                    [.integer(SettingKind.queue.rawValue)])
                try connection.run(
                    """
                    UPDATE \(schema).queue SET rate = queue_rate.next FROM \(schema).queue_rate \
                    WHERE queue_rate.queue = queue.name AND queue_rate.key = ''
                    """)
                try connection.run("DELETE FROM \(schema).queue_rate WHERE key = ''")
                try connection.run(
                    "UPDATE \(schema).meta SET format = $1", [.integer(PostgresMigration.newest)])
                return true
            }
        }
        guard isAlone else {
            throw JobStoreError(
                .unavailable,
                "A server was started on the schema \(schema) during the copy. Stop it, and copy again with --restart."
            )
        }
        // Without statistics PostgreSQL takes the tables for empty.
        _ = try? writing { () throws(PostgresFailure) in
            for name in ["job", "ticket", "ended", "label"] + StoredTable.all.map(\.name) {
                try connection.run("ANALYZE \(schema).\(name)")
            }
        }
    }

    private func transaction(_ body: () throws(PostgresFailure) -> Void) throws(JobStoreError) {
        try writing { () throws(PostgresFailure) in
            try connection.transaction { _ throws(PostgresFailure) in try body() }
        }
    }

    private func writing<Value>(_ body: () throws(PostgresFailure) -> Value) throws(JobStoreError) -> Value {
        do throws(PostgresFailure) { return try body() } catch {
            throw error.storeError(doing: "Writing the copy failed")
        }
    }
}
