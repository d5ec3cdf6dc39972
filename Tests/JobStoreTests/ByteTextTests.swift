import JobKit
import JobSpec
import JobStore
import Testing

/// Texts of users whose bytes differ, although Swift says that they are equal.
@Suite struct `Two spellings of one character` {
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    @Test(arguments: Engine.allCases) func `are two unique keys, also in one batch`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let both = [
                NewJob.unique(Self.composed, .reject), .unique(Self.decomposed, .reject),
                .unique(Self.decomposed, .reject),
            ]
            guard case .items(let items) = try await store.submit(both) else { throw Unexpected("no items") }
            #expect(items.map { (try? $0.get()) != nil } == [true, true, false])
            let alone = [
                NewJob.unique("1 \(Self.composed)", .reject), .unique("1 \(Self.decomposed)", .reject),
            ]
            _ = try await store.submit(alone, isAtomic: true)
            #expect(store.counts() == [.queued: 4])
        }
    }

    @Test(arguments: Engine.allCases) func `are two keys of requests, also in one batch`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let one = NewJob.sample("one", key: Self.composed)
            let two = NewJob.sample("two", key: Self.decomposed)
            guard case .items = try await store.submit([one, two]) else { throw Unexpected("no items") }
            #expect(store.counts() == [.queued: 2])
            let again = try await store.submit(.sample("two", key: Self.decomposed))
            guard case .replayed(let job) = again else { throw Unexpected("\(again)") }
            #expect(job.id == two.record.id)
        }
    }

    @Test(arguments: Engine.allCases, QueueSpec.Order.allCases)
    func `are two keys of a queue, each with its own limit`(_ engine: Engine, _ order: QueueSpec.Order)
        async throws
    {
        try await engine.withStore { store in
            try await store.configure(
                "mail", #"{"order":"\#(order.rawValue)","per_key":{"concurrency":1}}"#)
            for customer in [Self.composed, Self.decomposed] {
                for number in 1...2 {
                    try await store.add(.sample("\(number)", queue: "mail", of: customer))
                }
            }
            let first = try await store.claim()
            #expect(first.map(\.record.name) == ["1", "1"])
            #expect(try await store.claim().isEmpty)
            for claim in first { try await store.move(claim, to: .succeeded) }
            #expect(try await store.claim().map(\.record.name) == ["2", "2"])
        }
    }

    @Test(arguments: Servers.engines) func `are two exclusive keys`(_ engine: Engine) async throws {
        try await Servers.run(on: engine) { servers in
            let store = servers[0]
            try await store.add(.sample())
            let claim = try await store.claimOne()
            func take(_ path: [String], _ keys: [String]) async throws -> Bool {
                let request = KeyRequest(claim: claim.key, path: path, keys: keys, waits: true, at: .noon)
                let shared = try #require(store.shared)
                return try await shared.perform(request)
            }
            #expect(try await take(["a"], [Self.composed]))
            #expect(try await !take(["b"], [Self.decomposed, Self.composed]))
            #expect(try await take(["c"], ["other"]))
            #expect(try await !take(["c"], [Self.composed]))
            #expect(try store.makeReader().holds().map(\.path) == [["a"], ["c"]])
        }
    }
}
