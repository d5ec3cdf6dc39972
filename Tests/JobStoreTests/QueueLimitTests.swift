import JobKit
import JobSpec
import JobStore
import Synchronization
import Testing

@Suite struct `A queue with limits` {
    @Test(arguments: Engine.allCases) func `has no more jobs running than it may`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":2}"#)
            for name in ["a", "b", "c", "d"] { try await store.add(.sample(name, queue: "mail")) }
            try await store.add(.sample("other"))
            let first = try await store.claim()
            #expect(Set(first.map(\.record.name)) == ["a", "b", "other"])
            #expect(try await store.claim().isEmpty)
            try await store.move(first[0].record.name == "other" ? first[1] : first[0], to: .succeeded)
            #expect(try await store.claim().map(\.record.name) == ["c"])
            #expect(try await store.claim().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases, ["{\"new_limit\": 1}", "{", "[]"])
    func `that cannot be read here lets no job begin until it is stored again`(_ engine: Engine, json: String)
        async throws
    {
        try await engine.withStore { store in
            try await store.configure("mail", json)
            try await store.add(.sample("a", queue: "mail"))
            try await store.add(.sample("other"))
            #expect(try await store.claim().map(\.record.name) == ["other"])
            #expect(try await store.queues().map(\.waiting) == [1])
            try await store.configure("mail", "{}")
            #expect(try await store.claim().map(\.record.name) == ["a"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `holds back what waited before it had them, and what falls due`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample("a", queue: "mail"))
            try await store.add(.sample("b", queue: "mail", dueAt: .noon(5)))
            try await store.add(.sample("c", queue: "mail", dueAt: .noon(6)))
            try await store.configure("mail", #"{"concurrency":1}"#)
            let first = try await store.claimOne(now: .noon(9))
            #expect(first.record.name == "a")
            #expect(try await store.claim(now: .noon(9)).isEmpty)
            let waiting = try await store.queues(now: .noon(9))
            #expect(waiting.map(\.waiting) == [2])
            #expect(waiting.map(\.oldest) == [.noon(5)])
            try await store.move(first, to: .succeeded)
            let second = try await store.claimOne(now: .noon(9))
            #expect(second.record.name == "b")
            #expect(second.record.state == .running)
        }
    }

    @Test(arguments: Engine.allCases)
    func `shows what waited before it had them at a new revision once it waits in line`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample("a", queue: "mail"))
            let before = try await store.add(.sample("b", queue: "mail"))
            try await store.configure("mail", #"{"concurrency":1}"#)
            let changes = Mutex<[JobChange]>([])
            store.observeCommits { change in changes.withLock { $0 += change } }
            _ = try await store.claimOne()
            let after = try #require(try store.makeReader().job(before.id))
            #expect(!before.isInLine)
            #expect(after.isInLine)
            #expect(after.revision == before.revision + 1)
            let told = changes.withLock { $0 }.filter { $0.id == before.id && !$0.hasOnlyEntries }
            #expect(told.map(\.revision) == [after.revision])
        }
    }

    @Test(arguments: Engine.allCases)
    func `frees a place when a job is suspended, and takes one when it goes on`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":1}"#)
            try await store.add(.sample("a", queue: "mail"))
            try await store.add(.sample("b", queue: "mail"))
            let first = try await store.claimOne()
            try await store.move(first, to: .waiting, dueAt: .noon(5))
            let second = try await store.claimOne()
            #expect(second.record.name == "b")
            #expect(try await store.claim(now: .noon(6)).isEmpty)
            try await store.move(second, to: .succeeded, at: .noon(7))
            #expect(try await store.claimOne(now: .noon(7)).record.name == "a")
        }
    }

    @Test(arguments: Engine.allCases) func `stops nothing when a limit is lowered`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.configure("mail", "{}")
            for _ in 0..<4 { try await store.add(.sample(queue: "mail")) }
            var running = try await store.claim(limit: 3)
            #expect(running.count == 3)
            try await store.configure("mail", #"{"concurrency":2}"#)
            #expect(try await store.queues().map(\.running) == [3])
            try await store.move(running.removeLast(), to: .succeeded)
            #expect(try await store.claim().isEmpty)
            try await store.move(running.removeLast(), to: .succeeded)
            #expect(try await store.claim().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `lets a cancelled job leave the line, and end at once when it had started`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":1}"#)
            let jobs = [
                try await store.add(.sample("a", queue: "mail")),
                try await store.add(.sample("b", queue: "mail")),
                try await store.add(.sample("c", queue: "mail")),
            ]
            let first = try await store.claimOne()
            try await store.cancel(jobs[1].id)
            #expect(try store.makeReader().job(jobs[1].id)?.state == .cancelled)
            #expect(try await store.queues().map(\.waiting) == [1])
            try await store.move(first, to: .succeeded)
            #expect(try await store.claimOne().record.name == "c")
        }
    }

    @Test(arguments: Engine.allCases) func `lets none begin while it is paused`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"paused":true}"#)
            try await store.add(.sample(queue: "mail"))
            #expect(try await store.claim().isEmpty)
            #expect(try await store.queues().map(\.obstacle) == [.paused])
            try await store.configure("mail", #"{"paused":false}"#)
            #expect(try await store.claim().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `lets its jobs begin without limit when the configuration is gone`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":1}"#)
            for _ in 0..<3 { try await store.add(.sample(queue: "mail")) }
            #expect(try await store.claim().count == 1)
            try await store.removeQueue("mail")
            try await store.add(.sample(queue: "mail"))
            #expect(try await store.claim().count == 3)
            #expect(try await store.queues().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `lets keys take turns`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":1}"#)
            for _ in 0..<20 { try await store.add(.sample(queue: "mail", of: "big")) }
            for _ in 0..<2 { try await store.add(.sample(queue: "mail", of: "small")) }
            var order: [String?] = []
            for _ in 0..<6 {
                let claim = try await store.claimOne()
                order.append(claim.record.queueKey)
                try await store.move(claim, to: .succeeded)
            }
            #expect(order == ["big", "small", "big", "small", "big", "big"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `has limits for each key, and leaves no room idle`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":3,"per_key":{"concurrency":1}}"#)
            for key in ["a", "a", "a", "b", nil, nil] { try await store.add(.sample(queue: "mail", of: key)) }
            let first = try await store.claim()
            #expect(first.count == 3)
            #expect(Set(first.map(\.record.queueKey)) == ["a", "b", nil])
            let b = try #require(first.first { $0.record.queueKey == "b" })
            try await store.move(b, to: .succeeded)
            #expect(try await store.claim().map(\.record.queueKey) == [nil])
        }
    }

    @Test(arguments: Engine.allCases)
    func `takes the oldest of all keys with fifo, but for keys at a limit`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"order":"fifo","per_key":{"concurrency":2}}"#)
            for (name, key) in [("1", "a"), ("2", "a"), ("3", "a"), ("4", "b")] {
                try await store.add(.sample(name, queue: "mail", of: key))
            }
            #expect(try await store.claim().map(\.record.name) == ["1", "2", "4"])
        }
    }

    @Test(arguments: Engine.allCases) func `has a rate`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"rate":{"count":1,"per":"10s","burst":2}}"#)
            for _ in 0..<4 { try await store.add(.sample(queue: "mail")) }
            #expect(try await store.claim().count == 2)
            #expect(try await store.claim(now: .noon(9)).isEmpty)
            #expect(try await store.nextDueAt() == .noon(10))
            #expect(try await store.claim(now: .noon(10)).count == 1)
            #expect(try await store.queues(now: .noon(10)).map(\.rateRoom) == [0])
        }
    }

    @Test(arguments: Engine.allCases) func `tells what holds a job back and how many come before it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":2,"per_key":{"concurrency":1}}"#)
            for _ in 0..<5 { try await store.add(.sample(queue: "mail", of: "big")) }
            let last = try await store.add(.sample(queue: "mail", of: "small"))
            let second = try await store.add(.sample(queue: "mail", of: "small"))
            let free = try await store.queued(last.id)
            #expect(free?.obstacle == nil)
            #expect(free?.ahead == 1)
            #expect(try await store.claim().count == 2)
            let held = try await store.queued(second.id)
            #expect(held?.obstacle == .concurrency(running: 2, of: 2))
            #expect(held?.keyObstacle == .concurrency(running: 1, of: 1))
            #expect(held?.ahead == 1)
            #expect(try await store.queued(last.id) == nil)
            #expect(try await store.busiestKeys(of: "mail").map(\.key) == ["big", "small"])
        }
    }

    @Test(arguments: Engine.allCases) func `has room for so many that wait`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"paused":true,"max_waiting":2,"when_full":"wait"}"#)
            try await store.add(.sample(queue: "mail"))
            let twice: [NewJob] = [.sample(queue: "mail"), .sample(queue: "mail")]
            let all = await refusal { _ = try await store.submit(twice, isAtomic: true) }
            #expect(all == .lineFull(queue: "mail", waits: true))
            #expect(store.counts() == [.queued: 1])
            guard case .items(let items) = try await store.submit(twice) else { throw Unexpected("no items") }
            #expect(items.map { (try? $0.get()) != nil } == [true, false])
            try await store.add(.sample())
        }
    }

    @Test(arguments: Engine.allCases)
    func `needs no room for a request that is repeated`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"paused":true,"max_waiting":2}"#)
            func jobs(_ keys: [String]) -> [NewJob] { keys.map { .sample(queue: "mail", key: $0) } }
            func items(_ outcome: BatchOutcome) -> [Result<SubmitOutcome, JobStoreError>] {
                if case .items(let items) = outcome { items } else { [] }
            }
            let first = jobs(["a", "b"])
            let made = items(try await store.submit(first, isAtomic: true))
            #expect(made.count == 2)
            let again = items(try await store.submit(jobs(["a", "b"]), isAtomic: true))
            let replayed = again.compactMap {
                if case .success(.replayed(let job)) = $0 { job.id } else { nil }
            }
            #expect(replayed == first.map(\.record.id))
            let more = await refusal { _ = try await store.submit(jobs(["a", "c"]), isAtomic: true) }
            #expect(more == .lineFull(queue: "mail", waits: false))
            #expect(store.counts() == [.queued: 2])
        }
    }

    @Test(arguments: Engine.allCases) func `is changed only as expected`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let missing = await refusal { try await store.configure("a", "{}", ifVersion: 1) }
            #expect(missing == .settingConflict(0))
            let first = try await store.configure("a", "{}", ifVersion: 0)
            #expect(first == 1)
            let there = await refusal { try await store.configure("a", "{}", ifVersion: 0) }
            #expect(there == .settingConflict(1))
            let second = try await store.configure("a", "{}", ifVersion: 1)
            #expect(second == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `has its jobs claimed as they are stored while it has room`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":1}"#)
            try await store.renew("server", lease: .seconds(600))
            let taken = Mutex<[String]>([])
            store.takeArrivals(
                JobArrivals(owner: "server", room: RunSlots(9), now: { .noon(1) }) { claims in
                    taken.withLock { $0 += claims.map(\.record.name) }
                })
            for name in ["a", "b"] { try await store.add(.sample(name, queue: "mail")) }
            // A line that is held back holds back no other job.
            try await store.add(.sample("other"))
            #expect(taken.withLock { $0 } == ["a", "other"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `has the next job claimed as the one before it ends`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.configure("mail", #"{"concurrency":1}"#)
            try await store.renew("server", lease: .seconds(600))
            let taken = Mutex<[Claim]>([])
            let room = RunSlots(1)
            store.takeArrivals(
                JobArrivals(owner: "server", room: room, now: { .noon(1) }) { claims in
                    taken.withLock { $0 += claims }
                })
            for name in ["a", "b", "c"] { try await store.add(.sample(name, queue: "mail")) }
            room.giveBack(1)
            try await store.move(taken.withLock { $0[0] }, to: .succeeded)
            #expect(taken.withLock { $0.map(\.record.name) } == ["a", "b"])
            try await store.move(taken.withLock { $0[1] }, to: .succeeded)
            #expect(taken.withLock { $0.count } == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `reports when one that waits may begin`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let openings = Mutex<Int>(0)
            store.observeOpenings { _ in openings.withLock { $0 += 1 } }
            try await store.configure("mail", #"{"concurrency":1}"#)
            for _ in 0..<2 { try await store.add(.sample(queue: "mail")) }
            let claim = try await store.claimOne()
            openings.withLock { $0 = 0 }
            try await store.move(claim, to: .succeeded)
            #expect(openings.withLock { $0 } == 1)
        }
    }

    @Test func `is the same after the store is opened again`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.configure(
                    "mail", #"{"concurrency":2,"per_key":{"rate":{"count":1,"per":"1h"}}}"#)
                for key in ["a", "a", "a", "b"] { try await store.add(.sample(queue: "mail", of: key)) }
                #expect(try await store.claim().count == 2)
            }
            try await withSQLite(directory) { store in
                let before = try await store.queues()
                #expect(before.map(\.waiting) == [2])
                #expect(before.map(\.running) == [2])
                #expect(try await store.recover(now: .noon(1)) == 2)
                #expect(try await store.queues().map(\.waiting) == [4])
                // The rates go on, too.
                #expect(try await store.claim(now: .noon(2)).isEmpty)
                let keys = try await store.claim(now: .noon(3_600)).compactMap(\.record.queueKey)
                #expect(keys.sorted() == ["a", "b"])
                #expect(try await store.claim(now: .noon(7_199)).isEmpty)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `is listed without a configuration when it has jobs`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for queue in ["b", "a", "b"] { try await store.add(.sample(queue: queue)) }
            _ = try await store.claim(limit: 1)
            let queues = try store.makeReader().queues()
            #expect(queues.map(\.name) == ["a", "b"])
            #expect(queues.map { $0.waiting + $0.running } == [1, 2])
        }
    }
}
