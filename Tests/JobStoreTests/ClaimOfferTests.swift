import JobKit
import JobStore
import Synchronization
import Testing

/// Takes jobs without asking, and keeps what it was told.
private final class Taker: Sendable {
    private let desk: Mutex<(room: Int, takes: [[Claim]], rooms: [Int])>

    init(room: Int) { desk = Mutex((room, [], [])) }

    var claims: [Claim] { desk.withLock { $0.takes.flatMap(\.self) } }
    var rooms: [Int] { desk.withLock { $0.rooms } }

    var offer: ClaimOffer {
        ClaimOffer(
            owner: "server", lease: .seconds(60), now: { .noon },
            makeRoom: { self.desk.withLock { $0.room } },
            take: { claims, room in
                self.desk.withLock {
                    $0.takes.append(claims)
                    $0.rooms.append(room)
                }
            })
    }
}

@Suite struct `An offer to take jobs` {
    private func withOffer(
        room: Int, options: SQLiteOptions = SQLiteOptions(),
        _ body: (SQLiteJobStore, Taker) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: options) { store in
                let taker = Taker(room: room)
                store.offerClaims(to: taker.offer)
                try await body(store, taker)
            }
        }
    }

    @Test func `gets a job with the commit that stores it`() async throws {
        try await withOffer(room: 8) { store, taker in
            let id = try await store.add(.sample(spec: "{}")).id
            let claim = try #require(taker.claims.first)
            #expect(claim.record.id == id)
            #expect(claim.record.state == .running)
            #expect(claim.spec == Array("{}".utf8))
            #expect(try store.makeReader().job(id)?.state == .running)
            #expect(try await store.claim().isEmpty)
            try await store.move(claim, to: .succeeded)
            #expect(try store.makeReader().job(id)?.state == .succeeded)
        }
    }

    @Test func `leaves what has no room and what is due later to whoever asks`() async throws {
        try await withOffer(room: 1) { store, taker in
            _ = try await withCheckedContinuation { continuation in
                store.submit([.sample("first"), .sample("second")], isAtomic: true) {
                    continuation.resume(returning: $0)
                }
            }.get()
            try await store.add(.sample("third", dueAt: .noon(1)))
            #expect(taker.claims.map(\.record.name) == ["first"])
            #expect(try await store.claim(now: .noon(1)).map(\.record.name) == ["second", "third"])
        }
    }

    @Test func `without room changes nothing`() async throws {
        try await withOffer(room: 0) { store, taker in
            let id = try await store.add(.sample()).id
            #expect(taker.rooms.isEmpty)
            #expect(try store.makeReader().job(id)?.state == .queued)
        }
    }

    @Test func `is not handed what could not be stored`() async throws {
        var small = SQLiteOptions()
        small.pagesMax = 120
        try await withOffer(room: 3, options: small) { store, taker in
            var stored: [JobID] = []
            for _ in 0..<20 {
                let job = NewJob.sample(spec: String(repeating: "x", count: 20_480))
                if await refusal({ try await store.submit(job) }) == nil { stored.append(job.record.id) }
            }
            #expect((1..<20).contains(stored.count))
            #expect(taker.claims.map(\.record.id) == stored)
        }
    }
}
