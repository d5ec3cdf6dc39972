import JobKit
import JobStore
import StrictJSON
import Testing

@Suite struct `A post` {
    @Test(arguments: Engine.allCases) func `wakes a suspended job, and its next run reads it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for state in [JobState.waiting, .retrying, .pending] {
                let job = try await store.add(.sample())
                let claim = try await store.claimOne()
                #expect(claim.posts == 0)
                try await store.move(claim, to: state, dueAt: .noon(900))
                #expect(try await store.claim().isEmpty)
                let receipt = try await store.post(signal(to: job.id))
                #expect(receipt.job.state == .queued)
                #expect(receipt.number == 1)
                #expect(!receipt.isRunning)
                let next = try await store.claimOne(now: .noon(2))
                #expect(next.record.id == job.id)
                #expect(next.posts == 1)
                #expect(next.journal == [signal(to: job.id).journal])
                try await store.move(next, to: .succeeded)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `to a job in flight reports that its run must be informed`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            let first = try await store.post(signal(to: job.id))
            let second = try await store.post(signal(to: job.id))
            #expect([first.number, second.number] == [1, 2])
            #expect(first.isRunning && second.isRunning)
            #expect(second.job.state == .running)
            #expect(second.job.revision == claim.record.revision)
        }
    }

    @Test(arguments: Engine.allCases) func `that the run did not see keeps the job from being suspended`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.post(signal(to: job.id))
            try await store.post(signal(to: job.id))
            var standing = RunUpdate.Standing(state: .waiting, attempt: 1, dueAt: .noon(900))
            standing.postsSeen = 1
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(job.id)?.state == .queued)
            let next = try await store.claimOne()
            standing.postsSeen = next.posts
            try await store.update(RunUpdate(claim: next.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(job.id)?.state == .waiting)
        }
    }

    @Test(arguments: Engine.allCases) func `to a job that is over, unknown or changed is refused`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            var stale = signal(to: job.id)
            stale.ifRevision = 7
            #expect(await refusal { _ = try await store.post(stale) } == .revisionConflict(1))
            let claim = try await store.claimOne()
            try await store.move(claim, to: .succeeded)
            #expect(await refusal { _ = try await store.post(signal(to: job.id)) } == .wrongState(.succeeded))
            #expect(
                await refusal { _ = try await store.post(signal(to: .made(at: .noon))) } == .missing(.job))
            #expect(try store.makeReader().journal(job.id, after: 0, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `is refused when the job was sent too much`(_ engine: Engine)
        async throws
    {
        var limits = StoreLimits()
        limits.postsMax = 2
        try await engine.withStore(limits: limits) { store in
            let job = try await store.add(.sample())
            try await store.post(signal(to: job.id))
            try await store.post(signal(to: job.id))
            #expect(await refusal { _ = try await store.post(signal(to: job.id)) } == .mailboxFull)
        }
    }

    @Test(arguments: Engine.allCases)
    func `is refused when too many bytes were not taken, until an operation has taken some`(_ engine: Engine)
        async throws
    {
        var limits = StoreLimits()
        limits.untakenBytesMax = 2_500
        try await engine.withStore(limits: limits) { store in
            let job = try await store.add(.sample())
            let large = JobMessage(
                by: "ada",
                content: .signal(name: "go", value: .string(String(repeating: "x", count: 998))))
            #expect(large.size == 1_000)
            let post = JobPost(id: job.id, journal: JournalEntry(at: .noon, path: [], event: .message(large)))
            try await store.post(post)
            let claim = try await store.claimOne()
            try await store.post(post)
            #expect(await refusal { _ = try await store.post(post) } == .mailboxFull)
            // What is small is limited by its number alone.
            try await store.post(signal(to: job.id))
            try await store.post(JobPost(id: job.id, journal: message(.hold(reason: nil)), effect: .hold))
            let took = JournalEntry(at: .noon(1), path: [], event: .took(message: 1, bytes: large.size))
            try await store.update(RunUpdate(claim: claim.key, journal: [took]))
            try await store.post(post)
            #expect(await refusal { _ = try await store.post(post) } == .mailboxFull)
            var standing = RunUpdate.Standing(state: .waiting, attempt: 1, dueAt: .noon(900))
            standing.postsSeen = 5
            try await store.update(RunUpdate(claim: claim.key, journal: [took], standing: standing))
            #expect(try store.makeReader().job(job.id)?.detail.untakenBytes == 1_004)
            try await store.post(post)
            #expect(await refusal { _ = try await store.post(post) } == .mailboxFull)
            try await store.cancel(job.id)
            _ = try await store.retry(job.id)
            #expect(await refusal { _ = try await store.post(post) } == .mailboxFull)
        }
    }

    @Test(arguments: Engine.allCases) func `holds a job until another one releases it`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let held = try await store.post(
                JobPost(id: job.id, journal: message(.hold(reason: nil)), effect: .hold))
            #expect(held.job.state == .held)
            #expect(try await store.claim().isEmpty)
            try await store.post(signal(to: job.id))
            #expect(try await store.claim().isEmpty)
            let released = try await store.post(
                JobPost(id: job.id, journal: message(.release), effect: .release))
            #expect(released.job.state == .queued)
            #expect(try await store.claimOne(now: .noon(2)).journal.count == 3)
        }
    }

    @Test(arguments: Engine.allCases) func `releases a scheduled job to its start time`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample(dueAt: .noon(60)))
            try await store.post(JobPost(id: job.id, journal: message(.hold(reason: nil)), effect: .hold))
            #expect(try await store.claim(now: .noon(90)).isEmpty)
            let released = try await store.post(
                JobPost(id: job.id, journal: message(.release), effect: .release))
            #expect(released.job.state == .scheduled)
            #expect(released.job.dueAt == .noon(60))
            #expect(try await store.claim(now: .noon(60)).count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `that holds leaves a job its clocks`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            let waiting = try await store.add(.sample())
            try await store.move(try await store.claimOne(), to: .waiting, dueAt: .noon(60))
            let queued = try await store.add(.sample())
            var post = JobPost(id: waiting.id, journal: message(.hold(reason: nil)), effect: .hold)
            let held = try await store.post(post).job
            #expect(held.dueAt == .noon(60))
            #expect(held.detail.values.hold == JournalFold([post.journal]).hold)
            post = JobPost(id: queued.id, journal: message(.hold(reason: nil)), effect: .hold)
            post.alarm = .noon(90)
            #expect(try await store.post(post).job.dueAt == .noon(90))
            #expect(try await store.claim(now: .noon(59)).isEmpty)
            let claim = try await store.claimOne(now: .noon(60))
            #expect(claim.record.id == waiting.id)
            try await store.move(claim, to: .held)
            #expect(try store.makeReader().job(waiting.id)?.state == .held)
            let released = JobPost(id: queued.id, journal: message(.release), effect: .release)
            #expect(try await store.post(released).job.state == .queued)
            #expect(try await store.claim(now: .noon(80)).map(\.record.id) == [queued.id])
        }
    }

    @Test(arguments: Engine.allCases) func `that holds has a job that had begun look at its clocks`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            try await store.move(try await store.claimOne(), to: .waiting)
            try await store.post(signal(to: job.id))
            #expect(try store.makeReader().job(job.id)?.state == .queued)
            try await store.post(JobPost(id: job.id, journal: message(.hold(reason: nil)), effect: .hold))
            #expect(try store.makeReader().job(job.id)?.state == .held)
            #expect(try await store.claimOne(now: .noon(1)).record.id == job.id)
        }
    }

    private func signal(to id: JobID) -> JobPost {
        JobPost(id: id, journal: message(.signal(name: "go", value: .null)))
    }

    private func message(_ content: JobMessage.Content) -> JournalEntry {
        JournalEntry(at: .noon(1), path: [], event: .message(JobMessage(by: "ada", content: content)))
    }
}

@Suite struct `A suspended job` {
    @Test(arguments: Engine.allCases) func `is woken under its keys until it is over`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            var standing = RunUpdate.Standing(state: .pending, attempt: 0)
            standing.wakeKeys = ["grant:mail", "exclusive"]
            _ = try await store.request("mail", GrantRequest(job: job.id, scope: nil, at: .noon))
            standing.wasStarted = false
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(job.id)?.startedAt == nil)
            #expect(try await store.wake(key: "grant:other") == 0)
            #expect(try await store.wake(key: "grant:mail") == 1)
            #expect(try await store.wake(key: "grant:mail") == 0)
            let next = try await store.claimOne(now: SystemClock().now.advanced(by: .seconds(1)))
            try await store.move(next, to: .succeeded)
            #expect(try await store.wake(key: "exclusive") == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `is woken after a restart when it waits for an exclusive key`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            var standing = RunUpdate.Standing(state: .pending, attempt: 0)
            standing.wakeKeys = [ExclusiveHold.wakeKey]
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            #expect(try await store.die(now: .noon(5)) == 0)
            #expect(try await store.wake(key: ExclusiveHold.wakeKey) == 1)
            #expect(try store.makeReader().job(job.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases) func `that is in flight again is checked again`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            #expect(try await store.wake([job.id]) == 0)
            var standing = RunUpdate.Standing(state: .waiting, attempt: 1)
            standing.postsSeen = claim.posts
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(job.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases)
    func `that is woken in flight is checked again, whatever posts its run has seen since`(
        _ engine: Engine
    ) async throws {
        var limits = StoreLimits()
        limits.postsMax = 2
        try await engine.withStore(limits: limits) { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            // Wakes are no posts: they have no numbers, and are not limited.
            for _ in 0..<3 { #expect(try await store.wake([job.id]) == 0) }
            let post = JobPost(
                id: job.id,
                journal: JournalEntry(
                    at: .noon(1), path: [],
                    event: .message(JobMessage(by: "ada", content: .signal(name: "go", value: .null)))))
            #expect(try await store.post(post).number == 1)
            var standing = RunUpdate.Standing(state: .waiting, attempt: 1)
            standing.postsSeen = 1
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(job.id)?.state == .queued)
            let next = try await store.claimOne()
            #expect(next.posts == 1)
            try await store.update(RunUpdate(claim: next.key, journal: [], standing: standing))
            #expect(try store.makeReader().job(job.id)?.state == .waiting)
            try await store.cancel(job.id)
            _ = try await store.retry(job.id)
            #expect(try await store.claimOne().posts == 1)
            #expect(try await store.post(post).number == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps its exclusive keys until it gives them back or is over`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            let a = ExclusiveHold(key: "a", job: job.id, path: [])
            let b = ExclusiveHold(key: "b", job: job.id, path: ["outer", "inner"])
            let c = ExclusiveHold(key: "c", job: job.id, path: ["outer"])
            var update = RunUpdate(claim: claim.key, journal: [])
            update.taken = [a, b, c]
            try await store.update(update)
            let reader = try store.makeReader()
            #expect(try reader.holds() == [a, b, c])
            update.taken = []
            update.freed = ["c"]
            try await store.update(update)
            #expect(try reader.holds() == [a, b])
            try await store.move(claim, to: .waiting, dueAt: .noon(9))
            #expect(try reader.holds() == [a, b])
            try await store.cancel(job.id)
            #expect(try reader.holds().isEmpty)
        }
    }
}
