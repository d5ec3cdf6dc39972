import JobKit
import JobSpec
import JobStore
import Synchronization
import Testing

/// A runner that only records handed over jobs.
private final class Runner: Sendable {
    private let claims = Mutex<[Claim]>([])

    /// The jobs handed over so far.
    var taken: [Claim] { claims.withLock { $0 } }

    func arrivals(room: Int, now: Timestamp = .noon(1)) -> JobArrivals {
        JobArrivals(owner: "server", room: RunSlots(room), now: { now }) { [self] arrived in
            claims.withLock { $0 += arrived }
        }
    }
}

@Suite struct `Claiming jobs as they are stored` {
    @Test(arguments: Engine.allCases) func `claims a new job, running and durable`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner()
            store.takeArrivals(runner.arrivals(room: 2))
            let record = try await store.add(.sample())
            #expect(record.state == .queued)
            #expect(record.revision == 1)
            let claim = try #require(runner.taken.first)
            #expect(claim.record.state == .running)
            #expect(claim.record.startedAt == .noon(1))
            #expect(claim.spec == Array("{\"type\":\"value\"}".utf8))
            #expect(try store.makeReader().job(record.id) == claim.record)
            #expect(store.counts() == [.running: 1])
            #expect(try await store.claim(now: .noon(2)).isEmpty)
            try await store.move(claim, to: .succeeded, at: .noon(3))
            #expect(try store.makeReader().job(record.id)?.state == .succeeded)
        }
    }

    @Test(arguments: Engine.allCases) func `stops without free slots, until there are some`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner()
            let arrivals = runner.arrivals(room: 1)
            store.takeArrivals(arrivals)
            let first = try await store.add(.sample())
            let second = try await store.add(.sample())
            #expect(runner.taken.map(\.record.id) == [first.id])
            #expect(try await store.claim(now: .noon(2)).map(\.record.id) == [second.id])
            arrivals.room.giveBack(1)
            let third = try await store.add(.sample())
            #expect(runner.taken.map(\.record.id) == [first.id, third.id])
            store.takeArrivals(nil)
            arrivals.room.giveBack(1)
            let fourth = try await store.add(.sample())
            #expect(try store.makeReader().job(fourth.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases) func `overtakes no other job`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner()
            let waiting = try await store.add(.sample(priority: 0))
            store.takeArrivals(runner.arrivals(room: 9))
            let urgent = try await store.add(.sample(priority: 9))
            #expect(runner.taken.isEmpty)
            let claims = try await store.claim(now: .noon(2))
            #expect(claims.map(\.record.id) == [urgent.id, waiting.id])
            let due = try await store.add(.sample(dueAt: .noon(1)))
            let behind = try await store.add(.sample())
            #expect(runner.taken.isEmpty)
            let ids = try await store.claim(now: .noon(2)).map(\.record.id)
            #expect(Set(ids) == [due.id, behind.id])
        }
    }

    @Test(arguments: Engine.allCases) func `leaves jobs that must wait or have expired`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner()
            store.takeArrivals(runner.arrivals(room: 9))
            let later = try await store.add(.sample(dueAt: .noon(60)))
            let lapsed = try await store.add(.sample(expiresAt: .noon))
            #expect(runner.taken.isEmpty)
            #expect(try store.makeReader().job(later.id)?.state == .scheduled)
            #expect(try store.makeReader().job(lapsed.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases) func `returns slots for jobs that were not stored`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner()
            store.takeArrivals(runner.arrivals(room: 1))
            store.takeArrivals(nil)
            let known = try await store.add(.sample())
            _ = try await store.claimOne(now: .noon(1))
            store.takeArrivals(runner.arrivals(room: 1))
            #expect(await refusal { try await store.submit(.sample(id: known.id)) } == .duplicateID)
            let next = try await store.add(.sample())
            #expect(runner.taken.map(\.record.id) == [next.id])
        }
    }

    @Test(arguments: Engine.allCases) func `returns the spec that the submission read`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner()
            store.takeArrivals(runner.arrivals(room: 1))
            var new = NewJob.sample(spec: #"{"type":"value","value":1}"#)
            let spec = try JobSpecReader.read(new.spec, now: .noon).get()
            new.reading = KnownSpec(spec)
            try await store.add(new)
            let claim = try #require(runner.taken.first)
            #expect(claim.reading?.spec == spec)
            #expect(try JobSpecReader.readStored(claim.spec, now: .noon).get() == spec)
        }
    }
}
