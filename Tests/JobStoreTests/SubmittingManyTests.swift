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
    func `finds the jobs of the same keys, and none for another request`(
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

    @Test(arguments: Engine.allCases) func `accepts as many as there is room for, or none`(_ engine: Engine)
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

    @Test(arguments: Engine.allCases) func `refuses only the one whose id is taken, even by another of them`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let known = try await store.add(.sample("known"))
            var jobs = (0..<45).map { NewJob.sample("job_\($0)") }
            jobs[7].record.id = known.id
            jobs[30].record.id = jobs[3].record.id
            let made = created(try await store.submit(jobs))
            let fresh = jobs.indices.filter { $0 != 7 && $0 != 30 }.map { jobs[$0].record.id }
            #expect(made == fresh)
            #expect(store.counts() == [.queued: 44])
            let reader = try store.makeReader()
            #expect(try reader.job(known.id)?.name == "known")
            let found = try fresh.map { try reader.job($0)?.id }
            #expect(found == fresh)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps specs of all lengths beside each other`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let jobs = [0, 1, 600, 4_096, 4_097, 70_000, 300, 20_000].flatMap { length in
                (0..<6).map { NewJob.sample(spec: String(repeating: "\($0)", count: length)) }
            }
            #expect(created(try await store.submit(jobs)) == jobs.map(\.record.id))
            let reader = try store.makeReader()
            let specs = try jobs.map { try reader.spec($0.record.id) }
            #expect(specs == jobs.map(\.spec))
        }
    }

    @Test(arguments: Engine.allCases) func `finds the job of a key that came just before`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let jobs = [sample("a", key: "k"), sample("again", key: "k")]
            let outcome = try await store.submit(jobs)
            #expect(replayed(outcome) == [jobs[0].record.id])
            #expect(store.counts() == [.queued: 1])
        }
    }
}
