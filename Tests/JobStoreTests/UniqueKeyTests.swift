import JobKit
import JobStore
import Testing

@Suite struct `A unique key` {
    @Test(arguments: Engine.allCases) func `is refused while an unfinished job has it, and free afterwards`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.unique("k", .reject))
            try await store.add(.unique("other", .reject))
            #expect(
                await refusal { _ = try await store.submit(.unique("k", .reject)) } == .uniqueTaken(first.id))
            _ = try await store.claim()
            #expect(
                await refusal { _ = try await store.submit(.unique("k", .reject)) } == .uniqueTaken(first.id))
            try await store.cancel(first.id)
            try await store.update(.cancelled(first.id, fence: 1))
            try await store.add(.unique("k", .reject))
        }
    }

    @Test(arguments: Engine.allCases) func `is taken once by many concurrent submissions`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        await refusal { _ = try await store.submit(.unique("k", .reject)) } == nil
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(made == 1)
            #expect(store.counts() == [.queued: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `has a line, and each in it knows its place`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.unique("other", .wait))
            let jobs = [
                try await store.add(.unique("k", .wait)), try await store.add(.unique("k", .wait)),
                try await store.add(.unique("k", .wait)),
            ]
            let reader = try store.makeReader()
            let lines = try jobs.map { try reader.uniqueLine(before: $0.id) }
            #expect(lines.map(\.?.ahead) == [nil, 1, 2])
            #expect(lines.map(\.?.holder) == [nil, jobs[0].id, jobs[0].id])
            #expect(lines.last??.key == "k")
            try await store.cancel(jobs[0].id)
            #expect(try reader.uniqueLine(before: jobs[1].id) == nil)
            #expect(try reader.uniqueLine(before: jobs[2].id)?.holder == jobs[1].id)
            #expect(try reader.uniqueLine(before: jobs[2].id)?.ahead == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `leads to the newest job that has it or waits for it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.unique("k", .join))
            guard case .joined(let found) = try await store.submit(.unique("k", .join)) else {
                throw Unexpected("not joined")
            }
            #expect(found.id == first.id)
            let second = try await store.add(.unique("k", .wait))
            guard case .joined(let newest) = try await store.submit(.unique("k", .join)) else {
                throw Unexpected("not joined")
            }
            #expect(newest == second)
            #expect(store.counts() == [.queued: 1, .pending: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `stays with the job that a request has joined when it is repeated`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.unique("k", .join))
            var late = NewJob.unique("k", .join)
            late.idempotency = IdempotencyClaim(key: "late", fingerprint: [1], expiresAt: .noon(60))
            guard case .joined = try await store.submit(late) else { throw Unexpected("not joined") }
            try await store.move(try await store.claimOne(), to: .succeeded)
            guard case .replayed(let found) = try await store.submit(late) else { throw Unexpected("made") }
            #expect(found.id == first.id)
            #expect(found.state == .succeeded)
            var other = late
            other.idempotency?.fingerprint = [2]
            guard case .keyReused(first.id) = try await store.submit(other) else {
                throw Unexpected("not reused")
            }
            try await store.erase(first.id)
            guard case .replayedGone(first.id) = try await store.submit(late) else {
                throw Unexpected("not gone")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `lets jobs run one after the other, in their order`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            var ids: [JobID] = []
            for priority in [1, 5, 9] {
                let job = try await store.add(.unique("k", .wait, priority: priority))
                #expect(job.state == (ids.isEmpty ? .queued : .pending))
                #expect(job.detail.values.turn?.holder == ids.first)
                ids.append(job.id)
            }
            for id in ids {
                let claims = try await store.claim()
                #expect(claims.map(\.record.id) == [id])
                #expect(claims.first?.record.detail == .nothing)
                try await store.move(try #require(claims.first), to: .failed)
            }
            #expect(try await store.claim().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `is waited for whatever posts the job gets`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.unique("k", .wait))
            let second = try await store.add(.unique("k", .wait))
            let first = try await store.claimOne()
            try await store.post(signal(to: second.id))
            #expect(try await store.wake([second.id]) == 0)
            var hold = signal(to: second.id)
            hold.effect = .hold
            try await store.post(hold)
            #expect(try store.makeReader().job(second.id)?.state == .held)
            hold.effect = .release
            #expect(try await store.post(hold).job.state == .pending)
            #expect(try await store.claim().isEmpty)
            try await store.move(first, to: .succeeded)
            let claim = try await store.claimOne()
            #expect(claim.record.id == second.id)
            #expect(claim.posts == 3)
        }
    }

    @Test(arguments: Engine.allCases) func `of a held job starts it when it is released`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.unique("k", .wait))
            let second = try await store.add(.unique("k", .wait))
            var hold = signal(to: second.id)
            hold.effect = .hold
            try await store.post(hold)
            try await store.move(try await store.claimOne(), to: .succeeded)
            #expect(try store.makeReader().job(second.id)?.state == .held)
            hold.effect = .release
            #expect(try await store.post(hold).job.state == .queued)
            #expect(try await store.claimOne().record.detail == .nothing)
        }
    }

    @Test(arguments: Engine.allCases) func `that comes before its time is waited out by the schedule`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.unique("k", .wait))
            let later = try await store.add(.unique("k", .wait, dueAt: .noon(500)))
            #expect(later.state == .pending)
            try await store.move(try await store.claimOne(), to: .succeeded)
            let waiting = try store.makeReader().job(later.id)
            #expect(waiting?.state == .scheduled)
            #expect(waiting?.dueAt == .noon(500))
        }
    }

    @Test(arguments: Engine.allCases) func `replaces its holder and all waiters`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let running = try await store.add(.unique("k", .wait))
            let waiting = try await store.add(.unique("k", .wait))
            let claim = try await store.claimOne()
            guard case .replacing(let new, let stopping) = try await store.submit(.unique("k", .replace))
            else {
                throw Unexpected("nothing was replaced")
            }
            #expect(stopping.map(\.id) == [running.id])
            #expect(new.state == .pending)
            #expect(try store.makeReader().job(waiting.id)?.state == .cancelled)
            #expect(try store.makeReader().job(running.id)?.state == .cancelling)
            #expect(try await store.claim().isEmpty)
            try await store.move(claim, to: .cancelled)
            #expect(try await store.claimOne().record.id == new.id)
        }
    }

    @Test(arguments: Engine.allCases) func `is free immediately when its holders had not begun`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.unique("k", .reject, dueAt: .noon(500)))
            let second = try await store.add(.unique("k", .wait))
            guard case .replacing(let new, let stopping) = try await store.submit(.unique("k", .replace))
            else {
                throw Unexpected("nothing was replaced")
            }
            #expect(stopping.isEmpty)
            #expect(new.state == .queued)
            #expect(store.counts() == [.queued: 1, .cancelled: 2])
            #expect(try await store.claimOne().record.id == new.id)
            for id in [first.id, second.id] {
                #expect(try store.makeReader().journal(id, after: 0, limit: 9).count == 2)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `is needed for another try`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.unique("k", .reject))
            try await store.move(try await store.claimOne(), to: .failed)
            let second = try await store.add(.unique("k", .reject))
            #expect(await refusal { _ = try await store.retry(first.id) } == .uniqueTaken(second.id))
            #expect(try store.makeReader().job(first.id)?.state == .failed)
            try await store.move(try await store.claimOne(), to: .succeeded)
            #expect(try await store.retry(first.id).state == .queued)
            #expect(
                await refusal { _ = try await store.submit(.unique("k", .reject)) } == .uniqueTaken(first.id))
        }
    }

    @Test(arguments: Engine.allCases) func `passes to the next when its job was not started in time`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.unique("k", .wait, expiresAt: .noon(5)))
            try await store.add(.unique("k", .wait, expiresAt: .noon(5)))
            let third = try await store.add(.unique("k", .wait))
            #expect(try await store.sweep(now: .noon(9)) == 2)
            #expect(store.counts() == [.expired: 2, .queued: 1])
            #expect(try await store.claimOne(now: .noon(9)).record.id == third.id)
        }
    }

    @Test(arguments: Engine.allCases) func `that a batch asks for twice refuses an atomic one`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            let twice = [NewJob.unique("k", .reject), .unique("k", .reject)]
            let code = await refusal { _ = try await store.submit(twice, isAtomic: true) }
            #expect(code == .uniqueTaken(twice[0].record.id))
            #expect(store.counts().isEmpty)
            guard case .items(let items) = try await store.submit(twice) else { throw Unexpected("no items") }
            #expect(items.map { (try? $0.get()) != nil } == [true, false])
            #expect(store.counts() == [.queued: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `goes with a job that is erased`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.unique("k", .reject))
            try await store.move(try await store.claimOne(), to: .succeeded)
            let second = try await store.add(.unique("k", .reject))
            try await store.erase(first.id)
            #expect(
                await refusal { _ = try await store.submit(.unique("k", .reject)) } == .uniqueTaken(second.id)
            )
        }
    }

    @Test(arguments: Engine.allCases) func `goes from one to the next of a batch`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let jobs = (0..<3).map { _ in NewJob.unique("k", .replace) }
            _ = try await store.submit(jobs)
            let reader = try store.makeReader()
            let states = try jobs.map { try reader.job($0.record.id)?.state }
            #expect(states == [.cancelled, .cancelled, .queued])
        }
    }
}

extension NewJob {
    static func unique(
        _ key: String, _ onConflict: UniqueConflict, priority: Int = 5, dueAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil
    ) -> NewJob {
        var job = NewJob.sample(priority: priority, dueAt: dueAt, expiresAt: expiresAt)
        job.unique = UniqueClaim(
            key: key, onConflict: onConflict,
            stopping: { other in
                CancelRequest(
                    id: other.id, at: .noon,
                    journal: JournalEntry(
                        at: .noon, path: [],
                        event: .cancelRequested(by: "ada", reason: nil, code: .cancelledReplaced)))
            })
        return job
    }
}

extension RunUpdate {
    fileprivate static func cancelled(_ id: JobID, fence: Int64) -> RunUpdate {
        RunUpdate(
            claim: ClaimKey(id: id, fence: fence), journal: [],
            standing: .init(state: .cancelled, attempt: 1, finishedAt: .noon))
    }
}

private func signal(to id: JobID) -> JobPost {
    JobPost(id: id, journal: JournalEntry(at: .noon, path: [], event: .retried(by: "ada")))
}
