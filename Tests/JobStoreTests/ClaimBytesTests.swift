import JobKit
import JobStore
import Synchronization
import Testing

@Suite struct `The bytes of a claim` {
    private static let large = #"{"type":"value","value":""# + String(repeating: "x", count: 4_000) + #""}"#

    /// Asks for ten jobs, as long as they have less than so many bytes.
    private func claim(
        _ store: any JobStore, bytes: Int = 10_000
    ) async throws -> (names: [String], isFilled: Bool) {
        var request = ClaimRequest(limit: 10, owner: "server", now: .noon(9))
        request.bytesMax = bytes
        let claims = try await store.claim(request)
        return (claims.map(\.record.name), request.isFilled(by: claims))
    }

    @Test(arguments: Engine.allCases) func `end it when its specs are large, and others come next`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for name in ["a", "b", "c", "d"] { try await store.add(.sample(name, spec: Self.large)) }
            for name in ["e", "f"] { try await store.add(.sample(name)) }
            #expect(try await claim(store) == (["a", "b", "c"], true))
            #expect(try await claim(store) == (["d", "e", "f"], false))
            #expect(try await claim(store).names.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `are those of the specs as they were sent, short and long`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let sizes = [30, 4_095, 4_096, 4_097, 300_000]
            let specs = sizes.map {
                #"{"type":"value","value":""# + String(repeating: "x", count: $0 - 27) + #""}"#
            }
            for spec in specs + specs { try await store.add(.sample(spec: spec)) }
            // Jobs that one claim found and left have theirs for the next.
            let first = try await store.claim(limit: 3, now: .noon(9))
            let claims = try await first + store.claim(limit: 10, now: .noon(9))
            #expect(claims.map { $0.spec.count } == sizes + sizes)
            #expect(claims.map { String(decoding: $0.spec, as: UTF8.self) } == specs + specs)
        }
    }

    @Test(arguments: Engine.allCases) func `let it take one job, however large`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            for name in ["a", "b"] { try await store.add(.sample(name, spec: Self.large)) }
            #expect(try await claim(store, bytes: 1) == (["a"], true))
            #expect(try await claim(store, bytes: 1) == (["b"], true))
            #expect(try await claim(store, bytes: 1) == ([], false))
        }
    }

    @Test(arguments: Engine.allCases) func `count for jobs in lines as for others`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.configure("mail", "{}")
            for name in ["a", "b", "c"] {
                try await store.add(.sample(name, queue: "mail", spec: Self.large))
            }
            for name in ["d", "e", "f"] { try await store.add(.sample(name, spec: Self.large)) }
            let (first, second) = (try await claim(store), try await claim(store))
            #expect([first.names.count, second.names.count] == [3, 3])
            #expect(first.isFilled && second.isFilled)
            #expect(Set(first.names + second.names) == ["a", "b", "c", "d", "e", "f"])
            #expect(try await claim(store) == ([], false))
        }
    }

    @Test(arguments: Engine.allCases) func `include what runs read of journals`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            for name in ["a", "b", "c"] { try await store.add(.sample(name)) }
            for claim in try await store.claim() {
                let result = OperationResult(
                    status: nil, headers: [], contentType: nil, body: [UInt8](repeating: 120, count: 4_000))
                let step = JournalEntry(
                    at: .noon, path: ["step"],
                    event: .finished(OperationEnding(state: .succeeded, result: result)))
                try await store.update(
                    RunUpdate(
                        claim: claim.key, journal: [step],
                        standing: .init(state: .waiting, attempt: 1, dueAt: .noon(1))))
            }
            #expect(try await claim(store, bytes: 5_000) == (["a", "b"], true))
            #expect(try await claim(store, bytes: 5_000) == (["c"], false))
        }
    }

    @Test(arguments: Engine.allCases) func `end what is claimed as a job ends, and others come next`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let spec = #"{"type":"value","value":""# + String(repeating: "x", count: 600_000) + #""}"#
            try await store.configure("mail", #"{"concurrency":1}"#)
            for name in ["a", "b", "c", "d"] {
                try await store.add(.sample(name, queue: "mail", spec: spec))
            }
            let first = try await store.claimOne()
            try await store.configure("mail", "{}")
            let taken = Mutex<[Claim]>([])
            let room = RunSlots(9)
            store.takeArrivals(
                JobArrivals(owner: "server", room: room, now: { .noon(1) }) { claims in
                    taken.withLock { $0 += claims }
                })
            try await store.move(first, to: .succeeded)
            let names = taken.withLock { $0.map(\.record.name) }
            #expect((1...2).contains(names.count))
            #expect(room.take(9) == 9 - names.count)
            let rest = try await claim(store, bytes: 1 << 20)
            #expect(names + rest.names == ["b", "c", "d"])
        }
    }
}
