import JobKit
import JobStore
import StrictJSON
import Synchronization
import Testing

@Suite struct `Exclusive keys of servers that share a store` {
    /// Runs `body` with two servers, and a claimed job of each of three owners, the second one on another server.
    private func run(
        _ engine: Engine, _ body: (Servers, [Claim]) async throws -> Void
    ) async throws {
        try await Servers.run(on: engine) { servers in
            var claims: [Claim] = []
            for (place, owner) in ["a", "b", "c"].enumerated() {
                try await servers[place % 2].add(.sample())
                claims += try await servers[place % 2].claim(limit: 1, owner: OwnerID(owner))
            }
            #expect(claims.count == 3)
            try await body(servers, claims)
        }
    }

    private static let moments = Atomic<Int64>(0)

    private func take(
        _ store: any JobStore, _ claim: Claim, _ path: [String], _ keys: [String], waits: Bool = true
    ) async throws -> Bool {
        // Each a moment later: servers order requests of one millisecond by chance.
        let time = Timestamp.noon.advanced(
            by: .milliseconds(Self.moments.add(1, ordering: .relaxed).newValue))
        let request = KeyRequest(claim: claim.key, path: path, keys: keys, waits: waits, at: time)
        let shared = try #require(store.shared)
        return try await shared.perform(request)
    }

    private func leave(_ store: any JobStore, _ claim: Claim, _ path: [String]) async throws {
        let shared = try #require(store.shared)
        try await shared.perform(KeyRelease(path, of: claim.key, at: .noon))
    }

    private func holders(_ store: any JobStore) throws -> [String] {
        try store.makeReader().holds().map { "\($0.key) \($0.job) \($0.path.joined(separator: "/"))" }
    }

