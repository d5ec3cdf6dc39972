import JobKit
import JobStore
import ScratchPostgres
import Synchronization
import Testing

@testable import PostgresStore

/// The jobs of a queue that run at the same time.
private struct Flight: Sendable {
    var running: [JobID: String] = [:]
    var most = 0
    var mostOfKey = 0
    var done: Set<JobID> = []

    mutating func begin(_ claim: Claim) {
        running[claim.record.id] = claim.record.queueKey ?? ""
        most = max(most, running.count)
        let counts = Dictionary(grouping: running.values, by: \.self).values.map(\.count)
        mostOfKey = max(mostOfKey, counts.max() ?? 0)
    }

    mutating func end(_ claim: Claim) {
        running[claim.record.id] = nil
        done.insert(claim.record.id)
    }
}

/// The same for several tasks.
private final class Flights: Sendable {
    private let flight = Mutex(Flight())

    func begin(_ claim: Claim) { flight.withLock { $0.begin(claim) } }

    func end(_ claim: Claim) { flight.withLock { $0.end(claim) } }

    var seen: Flight { flight.withLock { $0 } }
}

/// Repeats a write until the connection is there again.
@discardableResult
private func patiently<Value>(_ write: () async throws -> Value) async throws -> Value {
    while true {
        do { return try await write() } catch let error as JobStoreError where error.code == .unavailable {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A queue of several servers` {
    @Test(arguments: [false, true]) func `has no more jobs running than it may`(_ areCut: Bool) async throws {
        try await Servers.run(3) { servers in
            try await servers[0].configure("mail", #"{"concurrency":4,"per_key":{"concurrency":2}}"#)
            let jobs = (0..<90).map { NewJob.sample(queue: "mail", of: "key \($0 % 5)") }
            _ = try await servers[0].submit(jobs)
            let flights = Flights()
            let deadline = ContinuousClock.now + .seconds(60)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, store) in servers.stores.enumerated() {
                    group.addTask {
                        while flights.seen.done.count < jobs.count, ContinuousClock.now < deadline {
                            let claims = try await patiently {
                                try await store.claim(limit: 3, owner: OwnerID("\(place)"))
                            }
                            for claim in claims { flights.begin(claim) }
                            try await Task.sleep(for: .milliseconds(claims.isEmpty ? 5 : 10))
                            for claim in claims {
                                // Another server may take the place before this one hears of the commit.
                                flights.end(claim)
                                try await patiently { try await store.move(claim, to: .succeeded) }
                            }
                        }
                    }
                }
                if areCut {
                    for _ in 0..<5 {
                        try await Task.sleep(for: .milliseconds(40))
                        try servers.connection().run(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
                            [.text(servers.schema)])
                    }
                }
                try await group.waitForAll()
            }
            let seen = flights.seen
            #expect(seen.done == Set(jobs.map(\.record.id)))
            #expect(seen.most <= 4 && seen.mostOfKey <= 2)
            if !areCut { #expect(seen.most == 4) }
        }
    }

    @Test func `has one rate`() async throws {
        try await Servers.run { servers in
            try await servers[0].configure("mail", #"{"rate":{"count":1,"per":"10s","burst":2}}"#)
            for _ in 0..<5 { try await servers[1].add(.sample(queue: "mail")) }
            #expect(try await servers[0].claim(owner: "a").count == 2)
            #expect(try await servers[1].claim(owner: "b", now: .noon(9)).isEmpty)
            #expect(try await servers[1].claim(owner: "b", now: .noon(10)).count == 1)
            #expect(try await servers[0].claim(owner: "a", now: .noon(10)).isEmpty)
            #expect(try await servers[0].nextDueAt() == .noon(20))
        }
    }

    @Test func `counts jobs from the time at which a slow commit lets them begin`() async throws {
        try await Servers.run { servers in
            let now = SystemClock().now
            let rate = #"{"count":1,"per":"10s","burst":2}"#
            try await servers[0].configure("mail", #"{"rate":\#(rate),"per_key":{"rate":\#(rate)}}"#)
            let early = now.advanced(by: .seconds(-30))
            for key in [nil, "a", "b", "b"] {
                try await servers[1].add(.sample(queue: "mail", of: key, createdAt: early))
            }
            // As if the commit had taken 25 s, after which the rate of the claims would be over.
            #expect(try await servers[0].claim(owner: "a", now: now.advanced(by: .seconds(-25))).count == 2)
            // The next commit of the server is after the correction.
            #expect(try await servers[0].claim(owner: "a", now: now).isEmpty)
            #expect(try await servers[1].claim(owner: "b", now: now.advanced(by: .seconds(5))).isEmpty)
            let later = now.advanced(by: .seconds(25))
            #expect(try await !servers[1].claim(owner: "b", now: later).isEmpty)
        }
    }

    @Test func `has rates for its keys`() async throws {
        try await Servers.run { servers in
            try await servers[0].configure("mail", #"{"per_key":{"rate":{"count":1,"per":"10s"}}}"#)
            for key in ["a", "a", "b", "b"] { try await servers[1].add(.sample(queue: "mail", of: key)) }
            #expect(try await servers[0].claim(owner: "a").map(\.record.queueKey) == ["a", "b"])
            #expect(try await servers[1].claim(owner: "b", now: .noon(9)).isEmpty)
            #expect(try await servers[1].nextDueAt() == .noon(10))
            #expect(try await servers[1].claim(owner: "b", now: .noon(10)).count == 2)
        }
    }

    @Test func `gets the places of a dead server back with its lease`() async throws {
        try await Servers.run { servers in
            try await servers[0].configure("mail", #"{"concurrency":2}"#)
            for _ in 0..<3 { try await servers[0].add(.sample(queue: "mail")) }
            #expect(try await servers[0].claim(owner: "dead", lease: .seconds(5)).count == 2)
            #expect(try await servers[1].claim(owner: "b", now: .noon(4)).isEmpty)
            #expect(try await servers[1].recover(besides: "b", now: .noon(5)) == 2)
            #expect(try await servers[1].claim(owner: "b", now: .noon(6)).count == 2)
            #expect(try await servers[1].queues().map(\.waiting) == [1])
        }
    }

    @Test func `follows a limit from the moment at which any server has set it`() async throws {
        try await Servers.run { servers in
            for round in 0..<10 {
                let queue = "mail-\(round)"
                for _ in 0..<4 { try await servers[1].add(.sample(queue: queue)) }
                let before = try await servers[1].claim(limit: round % 2, owner: "b")
                try await servers[0].configure(queue, #"{"concurrency":2}"#)
                let after = try await servers[1].claim(owner: "b")
                #expect(before.count + after.count == 2)
                for claim in before + after { try await servers[1].move(claim, to: .failed) }
                try await servers[0].configure(queue, #"{"paused":true}"#)
                #expect(try await servers[1].claim(owner: "b").isEmpty)
            }
        }
    }

    @Test func `tells one server of a place that another has freed`() async throws {
        try await Servers.run { servers in
            try await servers[0].configure("mail", #"{"concurrency":1}"#)
            for _ in 0..<2 { try await servers[0].add(.sample(queue: "mail")) }
            let claim = try #require(try await servers[0].claim(owner: "a").first)
            #expect(try await servers[1].claim(owner: "b").isEmpty)
            let openings = Mutex(0)
            servers[1].observeOpenings { _ in openings.withLock { $0 += 1 } }
            try await servers[0].move(claim, to: .succeeded)
            #expect(try await eventually { openings.withLock { $0 } > 0 })
            #expect(try await servers[1].claim(owner: "b").count == 1)
        }
    }

    @Test func `has room for so many that wait`() async throws {
        try await Servers.run(3) { servers in
            try await servers[0].configure("mail", #"{"paused":true,"max_waiting":20}"#)
            for store in servers.stores {
                #expect(try await eventually { store.settingsVersion > 0 })
            }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for store in servers.stores {
                    group.addTask {
                        var count = 0
                        for _ in 0..<6 {
                            let jobs = (0..<3).map { _ in NewJob.sample(queue: "mail") }
                            guard case .items(let items) = try await store.submit(jobs) else { continue }
                            count += items.count { (try? $0.get()) != nil }
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(counts == 20)
        }
    }

    @Test func `lets keys take turns, whichever server claims`() async throws {
        try await Servers.run { servers in
            try await servers[0].configure("mail", #"{"concurrency":1}"#)
            for key in ["big", "big", "big", "big", "small", "small"] {
                try await servers[0].add(.sample(queue: "mail", of: key))
            }
            var order: [String?] = []
            for number in 0..<6 {
                let store = servers[number % 2]
                let claim = try #require(try await store.claim(owner: OwnerID("\(number % 2)")).first)
                order.append(claim.record.queueKey)
                try await store.move(claim, to: .succeeded)
            }
            #expect(order == ["big", "small", "big", "small", "big", "big"])
        }
    }

    @Test(arguments: ["fair", "fifo"]) func `finds one key among many that are at their limit`(
        _ order: String
    ) async throws {
        try await Servers.run { servers in
            try await servers[0].configure(
                "mail", #"{"order":"\#(order)","per_key":{"concurrency":1}}"#)
            let many = (0..<400).map { number in
                NewJob.sample(queue: "mail", of: "key \(1_000 + number % 100)")
            }
            _ = try await servers[0].submit(many)
            var running = 0
            while running < 100 {
                let claims = try await servers[0].claim(limit: 30, owner: "a")
                #expect(!claims.isEmpty)
                if claims.isEmpty { break }
                running += claims.count
            }
            #expect(try await servers[1].claim(owner: "b").isEmpty)
            try await servers[1].add(.sample("last", queue: "mail", of: "key 1050 and more"))
            #expect(try await servers[1].claim(owner: "b").map(\.record.name) == ["last"])
        }
    }

    @Test func `takes turns with a hundred others`() async throws {
        try await Servers.run(1) { servers in
            let names = (0..<100).map { "queue \($0)" }
            for name in names { try await servers[0].configure(name, "{}") }
            for _ in 0..<2 {
                _ = try await servers[0].submit(names.map { NewJob.sample(queue: $0) })
            }
            for _ in 0..<2 {
                var claimed: [String] = []
                for _ in 0..<10 { claimed += try await servers[0].claim(limit: 10).map(\.record.queue) }
                #expect(claimed.sorted() == names.sorted())
            }
        }
    }

    @Test func `has no job claimed twice, and none left unclaimed`() async throws {
        try await Servers.run { servers in
            try await servers[0].configure("mail", #"{"concurrency":3}"#)
            try await servers[0].configure("other", "{}")
            var jobs: [NewJob] = []
            for number in 0..<60 {
                jobs.append(
                    .sample(
                        priority: number % 3 + 4, queue: ["mail", "other", "default"][number % 3],
                        of: number % 4 == 0 ? nil : "key \(number % 4)"))
            }
            _ = try await servers[0].submit(jobs)
            var claimed: [JobID] = []
            for round in 0..<200 where claimed.count < jobs.count {
                let store = servers[round % 2]
                for claim in try await store.claim(limit: 7, owner: OwnerID("\(round % 2)")) {
                    claimed.append(claim.record.id)
                    try await store.move(claim, to: .succeeded)
                }
            }
            #expect(claimed.count == jobs.count)
            #expect(Set(claimed) == Set(jobs.map(\.record.id)))
        }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Changes by people on several servers` {
    @Test func `are recorded with one number each`() async throws {
        try await Servers.run(3) { servers in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, store) in servers.stores.enumerated() {
                    group.addTask {
                        for number in 0..<10 {
                            let id = try await store.add(.sample()).id
                            let record = AuditRecord(
                                at: .noon, by: "server \(place)", kind: "jobs", action: "cancel",
                                target: "\(number)")
                            try await store.auditing(AuditDraft(record) { _ in "" }).cancel(id)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try servers[0].makeReader().audits(before: nil, limit: 100)
            #expect(found.map(\.number) == Array((1...30).reversed()))
            let own = found.filter { $0.by == "server 1" }
            #expect(own.map(\.target) == (0..<10).reversed().map { "\($0)" })
        }
    }
}
