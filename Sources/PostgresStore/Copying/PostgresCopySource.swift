package import JobKit
package import JobStore

/// A store in a PostgreSQL that a copy reads, as it is at one moment.
package final class PostgresCopySource: CopySource {
    package let name: String
    private let source: CopyConnection
    private let schema: String
    private let lastStart: Int64
    private var connection: PostgresConnection { source.connection }
    /// The parts of the jobs that are not read yet.
    private var places: [StoredJob.Place] = []
    private var table: PostgresCopyTable?
    /// The number of rows that the next step reads, by what the last ones took.
    private var step = 1

    /// - Throws: `.unavailable` when servers use the store, there is none, or it has another version.
    package init(
        _ connection: String, schema: String, options: PostgresOptions = PostgresOptions()
    ) throws(JobStoreError) {
        name = "the schema \(schema)"
        self.schema = schema
        let problem: JobStoreError?
        do throws(PostgresFailure) {
            source = try CopyConnection(connection, schema: schema, options: options)
            if let version = try source.version() {
                if version >= PostgresMigration.copying { throw .unfinishedCopy }
                let misfit = source.misfit(version)
                problem = misfit == nil ? try source.use() : misfit
            } else {
                problem = JobStoreError(.unavailable, "There is no store in the schema \(schema).")
            }
            lastStart = problem == nil ? try source.lastStart() : 0
            try source.connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        } catch {
            throw error.storeError(doing: "Reading the store failed")
        }
        if let problem { throw problem }
    }

    package func jobCount() throws(JobStoreError) -> Int {
        try reading { () throws(PostgresFailure) in
            Int(try connection.run("SELECT count(*) FROM \(schema).job").integer(0, 0))
        }
    }

    // MARK: Jobs

    /// Ended jobs first, in the order of their ids, by which they are found without sorting. Others in the order in
    /// which they run, which the copy keeps.
    package func beginJobs() throws(JobStoreError) {
        places = [.ended, .ticket]
        try reading { () throws(PostgresFailure) in try beginPlace() }
    }

    private func beginPlace() throws(PostgresFailure) {
        guard let place = places.first else { return }
        let result =
            place == .ended
            ? """
            has_result, ended.status, ended.content_type, ended.content_coding, ended.headers, ended.body, \
            ended.artifact, false
            """
            : """
            false, NULL, NULL, NULL, NULL, NULL, NULL, EXISTS (SELECT 1 FROM \(schema).wake WHERE wake.id = job.id \
            AND wake.key = convert_to('\(ExclusiveHold.wakeKey)', 'UTF8'))
            """
        try beginRows(
            """
            SELECT \(StoredJob.columns(from: place)), job.spec, job.metadata_at, \(result) FROM \(schema).\(place) \
            JOIN \(schema).job ON job.id = \(place).id ORDER BY \(place == .ended ? "ended.id" : "ticket.number")
            """)
    }

    package func nextJobs() throws(JobStoreError) -> [CopiedJob] {
        try reading { () throws(PostgresFailure) in
            while !places.isEmpty {
                let rows = try nextStep()
                var found: [CopiedJob] = []
                for row in 0..<rows.count { found.append(try Self.job(rows, row)) }
                if !found.isEmpty {
                    adapt(
                        to: found.count,
                        bytes: found.reduce(0) { $0 + $1.spec.count + ($1.result?.body.count ?? 0) })
                    return found
                }
                try endRows()
                places.removeFirst()
                try beginPlace()
            }
            return []
        }
    }

    private static func job(_ rows: PostgresRows, _ row: Int) throws(PostgresFailure) -> CopiedJob {
        let first = StoredJob.columnCount
        var result: OperationResult?
        if rows.integer(row, first + 2) != 0 {
            var found = OperationResult(
                status: rows.optionalInteger(row, first + 3).map { Int($0) },
                headers: PairCoding.decode(rows.bytes(row, first + 6)).map { .init(name: $0.0, value: $0.1) },
                contentType: rows.optionalText(row, first + 4), body: rows.bytes(row, first + 7))
            found.contentCoding = rows.optionalText(row, first + 5)
            found.artifact = rows.optionalText(row, first + 8).flatMap { ArtifactReference(encoded: $0) }
            result = found
        }
        return CopiedJob(
            try StoredJob(rows, row), spec: rows.bytes(row, first),
            metadataPlace: rows.optionalInteger(row, first + 1), result: result,
            journalEnd: rows.integer(row, StoredJob.journalEndColumn),
            waitsForKey: rows.integer(row, first + 9) != 0)
    }

    // MARK: Tables

    package func begin(_ table: StoredTable) throws(JobStoreError) {
        let table = PostgresCopyTable(table, schema: schema)
        self.table = table
        try reading { () throws(PostgresFailure) in try beginRows(table.select) }
    }

    package func nextRows() throws(JobStoreError) -> [[StoredValue]] {
        guard let table else { return [] }
        return try reading { () throws(PostgresFailure) in
            let rows = try nextStep()
            let found = (0..<rows.count).map { table.row(rows, $0) }
            if found.isEmpty {
                try endRows()
                self.table = nil
            } else {
                adapt(to: found.count, bytes: found.reduce(0) { $0 + $1.reduce(0) { $0 + $1.byteCount } })
            }
            return found
        }
    }

    package func contents(after sha256: String, limit: Int) throws(JobStoreError) -> [ArtifactReference] {
        try reading { () throws(PostgresFailure) in
            let rows = try connection.run(
                """
                SELECT sha256, bytes FROM \(schema).artifact WHERE sha256 > $1 \
                UNION SELECT sha256, bytes FROM \(schema).upload WHERE sha256 > $1 ORDER BY sha256 LIMIT $2
                """, [.text(sha256), .integer(Int64(limit))])
            return (0..<rows.count).map {
                ArtifactReference(sha256: rows.text($0, 0), bytes: Int(rows.integer($0, 1)))
            }
        }
    }

    package func end() throws(JobStoreError) {
        let problem = try reading { () throws(PostgresFailure) -> JobStoreError? in
            try connection.run("COMMIT")
            if let use = try source.use() { return use }
            return try source.lastStart() == lastStart
                ? nil
                : JobStoreError(
                    .unavailable,
                    "A server was started on the schema \(schema) during the copy. Stop it, and copy again with --restart."
                )
        }
        if let problem { throw problem }
    }

    // MARK: Steps

    private static let stepMax = 100
    private static let stepBytes = 4 << 20

    private func beginRows(_ sql: String) throws(PostgresFailure) {
        step = 16
        try connection.run("DECLARE copied NO SCROLL CURSOR FOR \(sql)")
    }

    private func nextStep() throws(PostgresFailure) -> PostgresRows {
        try connection.run("FETCH FORWARD \(step) FROM copied")
    }

    private func endRows() throws(PostgresFailure) { try connection.run("CLOSE copied") }

    private func adapt(to count: Int, bytes: Int) {
        step = max(1, min(Self.stepMax, step * 2, Self.stepBytes * count / max(1, bytes)))
    }

    private func reading<Value>(_ body: () throws(PostgresFailure) -> Value) throws(JobStoreError) -> Value {
        do throws(PostgresFailure) { return try body() } catch {
            throw error.storeError(doing: "Reading the store failed")
        }
    }
}
