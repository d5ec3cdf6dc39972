import JobKit
import JobStore
import Testing

extension NewJob {
    /// A job with callbacks.
    static func told(dueAt: Timestamp? = nil, expiresAt: Timestamp? = nil) -> NewJob {
        var job = NewJob.sample(dueAt: dueAt, expiresAt: expiresAt)
        job.callbackEnds = [.succeeded, .failed, .cancelled, .expired, .skipped]
        return job
    }
}

extension JobStore {
    fileprivate func endsToTell() throws -> [JobEnd] { try makeReader().endsToTell(limit: 100) }
}

@Suite struct `The end of a job with callbacks` {
    @Test(arguments: Engine.allCases, [JobState.succeeded, .failed, .cancelled, .expired, .skipped])
    func `is kept until its callback was made, whatever its cause`(_ engine: Engine, _ state: JobState)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.told(expiresAt: state == .expired ? .noon(5) : nil))
            #expect(try store.endsToTell().isEmpty)
            switch state {
            case .cancelled: try await store.cancel(job.id)
            case .expired: _ = try await store.sweep(now: .noon(5))
            default: try await store.move(try await store.claimOne(), to: state)
            }
            let end = try #require(try store.endsToTell().first)
            let record = try #require(try store.makeReader().job(job.id))
            #expect(record.state == state)
            #expect(end == JobEnd(id: job.id, revision: record.revision))
            let callback = NewJob.sample("callback")
            #expect(try await store.tell([JobCallbacks(of: end, jobs: [callback])]) == 1)
            #expect(try store.endsToTell().isEmpty)
            #expect(try await store.claimOne().record.id == callback.record.id)
        }
    }

    @Test(arguments: Engine.allCases) func `is claimed once, also by two callers`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.told())
            try await store.cancel(job.id)
            let ends = try store.endsToTell()
            #expect(try await store.tell(ends.map { JobCallbacks(of: $0, jobs: [.sample("one")]) }) == 1)
            #expect(try await store.tell(ends.map { JobCallbacks(of: $0, jobs: [.sample("two")]) }) == 0)
            #expect(try await store.claim().map(\.record.name) == ["one"])
        }
    }

    @Test(arguments: Engine.allCases) func `causes no second callback when the job is woken late`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.told())
            try await store.cancel(job.id)
            try await store.tell(try store.endsToTell().map { JobCallbacks(of: $0, jobs: []) })
            #expect(try await store.wake([job.id]) == 0)
            #expect(try store.endsToTell().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `is none without a callback for that end`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            var job = NewJob.sample()
            job.callbackEnds = [.failed]
            let id = try await store.add(job).id
            try await store.cancel(id)
            #expect(try store.endsToTell().isEmpty)
            _ = try await store.retry(id)
            try await store.move(try await store.claimOne(), to: .failed)
            #expect(try store.endsToTell().map(\.id) == [id])
        }
    }

    @Test(arguments: Engine.allCases) func `may be one without callbacks`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.cancel(try await store.add(.told()).id)
            try await store.tell(try store.endsToTell().map { JobCallbacks(of: $0, jobs: []) })
            #expect(try store.endsToTell().isEmpty)
            #expect(store.counts() == [.cancelled: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `is another one after another try`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.told()).id
            try await store.cancel(id)
            let first = try store.endsToTell()
            _ = try await store.retry(id)
            #expect(try store.endsToTell().isEmpty)
            try await store.move(try await store.claimOne(), to: .succeeded)
            #expect(try await store.tell(first.map { JobCallbacks(of: $0, jobs: [.sample("old")]) }) == 0)
            let second = try store.endsToTell()
            #expect(second.map(\.id) == [id])
            #expect(second != first)
            #expect(try await store.tell(second.map { JobCallbacks(of: $0, jobs: [.sample("new")]) }) == 1)
            #expect(try await store.claim().map(\.record.name) == ["new"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `keeps the job until the callback was made, unless a person erases it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let kept = try await store.add(.told())
            let erased = try await store.add(.told())
            for id in [kept.id, erased.id] { try await store.cancel(id) }
            try await store.erase(erased.id)
            let other = try await store.add(.sample())
            try await store.cancel(other.id)
            #expect(try await store.sweep(now: .noon(9_999), limit: 1) == 1)
            #expect(try store.makeReader().job(other.id) == nil)
            #expect(try await store.sweep(now: .noon(9_999)) == 0)
            let ends = try store.endsToTell()
            #expect(ends.map(\.id) == [kept.id])
            try await store.tell(ends.map { JobCallbacks(of: $0, jobs: []) })
            #expect(try await store.sweep(now: .noon(9_999)) == 1)
            #expect(try store.makeReader().job(kept.id) == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `causes a callback even when no further job is accepted`(
        _ engine: Engine
    )
        async throws
    {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 1
        try await engine.withStore(limits: limits) { store in
            try await store.cancel(try await store.add(.told()).id)
            try await store.add(.sample())
            #expect(await refusal { try await store.submit(.sample()) } == .queueFull)
            let callbacks = try store.endsToTell().map { JobCallbacks(of: $0, jobs: [.sample(), .sample()]) }
            #expect(try await store.tell(callbacks) == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `comes in the order of acceptance, as many as are asked for`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            var ids: [JobID] = []
            for _ in 0..<5 { ids.append(try await store.add(.told()).id) }
            try await store.add(.sample())
            for claim in try await store.claim().reversed() { try await store.move(claim, to: .succeeded) }
            #expect(try store.endsToTell().map(\.id) == ids)
            #expect(try store.makeReader().endsToTell(limit: 2).map(\.id) == Array(ids.prefix(2)))
        }
    }

    @Test(arguments: Engine.allCases) func `is visible to observers of the commits`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let (changes, feed) = AsyncStream.makeStream(of: JobChange.self)
            store.observeCommits { for change in $0 { feed.yield(change) } }
            for job in [NewJob.sample(), .told()] { try await store.cancel(try await store.add(job).id) }
            var found: [Bool] = []
            for await change in changes where found.count < 4 {
                found.append(change.hasCallbacks)
                if found.count == 4 { break }
            }
            #expect(found == [false, false, false, true])
        }
    }

    @Test func `is still known after the store was opened again`() async throws {
        try await withDirectory { directory in
            let job = NewJob.told()
            try await withSQLite(directory) { store in
                try await store.add(job)
                try await store.move(try await store.claimOne(), to: .failed)
            }
            try await withSQLite(directory) { store in
                let ends = try store.endsToTell()
                #expect(ends.map(\.id) == [job.record.id])
            }
        }
    }
}
