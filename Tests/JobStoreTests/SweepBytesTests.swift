import JobKit
import JobStore
import Testing

@Suite struct `The bytes of a sweep` {
    /// Bytes of which no two parts are alike, since a store may compress them.
    private func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    /// Stores jobs that have ended with this much in a place.
    private func add(
        _ count: Int, to store: any JobStore, spec: Int = 0, result: Int = 0, journal: Int = 0, error: Int = 0
    ) async throws {
        func content(_ count: Int) -> OperationResult {
            OperationResult(status: nil, headers: [], contentType: nil, body: noise(count))
        }
        for _ in 0..<count {
            let text = noise(spec).map { String(UnicodeScalar(97 + $0 % 26)) }.joined()
            try await store.add(.sample(spec: "{\"type\":\"value\",\"value\":\"\(text)\"}"))
            let claim = try await store.claimOne()
            let step = JournalEntry(
                at: .noon, path: ["step"],
                event: .finished(OperationEnding(state: .succeeded, result: content(journal))))
            var standing = RunUpdate.Standing(
                state: error > 0 ? .failed : .succeeded, attempt: 1, finishedAt: .noon,
                result: content(result))
            if error > 0 { standing.detail = .sample(String(repeating: "e", count: error)) }
            try await store.update(
                RunUpdate(claim: claim.key, journal: journal > 0 ? [step] : [], standing: standing))
        }
    }

    private func sweep(_ store: any JobStore) async throws -> [Int] {
        var counts: [Int] = []
        while counts.count < 10 {
            var sweep = JobSweep.sample(now: .noon(3_600), limit: 50)
            sweep.bytesMax = 50_000
            let outcome = try await store.perform(sweep)
            counts.append(outcome.count)
            if outcome.end == .whole { break }
            #expect(outcome.end == .bytes)
        }
        return counts
    }

    @Test(arguments: Engine.allCases) func `end it, whatever it erases, and the next one goes on`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await add(3, to: store, result: 45_000)
            #expect(try await sweep(store) == [2, 1])
            try await add(3, to: store, journal: 33_000)
            #expect(try await sweep(store) == [2, 1])
            try await add(3, to: store, spec: 45_000)
            #expect(try await sweep(store) == [2, 1])
            try await add(3, to: store, error: 45_000)
            #expect(try await sweep(store) == [2, 1])
        }
    }

    @Test(arguments: Engine.allCases) func `hold up no job that did not start in time`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await add(3, to: store, result: 45_000)
            let late = try await store.add(.sample(expiresAt: .noon(5))).id
            #expect(try await sweep(store) == [3, 1])
            #expect(try store.makeReader().job(late)?.state == .expired)
        }
    }

    @Test(arguments: Engine.allCases) func `let it erase one job, however large, and many small ones`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await add(2, to: store, result: 90_000)
            #expect(try await sweep(store) == [1, 1, 0])
            try await add(20, to: store)
            #expect(try await sweep(store) == [20])
        }
    }
}
