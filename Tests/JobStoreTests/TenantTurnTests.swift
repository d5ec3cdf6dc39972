import JobKit
import JobStore
import ScratchPostgres
import Synchronization
import Testing

@testable import PostgresStore
@testable import SQLiteStore

extension JobStore {
    /// Adds jobs of a queue.
    fileprivate func add(_ count: Int, to queue: String, priority: Int = 5, dueAt: Timestamp? = nil)
        async throws
    {
        let jobs = (0..<count).map { _ in NewJob.sample(priority: priority, queue: queue, dueAt: dueAt) }
        for start in stride(from: 0, to: count, by: 500) {
            _ = try await submit(Array(jobs[start..<min(count, start + 500)]))
        }
    }

    /// The queues of the next jobs, claimed for a runner with these slots.
    fileprivate func queues(_ limit: Int, _ slots: RunSlots? = nil, now: Timestamp = .noon) async throws
        -> [String]
    {
        var request = ClaimRequest(limit: limit, owner: "server", now: now)
        request.slots = slots
        let taken = slots?.take(limit) ?? 0
        let claims = try await claim(request)
        slots?.settle(taken, for: claims)
        return claims.map(\.record.queue)
    }
}

@Suite struct `Tenants that wait` {
    @Test(arguments: Engine.allCases) func `are not behind the backlog of another one`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(2_000, to: "acme/mail", priority: 9)
            try await store.add(1, to: "beta/mail", priority: 1)
            try await store.add(1, to: "default", priority: 1)
            #expect(Set(try await store.queues(3)) == ["acme/mail", "beta/mail", "default"])
            #expect(try await store.queues(3) == ["acme/mail", "acme/mail", "acme/mail"])
        }
    }

    @Test(arguments: Engine.allCases, [1, 2, 5]) func `take turns`(_ engine: Engine, _ limit: Int)
        async throws
    {
        try await engine.withStore { store in
            for tenant in ["c", "a", "b"] { try await store.add(5, to: "\(tenant)/q") }
            var claimed: [String] = []
            while claimed.count < 15 {
                let more = try await store.queues(limit)
                try #require(!more.isEmpty)
                claimed += more
            }
            for start in stride(from: 0, to: 15, by: 3) {
                #expect(Set(claimed[start..<start + 3]).count == 3, "\(claimed)")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `go by priority and age among their own jobs alone`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            try await store.add(2, to: "acme/mail", priority: 9)
            try await store.add(1, to: "beta/low", priority: 1)
            try await store.add(1, to: "beta/first", priority: 3)
            try await store.add(1, to: "beta/second", priority: 3)
            let queues = try await store.queues(5)
            #expect(queues.filter { $0.hasPrefix("beta/") } == ["beta/first", "beta/second", "beta/low"])
            #expect(queues.prefix(2).contains("beta/first"))
        }
    }

    @Test(arguments: Engine.allCases) func `get no more than a share of the slots`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let slots = RunSlots(8)
            let calls = Mutex(0)
            slots.onRoom { calls.withLock { $0 += 1 } }
            try await store.add(20, to: "acme/mail")
            #expect(try await store.queues(8, slots).count == 6)
            #expect(try await store.queues(2, slots).isEmpty)
            try await store.add(1, to: "beta/mail")
            try await store.add(1, to: "default")
            #expect(Set(try await store.queues(2, slots)) == ["beta/mail", "default"])
            slots.giveBack(of: Tenant("beta"))
            #expect(calls.withLock { $0 } == 0)
            slots.giveBack(of: Tenant("acme"))
            #expect(calls.withLock { $0 } == 1)
            #expect(try await store.queues(2, slots) == ["acme/mail"])
        }
    }

    @Test(arguments: Engine.allCases) func `take turns when their jobs fall due, too`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let slots = RunSlots(4)
            try await store.add(30, to: "acme/mail", priority: 9, dueAt: .noon(1))
            try await store.add(1, to: "beta/mail", dueAt: .noon(2))
            try await store.add(1, to: "default", dueAt: .noon(3))
            #expect(
                Set(try await store.queues(3, slots, now: .noon(5))) == ["acme/mail", "beta/mail", "default"])
            slots.giveBack(of: Tenant("beta"))
            #expect(try await store.queues(2, slots, now: .noon(5)) == ["acme/mail", "acme/mail"])
            slots.giveBack(2)
            #expect(try await store.queues(2, slots, now: .noon(5)).isEmpty)
            #expect(try await store.nextDueAt() == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `take turns with the lines of queues that have limits`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            try await store.configure("acme/mail", "{}")
            try await store.configure("acme/post", "{}")
            let slots = RunSlots(8)
            for queue in ["acme/mail", "acme/post"] { try await store.add(10, to: queue, priority: 9) }
            try await store.add(2, to: "beta/mail", priority: 1)
            let first = try await store.queues(4, slots)
            #expect(first.filter { $0 == "beta/mail" }.count == 2, "\(first)")
            #expect(try await store.queues(4, slots).count == 4)
            slots.giveBack(2)
            #expect(try await store.queues(2, slots).isEmpty)
            try await store.add(1, to: "default")
            #expect(try await store.queues(2, slots) == ["default"])
        }
    }

    @Test(arguments: Engine.allCases) func `are not behind one of which all jobs have lapsed`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample(queue: "acme/mail", expiresAt: .noon(1)))
            try await store.add(1, to: "beta/mail")
            #expect(try await store.queues(1, now: .noon(2)) == ["beta/mail"])
        }
    }

    @Test(arguments: Engine.allCases) func `are claimed as they are stored while others have a backlog`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            try await store.add(3, to: "acme/mail")
            let taken = Mutex<[String]>([])
            let slots = RunSlots(4)
            let arrivals = JobArrivals(owner: "server", room: slots, now: { .noon(1) }) { claims in
                taken.withLock { $0 += claims.map(\.record.queue) }
            }
            store.takeArrivals(arrivals)
            try await store.add(.sample(queue: "acme/mail"))
            #expect(taken.withLock { $0 }.isEmpty)
            for _ in 0..<4 { try await store.add(.sample(queue: "beta/mail")) }
            #expect(taken.withLock { $0 } == ["beta/mail", "beta/mail", "beta/mail"])
            try await store.add(.sample(queue: "gamma/mail"))
            #expect(taken.withLock { $0.last } == "gamma/mail")
            slots.giveBack(of: Tenant("gamma"))
            #expect(try await store.queues(1, slots, now: .noon(2)) == ["acme/mail"])
        }
    }

    @Test(arguments: Engine.allCases) func `see how many of their own jobs come before one`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(5, to: "acme/mail", priority: 9)
            try await store.add(2, to: "beta/mail")
            let last = try await store.add(.sample(queue: "beta/mail"))
            #expect(try store.makeReader().ahead(of: last.id) == 2)
            let waiting = try store.makeReader().queues()
            #expect(Set(waiting.map { "\($0.name) \($0.waiting)" }) == ["acme/mail 5", "beta/mail 3"])
        }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Tenants on several servers` {
    @Test func `have no job claimed twice, and none left`() async throws {
        try await Servers.run { servers in
            for tenant in ["a", "b", "c"] { try await servers[0].add(20, to: "\(tenant)/q") }
            try await servers[0].add(20, to: "default")
            var claimed: [JobID] = []
            for round in 0..<100 where claimed.count < 80 {
                let store = servers[round % 2]
                for claim in try await store.claim(limit: 7, owner: OwnerID("\(round % 2)")) {
                    claimed.append(claim.record.id)
                    try await store.move(claim, to: .succeeded)
                }
            }
            #expect(claimed.count == 80)
            #expect(Set(claimed).count == 80)
        }
    }
}
