import JobKit
import JobStore
import Testing

@Suite struct `Submitting jobs together` {
    private func created(_ outcome: BatchOutcome) -> [JobID] {
        guard case .items(let items) = outcome else { return [] }
        return items.compactMap { if case .success(.created(let job)) = $0 { job.id } else { nil } }
    }

    private func replayed(_ outcome: BatchOutcome) -> [JobID] {
        guard case .items(let items) = outcome else { return [] }
        return items.compactMap { if case .success(.replayed(let job)) = $0 { job.id } else { nil } }
    }

    private func holder(_ outcome: BatchOutcome) -> JobID? {
        if case .keyReused(let holder) = outcome { holder } else { nil }
    }

    private func sample(_ name: String, key: String, fingerprint: UInt8 = 1) -> NewJob {
        var job = NewJob.sample(name)
        job.idempotency = IdempotencyClaim(key: key, fingerprint: [fingerprint], expiresAt: .noon(60))
        return job
    }

    @Test(arguments: Engine.allCases) func `makes all of them, in order`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let jobs = (0..<50).map { NewJob.sample("job_\($0)") }
            let made = try await store.submit(jobs)
            #expect(created(made) == jobs.map(\.record.id))
            #expect(store.counts() == [.queued: 50])
            let reader = try store.makeReader()
            #expect(try reader.spec(jobs[49].record.id) == jobs[49].spec)
        }
    }

    @Test(arguments: Engine.allCases)
    func `finds again what the same keys made, and nothing for another request`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let first = created(try await store.submit((0..<3).map { sample("a", key: "k\($0)") }))
            let again = try await store.submit((0..<3).map { sample("a", key: "k\($0)") })
            #expect(replayed(again) == first)
            let other = try await store.submit((0..<5).map { sample("b", key: "k\($0)", fingerprint: 2) })
            #expect(holder(other) == first[0])
            #expect(store.counts() == [.queued: 3])
        }
    }

    @Test(arguments: Engine.allCases) func `takes as many as there is room for, or none`(_ engine: Engine)
        async throws
    {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 3
        try await engine.withStore(limits: limits) { store in
            let jobs = (0..<5).map { NewJob.sample("job_\($0)") }
            await #expect(throws: JobStoreError.self) { try await store.submit(jobs, isAtomic: true) }
            #expect(store.counts().isEmpty)
            let made = try await store.submit(jobs)
            #expect(created(made) == jobs.prefix(3).map(\.record.id))
            #expect(store.counts() == [.queued: 3])
        }
    }

    @Test(arguments: Engine.allCases) func `makes none when one cannot be made`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            let known = NewJob.sample("known")
            try await store.add(known)
            let jobs = [NewJob.sample("new"), NewJob.sample("again", id: known.record.id)]
            await #expect(throws: JobStoreError.self) { try await store.submit(jobs, isAtomic: true) }
            #expect(store.counts() == [.queued: 1])
            let made = try await store.submit(jobs)
            #expect(created(made) == [jobs[0].record.id])
        }
    }
}
