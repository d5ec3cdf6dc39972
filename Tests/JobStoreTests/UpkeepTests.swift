import JobKit
import JobSpec
import JobStore
import Testing

@Suite struct `Upkeep` {
    @Test(arguments: Engine.allCases, [JobState.failed, .cancelled, .expired])
    func `gives an ended job another try`(_ engine: Engine, _ state: JobState) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample(expiresAt: .noon(5))).id
            switch state {
            case .cancelled: try await store.cancel(id)
            case .expired: _ = try await store.sweep(now: .noon(5))
            default:
                let claim = try await store.claimOne()
                try await store.update(
                    RunUpdate(
                        claim: claim.key, journal: [],
                        standing: .init(
                            state: .failed, attempt: 1, finishedAt: .noon, detail: .sample("e"),
                            result: .empty)))
            }
            let before = try #require(try store.makeReader().job(id))
            #expect(before.state == state)
            let job = try await store.retry(id, at: .noon(8))
            #expect(job.state == .queued)
            #expect(job.revision == before.revision + 1)
            var detail = JobDetail()
            detail.retries = 1
            #expect(job.detail == StoredDetail(detail))
            #expect(job.finishedAt == nil && job.purgeAt == nil && job.expiresAt == nil)
            let reader = try store.makeReader()
            #expect(try reader.job(id) == job)
            #expect(try reader.result(id) == nil)
            #expect(try reader.journal(id, after: 0, limit: 9).last?.entry.event == .retried(by: "ada"))
            #expect(try await store.claimOne(now: .noon(9)).record.id == id)
        }
    }

    @Test(arguments: Engine.allCases, [JobState.cancelled, .expired])
    func `keeps the events of a job before its first run`(_ engine: Engine, _ state: JobState) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample(expiresAt: .noon(5))).id
            if state == .cancelled { try await store.cancel(id) }
            _ = try await store.sweep(now: .noon(5))
            _ = try await store.retry(id, at: .noon(8))
            let claim = try await store.claimOne(now: .noon(9))
            let before: Int64 = state == .cancelled ? 2 : 1
            #expect(claim.journalEnd == before + 1)
            #expect(claim.journal.last?.event == .retried(by: "ada"))
            let ending = OperationEnding(state: .skipped)
            try await store.update(
                RunUpdate(
                    claim: claim.key,
                    journal: [JournalEntry(at: .noon(9), path: [], event: .finished(ending))],
                    standing: .init(state: .skipped, attempt: 0, finishedAt: .noon(9))))
            let journal = try store.makeReader().journal(id, after: 0, limit: 9)
            #expect(journal.map(\.sequence) == Array(1...(before + 2)))
            #expect(journal.last?.entry.event == .finished(ending))
        }
    }

    @Test(arguments: Engine.allCases) func `does not retry running, succeeded or unknown jobs`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample()).id
            #expect(await refusal { _ = try await store.retry(id) } == .wrongState(.queued))
            let claim = try await store.claimOne()
            #expect(await refusal { _ = try await store.retry(id) } == .wrongState(.running))
            try await store.move(claim, to: .succeeded)
            #expect(await refusal { _ = try await store.retry(id) } == .wrongState(.succeeded))
            #expect(await refusal { _ = try await store.retry(.made(at: .noon)) } == .missing(.job))
        }
    }

    @Test(arguments: Engine.allCases) func `erases a final job with everything about it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let new = NewJob.sample(labels: [.init(key: "a", value: "b")], key: "k")
            let id = try await store.add(new).id
            #expect(await refusal { try await store.erase(id) } == .wrongState(.queued))
            try await store.cancel(id)
            try await store.erase(id)
            let reader = try store.makeReader()
            #expect(try reader.job(id) == nil)
            #expect(try reader.spec(id) == nil)
            #expect(try reader.journal(id, after: 0, limit: 9).isEmpty)
            var query = JobListQuery()
            query.labels = new.record.labels
            #expect(try reader.list(query).jobs.isEmpty)
            #expect(store.counts().isEmpty)
            #expect(await refusal { try await store.erase(id) } == .missing(.job))
        }
    }

    @Test(arguments: Engine.allCases) func `erases jobs when their retention ends`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            for name in ["kept short", "kept long"] { try await store.add(.sample(name, key: name)) }
            for claim in try await store.claim() {
                try await store.move(claim, to: claim.record.name == "kept short" ? .succeeded : .failed)
            }
            #expect(try await store.sweep(now: .noon(9)) == 0)
            #expect(try await store.sweep(now: .noon(10)) == 1)
            #expect(store.counts() == [.failed: 1])
            #expect(try await store.sweep(now: .noon(20)) == 1)
            #expect(store.counts().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `does no more pieces than allowed`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            for _ in 0..<5 { try await store.cancel(try await store.add(.sample()).id) }
            for number in 0..<3 { try await store.add(.sample(key: "\(number)", keyUntil: .noon(1))) }
            for _ in 0..<2 { try await store.add(.sample(expiresAt: .noon(2))) }
            var done: [Int] = []
            for _ in 0..<4 { done.append(try await store.sweep(now: .noon(90), limit: 4)) }
            #expect(done == [4, 4, 2, 0])
            #expect(store.counts() == [.queued: 3, .expired: 2])
        }
    }

    @Test(arguments: Engine.allCases) func `expires jobs that were not started in time`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let queued = try await store.add(.sample("q", expiresAt: .noon(5))).id
            let scheduled = try await store.add(.sample("s", dueAt: .noon(50), expiresAt: .noon(5))).id
            try await store.add(.sample("r", priority: 9, expiresAt: .noon(5)))
            #expect(try await store.claimOne().record.name == "r")
            #expect(try await store.sweep(now: .noon(4)) == 0)
            #expect(try await store.sweep(now: .noon(5)) == 2)
            let reader = try store.makeReader()
            for (id, name) in [(queued, "q"), (scheduled, "s")] {
                let job = try #require(try reader.job(id))
                #expect(job.state == .expired)
                #expect(job.detail.values.errors.map(\.detail) == ["\(name) expired"])
                #expect(job.finishedAt == .noon(5))
                #expect(try reader.journal(id, after: 0, limit: 9).count == 1)
            }
            #expect(store.counts() == [.running: 1, .expired: 2])
        }
    }

    @Test(arguments: Engine.allCases) func `fails jobs that were not started by their deadline`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            func add(_ name: String, dueAt: Timestamp? = nil, expiresAt: Timestamp? = nil) async throws
                -> JobID
            {
                var new = NewJob.sample(name, dueAt: dueAt, expiresAt: expiresAt)
                new.deadline = .noon(5)
                return try await store.add(new).id
            }
            let late = [
                try await add("queued"), try await add("scheduled", dueAt: .noon(50)),
                try await add("both", dueAt: .noon(50), expiresAt: .noon(6)),
            ]
            let expired = try await add("expired", dueAt: .noon(50), expiresAt: .noon(5))
            let reader = try store.makeReader()
            #expect(try reader.job(late[2])?.expiresAt == .noon(5))
            #expect(try await store.sweep(now: .noon(4)) == 0)
            #expect(try await store.claim(now: .noon(5)).isEmpty)
            #expect(try await store.sweep(now: .noon(5)) == 4)
            for id in late {
                let job = try #require(try reader.job(id))
                #expect(job.state == .failed)
                #expect(job.detail.values.errors.map(\.detail) == ["\(job.name) failed"])
                #expect(job.purgeAt == .noon(25))
                #expect(try await store.retry(id, at: .noon(6)).expiresAt == nil)
            }
            #expect(try reader.job(expired)?.state == .expired)
            #expect(try await store.sweep(now: .noon(7)) == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `leaves a deadline to the runs of a job that has started`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            var new = NewJob.sample("waits")
            new.deadline = .noon(5)
            let id = try await store.add(new).id
            let claim = try await store.claimOne()
            let standing = RunUpdate.Standing(state: .waiting, attempt: 0, dueAt: .noon(5))
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(id)?.expiresAt == nil)
            #expect(try await store.sweep(now: .noon(5)) == 0)
            #expect(try await store.claimOne(now: .noon(5)).record.id == id)
        }
    }

    @Test(arguments: Engine.allCases) func `fails jobs that were suspended before they were started, too`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            func suspended(dueAt: Timestamp) async throws -> JobID {
                var new = NewJob.sample("asks")
                new.deadline = .noon(5)
                let id = try await store.add(new).id
                let claim = try await store.claimOne()
                #expect(claim.record.id == id)
                var standing = RunUpdate.Standing(state: .pending, attempt: 0, dueAt: dueAt)
                standing.wasStarted = false
                try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
                return id
            }
            let late = [
                try await suspended(dueAt: .noon(3)), try await suspended(dueAt: .noon(5)),
                try await suspended(dueAt: .noon(9)),
            ]
            _ = try await store.wake([late[1]])
            let reader = try store.makeReader()
            let records = try late.compactMap { try reader.job($0) }
            #expect(records.map(\.state) == [.pending, .queued, .pending])
            #expect(records.allSatisfy { $0.expiresAt == .noon(5) })
            let dates: [Timestamp?] = [.noon(3), nil, nil]
            #expect(records.map(\.dueAt) == dates)
            #expect(try await store.sweep(now: .noon(4)) == 0)
            #expect(try await store.claim(now: .noon(5)).isEmpty)
            #expect(try await store.sweep(now: .noon(5)) == 3)
            for id in late {
                let job = try #require(try reader.job(id))
                #expect(job.state == .failed)
                #expect(job.detail.values.errors.map(\.detail) == ["asks failed"])
            }
            #expect(try await store.sweep(now: .noon(6)) == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `requeues the jobs of dead owners`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            for _ in 0..<3 { try await store.add(.sample()) }
            _ = try await store.claim(limit: 1, owner: "a", now: .noon, lease: .seconds(100))
            _ = try await store.claim(limit: 1, owner: "b", now: .noon, lease: .seconds(100))
            _ = try await store.claim(limit: 1, owner: "c", now: .noon, lease: .seconds(10))
            #expect(try await store.end("a", now: .noon(20)) == 1)
            #expect(try await store.recover(now: .noon(20)) == 1)
            #expect(store.counts() == [.queued: 2, .running: 1])
            #expect(try await store.recover(now: .noon(200)) == 1)
            #expect(try await store.claim().map(\.record.fence) == [2, 2, 2])
            #expect(try await store.recover(now: .noon(20)) == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `reports a lost lease to its owner`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample())
            #expect(await refusal { _ = try await store.claimOnly(as: "a") } == .leaseLost)
            _ = try await store.claim(owner: "a", now: .noon, lease: .seconds(10))
            #expect(try await store.recover(besides: "b", now: .noon(10)) == 1)
            #expect(await refusal { try await store.renew("a", now: .noon(11)) } == .leaseLost)
            #expect(await refusal { _ = try await store.claimOnly(as: "a") } == .leaseLost)
            #expect(try await store.claim(owner: "b").count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `finds a sound store healthy`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.checkHealth()
            #expect(store.counts().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `refuses everything after closing`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            await store.close()
            await store.close()
            #expect(await refusal { try await store.submit(.sample()) } == .unavailable)
            #expect(await refusal { try await store.checkHealth() } == .unavailable)
            #expect(await refusal { _ = try reader.job(.made(at: .noon)) } == .unavailable)
        }
    }
}
