import Foundation
import JobKit
import JobSpec
@testable import JobStore
@testable import PostgresStore
@testable import SQLiteStore
import ScratchPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A copy of a store` {
    /// The tables and columns that no `StoredTable` has, with the reason. A new table or column belongs into
    /// `StoredTable`, or here.
    private static let elsewhere = [
        // Both
        "job": "CopiedJob", "label": "made of the labels of jobs", "tally": "counted anew",
        "counted": "made of the ends, which are in ending", "ending.number": "of one store",
        // SQLite
        "spec": "CopiedJob", "result": "CopiedJob", "suspect": "made of the flags of jobs",
        "probe": "of one server", "sqlite_sequence": "made of the numbers",
        "uniqueness.number": "CopiedJob", "validator.number": "taken along",
        "delivery.number": "made of the id",
        // PostgreSQL
        "ticket": "CopiedJob", "ended": "CopiedJob", "meta": "of the schema", "server": "of living servers",
        "lease": "of living servers", "landed": "counted anew", "line": "made when it is needed",
        "keyline": "jobs in it are woken and ask again", "content": "noted with the artifacts",
        "audit_end": "made of the audit", "queue": "made of settings and rates",
        "queue_version": "of living servers",
        "epoch": "of living servers", "waiter.number": "that of the job",
        "callback.number": "that of the job",
    ]

    /// The columns of jobs, by table.
    private static let ofJobs: [String: Set<String>] = [
        // In `StoredJob.stored`, and what is made of the detail.
        "sqlite job": Set(
            StoredJob.stored + [
                "error_code", "wait_kinds", "call_host", "call_method", "call_url", "call_status",
            ]),
        "sqlite spec": ["number", "bytes"],
        "sqlite result": [
            "number", "status", "content_type", "headers", "body", "artifact", "content_coding",
        ],
        "postgres job": [
            "id", "number", "priority", "attempts_max", "created_at", "keep_succeeded", "keep_failed", "name",
            "type", "queue", "idempotency_key", "labels", "metadata", "metadata_at", "spec", "queue_key",
            "start_by", "finish_by",
        ],
        "postgres ticket": [
            "id", "number", "priority", "state", "revision", "fence", "attempt", "run_at", "started_at",
            "expires_at", "due_at", "ready_at", "owner", "detail", "posts", "flags", "journal_end",
            "lined_at",
            "line_queue", "line_key", "wait_kinds", "tenant",
        ],
        "postgres ended": [
            "id", "state", "revision", "fence", "attempt", "run_at", "started_at", "finished_at",
            "expires_at",
            "purge_at", "detail", "posts", "flags", "journal_end", "journal", "has_result", "status",
            "content_type", "content_coding", "headers", "body", "artifact", "error_code",
            "call_host", "call_method", "call_url", "call_status",
        ],
    ]

    @Test func `takes along every table and column of both engines`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { _ in }
            let sqlite = try SQLiteConnection(
                path: directory + "/jobs.db", mode: .readOnly, fileAccess: "unix-excl")
            var columns: [String: Set<String>] = [:]
            let rows = try sqlite.prepare(
                """
                SELECT home.name, each.name FROM sqlite_schema AS home JOIN pragma_table_info(home.name) AS each \
                WHERE home.type = 'table'
                """)
            while try rows.step() { columns[rows.text(0), default: []].insert(rows.text(1)) }
            check(columns, "sqlite") {
                SQLiteCopyTable.names[$0.name] ?? $0.name
            } columns: { table in
                switch table.name {
                case "journal": ["place", "bytes"]
                case "summary": ["number", "place", "bytes"]
                case "idempotency": ["key", "number", "fingerprint", "expires_at"]
                default:
                    table.columns.map { column in
                        let name = "\(table.name).\(column.name)"
                        return StoredTable.references.contains(name)
                            ? "number" : SQLiteCopyTable.names[name] ?? column.name
                    }
                }
            }
        }
        let address = try PostgresAddress(
            #require(PostgresServer.shared).address, schema: PostgresServer.freshSchema())
        let postgres = try PostgresConnection(address)
        try PostgresMigration.run(on: postgres)
        let rows = try postgres.run(
            "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = $1",
            [.text(address.schema)])
        var columns: [String: Set<String>] = [:]
        for row in 0..<rows.count { columns[rows.text(row, 0), default: []].insert(rows.text(row, 1)) }
        check(columns, "postgres", \.name) { $0.columns.map(\.name) }
        #expect(Set(PostgresCopyTarget.singletons).isSubset(of: columns.keys))
    }

    private func check(
        _ found: [String: Set<String>], _ engine: String, _ name: (StoredTable) -> String,
        columns: (StoredTable) -> [String]
    ) {
        for (table, found) in found {
            if let known = Self.ofJobs["\(engine) \(table)"] {
                #expect(found == known, "a copy does not take along columns of \(engine)'s \(table)")
            } else if Self.elsewhere[table] == nil {
                guard let copied = StoredTable.all.first(where: { name($0) == table }) else {
                    Issue.record("a copy does not take along \(engine)'s \(table)")
                    continue
                }
                let rest = found.subtracting(columns(copied)).filter {
                    Self.elsewhere["\(table).\($0)"] == nil
                }
                #expect(rest.isEmpty, "a copy does not take along columns of \(engine)'s \(table)")
            }
        }
        for table in StoredTable.all { #expect(found[name(table)] != nil, "\(engine) has no \(table.name)") }
    }

    @Test(arguments: [Engine.postgres, .pooled].filter(Engine.allCases.contains))
    func `has every value of every row, there and back`(_ engine: Engine) async throws {
        try await withDirectory { directory in
            let first = try SQLiteCopyTarget(directory: directory)
            try first.begin(anew: false)
            let jobs = [job(1, .succeeded), job(2, .running), job(3, .waiting), job(4, .failed)]
            try first.add(jobs)
            let rows = StoredTable.all.map { table in
                jobs.enumerated().map { number, job in row(of: table, number + 1, job.job) }
            }
            for (table, rows) in zip(StoredTable.all, rows) { try first.add(rows, to: table) }
            try first.finish()

            let address = engine == .pooled ? Pooler.shared?.address : PostgresServer.shared?.address
            let (server, schema) = (try #require(address), PostgresServer.freshSchema())
            var options = PostgresOptions()
            options.preparesStatements = engine == .postgres
            let other = directory + "-back"
            defer { try? FileManager.default.removeItem(atPath: other) }
            try copy(
                SQLiteCopySource(directory: directory),
                PostgresCopyTarget(server, schema: schema, options: options))
            try copy(
                PostgresCopySource(server, schema: schema, options: options),
                SQLiteCopyTarget(directory: other))
            let last = try SQLiteCopySource(directory: other)
            for (table, rows) in zip(StoredTable.all, rows) {
                try last.begin(table)
                #expect(Set(try last.nextRows()) == Set(rows), "of \(table.name)")
                #expect(try last.nextRows().isEmpty)
            }
            try last.beginJobs()
            let read = try last.nextJobs()
            #expect(Set(read.map(\.job.record)) == Set(jobs.map(\.job.record)))
            for copied in read {
                let job = try #require(jobs.first { $0.job.record.id == copied.job.record.id })
                #expect(copied.spec == job.spec)
                #expect(copied.metadataPlace == job.metadataPlace)
                #expect(copied.result == job.result)
                #expect(copied.job.owner == job.job.owner)
                #expect(copied.job.idempotencyKey == job.job.idempotencyKey)
                #expect(copied.job.readyAt == job.job.readyAt)
                #expect(copied.job.posts == job.job.posts)
            }
        }
    }

    private func copy(_ source: any CopySource, _ target: any CopyTarget) throws {
        var copy = StoreCopy(from: source, to: target, now: .noon) { _ in }
        try copy.run(anew: false)
        try copy.finish()
    }

    private func job(_ number: Int64, _ state: JobState) -> CopiedJob {
        var record = NewJob.sample("job-\(number)").record
        record.state = state
        record.labels = [JobSpec.Label(key: "a", value: "ü\u{0}")]
        record.metadata = Array("{}".utf8)
        record.revision = 7
        record.fence = 3
        if state.isFinal {
            record.finishedAt = .noon(1)
            record.purgeAt = .noon(2)
        }
        var job = StoredJob(record: record, number: number)
        job.idempotencyKey = "key \(number)"
        job.posts = 2
        if state == .running { job.owner = OwnerID("gone") }
        var result: OperationResult?
        if state == .succeeded {
            result = OperationResult(
                status: 200, headers: [.init(name: "a", value: "b")], contentType: "text/plain",
                body: [0, 1, 2])
            result?.contentCoding = "gzip"
            result?.artifact = ArtifactReference(sha256: String(repeating: "ab", count: 32), bytes: 7)
        }
        return CopiedJob(
            job, spec: Array("\u{1}{}".utf8), metadataPlace: 1 << 32 | 2, result: result, journalEnd: number,
            waitsForKey: false)
    }

    /// A row with a different value in each column.
    private func row(of table: StoredTable, _ number: Int, _ job: StoredJob) -> [StoredValue] {
        table.columns.enumerated().map { place, column in
            switch (column.name, column.kind) {
            case ("ids", _): .bytes([UInt8](repeating: UInt8(number), count: 48))
            // The row of an idempotency key of its own, and of others that name a job.
            case ("key", .text) where table.name == "idempotency" && number % 2 == 0: .text("key \(number)")
            case ("fingerprint", _): .bytes([UInt8](repeating: UInt8(number), count: 32))
            case ("sha256", _): .text(String(repeating: "0\(number)", count: 32))
            case (_, .number): .number(Int64(number * 30 + place))
            case (_, .flag): .number(Int64(number % 2))
            case (_, .text): .text("\(table.name).\(column.name) \(number) ü\u{0}")
            case (_, .word): .text("\(column.name) \(number)")
            case (_, .bytes): .bytes([UInt8(number), 0, 0xFF])
            case (_, .id): .id(job.record.id)
            }
        }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A copy that cannot be made` {
    /// A place for a copy.
    private enum Place {
        case directory(String)
        case schema(String)

        /// Why nothing can be copied from it; empty when that can be done.
        var refusalOfSource: String {
            do throws(JobStoreError) {
                switch self {
                case .directory(let path): _ = try SQLiteCopySource(directory: path)
                case .schema(let name): _ = try PostgresCopySource(Self.server, schema: name)
                }
                return ""
            } catch {
                return error.detail
            }
        }

        /// Why nothing can be copied into it.
        func refusalOfTarget(anew: Bool = false) -> String {
            do throws(JobStoreError) {
                switch self {
                case .directory(let path):
                    let target = try SQLiteCopyTarget(directory: path)
                    try target.begin(anew: anew)
                case .schema(let name):
                    let target = try PostgresCopyTarget(Self.server, schema: name)
                    try target.begin(anew: anew)
                }
                return ""
            } catch {
                return error.detail
            }
        }

        private static var server: String { PostgresServer.shared?.address ?? "" }
    }

    @Test func `says what is wrong with a data directory`() async throws {
        try await withDirectory { directory in
            let place = Place.directory(directory)
            #expect(place.refusalOfSource.contains("There is no store"))
            try await withSQLite(directory) { store in
                try await store.add(.sample())
                #expect(place.refusalOfSource.contains("Stop it first"))
                #expect(place.refusalOfTarget() == place.refusalOfSource)
            }
            #expect(place.refusalOfSource.isEmpty)
            for anew in [true, false] {
                #expect(place.refusalOfTarget(anew: anew).contains("is not empty"))
            }
            let connection = try SQLiteConnection(
                path: directory + "/jobs.db", mode: .readWrite, fileAccess: "unix-excl")
            for (version, words) in [
                (SQLiteMigration.newest - 1, "jobserver serve --data \(directory)"),
                (SQLiteMigration.newest + 1, "Start that newer version"),
                (SQLiteMigration.copying, "--restart"),
            ] {
                try connection.execute("PRAGMA user_version = \(version)")
                #expect(place.refusalOfSource.contains(words))
            }
            #expect(try await refusedOpening(directory).detail.contains("unfinished copy"))
        }
    }

    @Test func `says what is wrong with a schema`() async throws {
        let (server, schema) = (try #require(PostgresServer.shared).address, PostgresServer.freshSchema())
        let place = Place.schema(schema)
        #expect(place.refusalOfSource.contains("There is no store"))
        let store = try PostgresDatabase.open(server, schema: schema)
        try await store.renew(OwnerID("me"), now: SystemClock().now, lease: .seconds(60))
        #expect(place.refusalOfSource.contains("Stop all servers first"))
        #expect(place.refusalOfTarget().contains("Stop all servers first"))
        _ = try await store.end(OwnerID("me"), now: SystemClock().now)
        try await store.add(.sample())
        await store.close()
        #expect(place.refusalOfTarget(anew: true).contains("is not empty (job)"))
        let connection = try PostgresConnection(PostgresAddress(server, schema: schema))
        for (version, words) in [
            (PostgresMigration.newest - 1, "jobserver migrate"),
            (PostgresMigration.newest + 1, "newer version"),
            (PostgresMigration.copying + PostgresMigration.newest, "--restart"),
        ] {
            try connection.run("UPDATE \(schema).meta SET format = $1", [.integer(version)])
            #expect(place.refusalOfSource.contains(words))
            #expect(place.refusalOfTarget().contains(words))
        }
        #expect(throws: JobStoreError.self) { _ = try PostgresDatabase.open(server, schema: schema) }
        #expect(place.refusalOfTarget(anew: true).isEmpty)
        #expect(try connection.run("SELECT count(*) FROM \(schema).job").integer(0, 0) == 0)
    }
}
