package import JobKit
package import JobStore

/// A data directory that a copy reads, locked meanwhile.
package final class SQLiteCopySource: CopySource {
    package let name: String
    private let path: String
    private let lock: DirectoryLock
    private let connection: SQLiteConnection
    private var jobs: SQLiteStatement?
    private var rows: (table: SQLiteCopyTable, statement: SQLiteStatement)?
    /// The place behind which ends are read that are not counted; nil when they are not read.
    private var uncounted: EndedScan.Place?

    /// - Throws: `.unavailable` when a server uses the directory, there is no store in it, or one of another version.
    package init(directory: String) throws(JobStoreError) {
        path = directory + "/jobs.db"
        name = directory
        let store: StoreAtRest
        do throws(JobStoreError) { store = try StoreAtRest(directory) } catch {
            throw error.isInUse ? .inUse(directory) : error
        }
        (lock, connection) = (store.lock, store.connection)
    }

    package func jobCount() throws(JobStoreError) -> Int {
        try reading { () throws(SQLiteFailure) in
            Int(try connection.number("SELECT coalesce(sum(jobs), 0) FROM (\(Tally.query))") ?? 0)
        }
    }

    /// The columns behind those of `StoredJob`.
    private static let further = """
        job.metadata_at, spec.bytes, result.number, result.status, result.content_type, result.headers, result.body, \
        result.artifact, result.content_coding, (SELECT max(place) & \(JournalPlace.sequenceMax) FROM journal \
        WHERE place BETWEEN job.number << \(JournalPlace.sequenceBits) \
        AND job.number << \(JournalPlace.sequenceBits) | \(JournalPlace.sequenceMax)), \
        EXISTS (SELECT 1 FROM wake WHERE wake.number = job.number AND wake.key = ?1)
        """

    package func beginJobs() throws(JobStoreError) {
        jobs = try reading { () throws(SQLiteFailure) in
            let statement = try connection.prepare(
                """
                SELECT \(StoredJob.columns), \(Self.further) FROM job LEFT JOIN spec ON spec.number = job.number \
                LEFT JOIN result ON result.number = job.number ORDER BY job.number
                """)
            statement.bind(1, ExclusiveHold.wakeKey)
            return statement
        }
    }

    package func nextJobs() throws(JobStoreError) -> [CopiedJob] {
        guard let jobs else { return [] }
        var batch = CopyBatch<CopiedJob>()
        var isOver = false
        try reading { () throws(SQLiteFailure) in
            while !batch.isFull {
                guard try jobs.step() else {
                    isOver = true
                    return
                }
                batch.add(try Self.job(jobs))
            }
        }
        if isOver { self.jobs = nil }
        return batch.items
    }

    private static func job(_ row: SQLiteStatement) throws(SQLiteFailure) -> CopiedJob {
        let first = Int32(StoredJob.read.count)
        var result: OperationResult?
        if !row.isNull(first + 2) {
            var found = OperationResult(
                status: row.optionalInteger(first + 3).map { Int($0) },
                headers: PairCoding.decode(row.bytes(first + 5)).map { .init(name: $0.0, value: $0.1) },
                contentType: row.optionalText(first + 4), body: row.bytes(first + 6))
            found.artifact = row.optionalText(first + 7).flatMap { ArtifactReference(encoded: $0) }
            found.contentCoding = row.optionalText(first + 8)
            result = found
        }
        return CopiedJob(
            try StoredJob(row: row), spec: row.bytes(first + 1), metadataPlace: row.optionalInteger(first),
            result: result, journalEnd: row.integer(first + 9), waitsForKey: row.integer(first + 10) != 0)
    }

    package func begin(_ table: StoredTable) throws(JobStoreError) {
        if table.name == "ending" {
            uncounted = try reading { () throws(SQLiteFailure) in try StatsTable.counted(connection) }
        }
        let table = SQLiteCopyTable(table)
        rows = (
            table,
            try reading { () throws(SQLiteFailure) in try connection.prepare(table.select) }
        )
    }

    /// The next ends that are not counted, beside those that are noted.
    private func nextEnds() throws(JobStoreError) -> [[StoredValue]] {
        guard let place = uncounted else { return [] }
        let ends = try reading { () throws(SQLiteFailure) in
            let last = Timestamp(milliseconds: .max)
            return try EndedScan(connection).ends(after: place, until: last, limit: 500).ends
        }
        uncounted = ends.last.map { EndedScan.Place(at: $0.at, id: $0.id) }
        return ends.isEmpty ? [] : [[.bytes(EndFacts.encoded(ends))]]
    }

    package func nextRows() throws(JobStoreError) -> [[StoredValue]] {
        guard let (table, statement) = rows else { return try nextEnds() }
        var batch = CopyBatch<[StoredValue]>()
        var isOver = false
        try reading { () throws(SQLiteFailure) in
            while !batch.isFull {
                guard try statement.step() else {
                    isOver = true
                    return
                }
                batch.add(statement.values(of: table.table.columns))
            }
        }
        if isOver { rows = nil }
        return batch.items.isEmpty ? try nextEnds() : batch.items
    }

    package func contents(after sha256: String, limit: Int) throws(JobStoreError) -> [ArtifactReference] {
        try reading { () throws(SQLiteFailure) in
            let rows = try connection.prepare(
                """
                SELECT sha256, bytes FROM artifact WHERE sha256 > ?1 \
                UNION SELECT sha256, bytes FROM upload WHERE sha256 > ?1 ORDER BY sha256 LIMIT ?2
                """)
            rows.bind(1, sha256)
            rows.bind(2, Int64(limit))
            var found: [ArtifactReference] = []
            while try rows.step() {
                found.append(ArtifactReference(sha256: rows.text(0), bytes: Int(rows.integer(1))))
            }
            return found
        }
    }

    /// The lock kept servers away.
    package func end() throws(JobStoreError) {}

    private func reading<Value>(_ body: () throws(SQLiteFailure) -> Value) throws(JobStoreError) -> Value {
        do throws(SQLiteFailure) { return try body() } catch {
            throw error.storeError(doing: "Reading the store failed", path: path)
        }
    }
}

extension JobStoreError {
    static func inUse(_ directory: String) -> JobStoreError {
        JobStoreError(
            .unavailable,
            "A server uses \(directory). Stop it first: only a store at rest is copied.")
    }
}
