import JobKit
import JobSpec
import JobStore
import Testing

@testable import PostgresStore

extension NewJob {
    fileprivate static func sample(
        _ number: UInt64, key: String? = nil, fingerprint: [UInt8] = [1], at seconds: Int64 = 0
    ) -> NewJob {
        let time = Timestamp(milliseconds: 1_800_000_000_000 + seconds * 1_000)
        let record = JobRecord(
            id: JobID(high: UInt64(time.milliseconds) << 16 | 0x7000, low: 1 << 63 | number), name: "greet",
            type: "value", queue: "default", priority: 5, labels: [], state: .queued, attemptsMax: 3,
            createdAt: time, keepSucceededMilliseconds: 10_000, keepFailedMilliseconds: 20_000)
        return NewJob(
            record: record, spec: Array("{\"type\":\"value\",\"metadata\":{\"a\":1}}".utf8),
            idempotency: key.map {
                IdempotencyClaim(
                    key: $0, fingerprint: fingerprint, expiresAt: time.advanced(by: .seconds(3_600)))
            })
    }
}

extension Result<SubmitOutcome, JobStoreError> {
    /// One word, and the job that it is about.
    fileprivate var told: String {
        switch self {
        case .success(.created(let job)): "created \(job.id.low & 0xFF)"
        case .success(.replayed(let job)): "replayed \(job.id.low & 0xFF)"
        case .success(.replayedGone(let id)): "gone \(id.low & 0xFF)"
        case .success(.keyReused(let id)): "reused \(id.low & 0xFF)"
        case .success: "something else"
        case .failure(let error): "\(error.code)"
        }
    }
}

@Suite(.needsPostgres) struct `New jobs in PostgreSQL` {
    private func store() throws -> PostgresConnection {
        let connection = try PostgresConnection(PostgresServer.freshAddress())
        try PostgresMigration.run(on: connection)
        return connection
    }

    private func submit(_ jobs: [NewJob], to connection: PostgresConnection, slot: Int64 = 0) throws
        -> [String]
    {
        var numbers = JobNumbers(slot: slot)
        return try JobIntake(connection).submit(jobs, &numbers).map(\.told)
    }

    @Test func `are read back as they were stored`() throws {
        let connection = try store()
        var queued = NewJob.sample(1, key: "k")
        queued.record.labels = [.init(key: "team", value: "é"), .init(key: "tier", value: "gold")]
        queued.record.metadata = Array(#"{"a":1}"#.utf8)
        queued.metadataPlace = 27..<34
        var scheduled = NewJob.sample(2)
        scheduled.record.state = .scheduled
        scheduled.record.priority = 9
        scheduled.record.runAt = scheduled.record.createdAt.advanced(by: .seconds(9))
        scheduled.record.dueAt = scheduled.record.runAt
        scheduled.record.metadata = Array("[2]".utf8)
        scheduled.deadline = scheduled.record.createdAt.advanced(by: .seconds(60))
        scheduled.callbackEnds = [.failed]
        #expect(try submit([queued, scheduled], to: connection) == ["created 1", "created 2"])
        let jobs = JobTable(connection)
        let found = try jobs.jobs([queued.record.id, scheduled.record.id, JobID(high: 1, low: 1)])
        #expect(found.count == 2)
        for (new, place) in [(queued, Int64(0)), (scheduled, 1)] {
            let job = try #require(found[new.record.id])
            let stored = StoredJob(new, number: job.number)
            #expect(job.record == stored.record)
            #expect(job.readyAt == stored.readyAt)
            #expect(job.flags == stored.flags)
            #expect(job.idempotencyKey == stored.idempotencyKey)
            #expect(job.owner == nil)
            #expect(job.number & 0xFFF == place)
            #expect(try jobs.spec(new.record.id) == new.spec)
        }
        #expect(try jobs.spec(JobID(high: 1, low: 1)) == nil)
        let labels = try connection.run(
            "SELECT id FROM \(connection.address.schema).label WHERE key = $1 AND value = $2",
            [.text("team"), .text("é")])
        #expect(labels.count == 1)
        #expect(labels.id(0, 0) == queued.record.id)
    }

    @Test func `with a key are stored once, by whichever request comes first`() throws {
        let connection = try store()
        #expect(
            try submit(
                [
                    .sample(1, key: "a"), .sample(2, key: "a"), .sample(3, key: "a", fingerprint: [2]),
                    .sample(4, key: "b"), .sample(5),
                ], to: connection) == ["created 1", "replayed 1", "reused 1", "created 4", "created 5"])
        #expect(
            try submit([.sample(6, key: "b"), .sample(7, key: "b", fingerprint: [9])], to: connection)
                == ["replayed 4", "reused 4"])
        // The key's time is over.
        #expect(try submit([.sample(8, key: "a", at: 3_600)], to: connection) == ["created 8"])
        #expect(try submit([.sample(9, key: "a", at: 3_601)], to: connection) == ["replayed 8"])
    }

    @Test func `with the id of another job are refused, and keep no key`() throws {
        let connection = try store()
        #expect(
            try submit([.sample(1), .sample(1), .sample(2)], to: connection)
                == ["created 1", "duplicateID", "created 2"])
        #expect(
            try submit([.sample(2, key: "k"), .sample(3, key: "k"), .sample(4, key: "k")], to: connection)
                == ["duplicateID", "created 3", "replayed 3"])
    }

    @Test func `of several servers share keys and ids`() async throws {
        let connection = try store()
        let address = connection.address
        let told = try await withThrowingTaskGroup(of: [String].self) { group in
            for server in 0..<6 {
                group.addTask {
                    let connection = try PostgresConnection(address)
                    var numbers = JobNumbers(slot: Int64(server))
                    var told: [String] = []
                    for round in 0..<20 {
                        // Every server brings the same keys, in another order.
                        let keys = (0..<5).map { ($0 + server) % 5 }
                        let jobs = keys.map { key in
                            NewJob.sample(
                                UInt64(server * 1_000 + round * 10 + key) << 8, key: "\(round) \(key)")
                        }
                        told += try JobIntake(connection).submit(jobs, &numbers).map(\.told)
                    }
                    return told
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(told.count { $0.hasPrefix("created") } == 100)
        #expect(told.count { $0.hasPrefix("replayed") } == 500)
        let count = try connection.run("SELECT count(*), count(DISTINCT number) FROM \(address.schema).job")
        #expect((count.integer(0, 0), count.integer(0, 1)) == (100, 100))
    }

    @Test func `get numbers that rise, whatever the clock does`() {
        var numbers = JobNumbers(slot: 5)
        let times = [0, 0, 1, -7, 1, 2] + [Int64](repeating: 2, count: 5_000) + [1, 3, 4, 9]
        let made = times.map { numbers.next(at: Timestamp(milliseconds: 1_800_000_000_000 + $0)) }
        #expect(zip(made, made.dropFirst()).allSatisfy { $0 < $1 })
        #expect(made.allSatisfy { $0 > 0 && $0 >> 12 & 0x3FF == 5 })
    }
}