    @Test(arguments: Servers.engines)
    func `are held by one operation, and go to the next in line, which is told`(_ engine: Engine) async throws
    {
        try await run(engine) { servers, claims in
            let (a, b, c) = (claims[0], claims[1], claims[2])
            let told = Mutex<[ServerMessage]>([])
            servers[1].shared?.observeMessages { messages in told.withLock { $0 += messages } }
            #expect(try await take(servers[0], a, ["x"], ["k"]))
            #expect(try await take(servers[0], a, ["x"], ["k"]))
            #expect(try await !take(servers[0], a, ["y"], ["k"], waits: false))
            #expect(try await !take(servers[1], b, ["p", "q"], ["k", "m"]))
            // Behind one that waits for both, at the same server, whose clock gives the order; and on a free key.
            #expect(try await !take(servers[1], c, [], ["m"]))
            #expect(try await take(servers[0], c, ["z"], ["n"]))
            let reader = try servers[0].makeReader()
            #expect(
                try reader.standing(of: ["p", "q"], in: b.record.id, for: ["k", "m"])
                    == KeyStanding(holder: a.record.id, ahead: 0))
            #expect(
                try reader.standing(of: [], in: c.record.id, for: ["m"]) == KeyStanding(holder: nil, ahead: 1)
            )
            var update = RunUpdate(claim: a.key, journal: [])
            update.freed = ["k"]
            try await servers[0].update(update)
            #expect(
                try holders(servers[1]) == [
                    "k \(b.record.id) p/q", "m \(b.record.id) p/q", "n \(c.record.id) z",
                ])
            #expect(
                try await eventually {
                    told.withLock { $0 } == [.granted(to: ["p", "q"], of: b.record.id)]
                })
            #expect(try await take(servers[1], b, ["p", "q"], ["k", "m"]))
            try await leave(servers[1], b, ["p", "q"])
            #expect(try holders(servers[0]) == ["m \(c.record.id) ", "n \(c.record.id) z"])
        }
    }

    @Test(arguments: Servers.engines)
    func `wake the suspended job whose turn has come, and are freed by the end of a job`(_ engine: Engine)
        async throws
    {
        try await run(engine) { servers, claims in
            let (a, b, c) = (claims[0], claims[1], claims[2])
            #expect(try await take(servers[0], a, [], ["k"]))
            #expect(try await !take(servers[1], b, [], ["k"]))
            #expect(try await !take(servers[0], c, [], ["k"]))
            try await servers[1].move(b, to: .waiting)
            try await servers[0].move(a, to: .succeeded)
            let reader = try servers[0].makeReader()
            #expect(try reader.job(b.record.id)?.state == .queued)
            let again = try #require(try await servers[0].claim(owner: "a").first)
            #expect(again.record.id == b.record.id)
            #expect(again.holds == [ExclusiveHold(key: "k", job: b.record.id, path: [])])
            #expect(try await take(servers[0], again, [], ["k"]))
            // A run that is suspended while it gets its key is queued again.
            try await servers[0].cancel(b.record.id)
            try await servers[0].move(again, to: .cancelled)
            #expect(try holders(servers[1]) == ["k \(c.record.id) "])
            try await servers[0].update(
                RunUpdate(claim: c.key, journal: [], standing: suspended(seen: c.posts)))
            #expect(try reader.job(c.record.id)?.state == .queued)
        }
    }

    @Test(arguments: Servers.engines)
    func `are looked for by the run that got them while it was suspended, also after a later post`(
        _ engine: Engine
    ) async throws {
        try await run(engine) { servers, claims in
            let (a, b) = (claims[0], claims[1])
            #expect(try await take(servers[0], a, [], ["k"]))
            #expect(try await !take(servers[1], b, [], ["k"]))
            var update = RunUpdate(claim: a.key, journal: [])
            update.freed = ["k"]
            try await servers[0].update(update)
            #expect(try holders(servers[1]) == ["k \(b.record.id) "])
            let signal = JournalEntry(
                at: .noon(1), path: [],
                event: .message(JobMessage(by: "ada", content: .signal(name: "go", value: .null))))
            let receipt = try await servers[0].post(JobPost(id: b.record.id, journal: signal))
            #expect(receipt.number == b.posts + 1)
            try await servers[1].update(
                RunUpdate(claim: b.key, journal: [], standing: suspended(seen: receipt.number)))
            #expect(try servers[0].makeReader().job(b.record.id)?.state == .queued)
        }
    }

    @Test(arguments: Servers.engines)
    func `go to operations inside of a holder before those that wait for it`(_ engine: Engine) async throws {
        try await run(engine) { servers, claims in
            let (a, b, c) = (claims[0], claims[1], claims[2])
            #expect(try await take(servers[0], a, ["g"], ["k"]))
            #expect(try await !take(servers[0], c, [], ["k", "free"]))
            #expect(try await !take(servers[1], b, ["m"], ["free"], waits: false))
            #expect(try await take(servers[0], a, ["g", "m"], ["free"]))
            // Over several keys: "b" stands behind "c", which waits for "a" alone until that waits for "b".
            #expect(try await take(servers[1], b, ["g"], ["l"]))
            try await leave(servers[0], a, ["g", "m"])
            #expect(try await !take(servers[1], b, ["g", "m"], ["free"]))
            #expect(try await !take(servers[0], a, ["g", "n"], ["l"]))
            #expect(try holders(servers[0]).contains("free \(b.record.id) g/m"))
            #expect(try await take(servers[1], b, ["g", "m"], ["free"]))
        }
    }

    private func suspended(seen posts: Int64) -> RunUpdate.Standing {
        var standing = RunUpdate.Standing(state: .waiting, attempt: 1)
        standing.postsSeen = posts
        return standing
    }

    @Test(arguments: Servers.engines) func `pass those by that are held, cancelled or run elsewhere by now`(
        _ engine: Engine
    ) async throws {
        try await run(engine) { servers, claims in
            let (a, b, c) = (claims[0], claims[1], claims[2])
            #expect(try await take(servers[0], a, [], ["k"]))
            #expect(try await !take(servers[1], b, [], ["k"]))
            #expect(try await !take(servers[0], c, [], ["k"]))
            // A person holds the first one, and cancels the second.
            try await servers[1].move(b, to: .paused)
            try await servers[0].move(c, to: .waiting)
            try await servers[1].cancel(c.record.id)
            try await leave(servers[0], a, [])
            #expect(try holders(servers[0]).isEmpty)
            let stale = await #expect(throws: JobStoreError.self) {
                try await take(servers[1], b, [], ["k"])
            }
            #expect(stale?.code == .staleClaim)
            await #expect(throws: JobStoreError.self) { try await leave(servers[1], b, []) }
            #expect(try await take(servers[0], a, [], ["k", "l"]))
            // The death of a server leaves its job the key.
            try await servers[1].renew("b", now: .noon(300))
            let count = try await servers[1].answer {
                servers[1].recover(besides: "b", now: .noon(300), reply: $0)
            }
            #expect(count == 1)
            #expect(try holders(servers[1]).count == 2)
        }
    }

    @Test(arguments: Servers.engines) func `are taken together by many at once, without two holders or a jam`(
        _ engine: Engine
    ) async throws {
        try await Servers.run(on: engine, 3) { servers in
            let rounds = 12
            try await withThrowingTaskGroup(of: Void.self) { group in
                let shared = Shared()
                for (place, store) in servers.stores.enumerated() {
                    group.addTask {
                        for round in 0..<rounds {
                            try await store.add(.sample())
                            let owner = OwnerID("o\(place)")
                            guard let claim = try await store.claim(limit: 1, owner: owner).first else {
                                continue
                            }
                            let keys = round % 2 == 0 ? ["x", "y"] : ["y", "z"]
                            while try await !take(store, claim, [], keys) {
                                try await Task.sleep(for: .milliseconds(2))
                            }
                            #expect(shared.enter(keys))
                            try await Task.sleep(for: .milliseconds(1))
                            shared.leave(keys)
                            try await store.move(claim, to: .succeeded)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try holders(servers[0]).isEmpty)
        }
    }
}

/// The number of holders of each key at the moment.
private final class Shared: Sendable {
    private let inside = Mutex<[String: Int]>([:])

    func enter(_ keys: [String]) -> Bool {
        inside.withLock { inside in
            for key in keys { inside[key, default: 0] += 1 }
            return keys.allSatisfy { inside[$0] == 1 }
        }
    }

    func leave(_ keys: [String]) { inside.withLock { for key in keys { $0[key, default: 0] -= 1 } } }
}
