import JobKit
import JobStore
import Testing

@Suite struct `Stopping a job` {
    @Test(arguments: Engine.allCases, [JobState.queued, .scheduled, .waiting, .retrying])
    func `that is not in flight takes effect at once`(_ engine: Engine, _ state: JobState) async throws {
        try await engine.withStore { store in
            let new = NewJob.sample(dueAt: state == .scheduled ? .noon(50) : nil)
            let id = try await store.add(new).id
            if state == .waiting || state == .retrying {
                try await store.move(try await store.claimOne(), to: state, dueAt: .noon(50))
            }
            guard case .cancelled(let job) = try await store.cancel(id, at: .noon(7)) else {
                throw Unexpected("not cancelled at once")
            }
            #expect(job.state == .cancelled)
            #expect(job.detail.values.errors == OperationEnding.cancelledByAda.errors)
            #expect(job.finishedAt == .noon(7))
            #expect(job.purgeAt == .noon(27))
            #expect(job.dueAt == nil)
            let reader = try store.makeReader()
            #expect(try reader.job(id) == job)
            let events = try reader.journal(id, after: 0, limit: 9).map(\.entry.event)
            #expect(
                events == [
                    .cancelRequested(by: "ada", reason: nil), .finished(.cancelledByAda),
                ])
            #expect(try await store.claim(now: .noon(99)).isEmpty)
            #expect(try await store.nextDueAt() == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `that runs asks its run to stop`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            guard case .cancelling(let job) = try await store.cancel(claim.record.id) else {
                throw Unexpected("not cancelling")
            }
            #expect(job.state == .cancelling)
            #expect(job.revision == claim.record.revision + 1)
            #expect(try await store.claim(now: .noon(99)).isEmpty)
            try await store.move(claim, to: .cancelled)
            #expect(store.counts() == [.cancelled: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `twice changes nothing more`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.cancel(claim.record.id)
            let before = try store.makeReader().job(claim.record.id)
            guard case .cancelling(let job) = try await store.cancel(claim.record.id) else {
                throw Unexpected("not cancelling")
            }
            #expect(job == before)
            #expect(try store.makeReader().journal(claim.record.id, after: 0, limit: 9).count == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `that has ended has no effect`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: .succeeded)
            let before = try store.makeReader().job(claim.record.id)
            guard case .alreadyFinal(let job) = try await store.cancel(claim.record.id) else {
                throw Unexpected("it was final")
            }
            #expect(job == before)
            #expect(try store.makeReader().job(claim.record.id) == before)
            #expect(try store.makeReader().journal(claim.record.id, after: 0, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `that is unknown is refused`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            #expect(await refusal { try await store.cancel(.made(at: .noon)) } == .missing(.job))
        }
    }

    @Test(arguments: Engine.allCases, [JobState.waiting, .retrying, .queued])
    func `is not lost when its run puts it down`(_ engine: Engine, _ state: JobState) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.cancel(claim.record.id)
            try await store.move(claim, to: state, dueAt: .noon(1_000))
            let job = try #require(try store.makeReader().job(claim.record.id))
            #expect(job.state == .cancelling)
            #expect(job.dueAt == nil)
            let again = try await store.claimOne()
            #expect(again.record.state == .cancelling)
            #expect(again.record.fence == 2)
            try await store.move(again, to: .cancelled)
            #expect(store.counts() == [.cancelled: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `leaves the claim to a run that goes on`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.cancel(claim.record.id)
            try await store.move(claim, to: .running)
            #expect(try store.makeReader().job(claim.record.id)?.state == .cancelling)
            #expect(try await store.claim().isEmpty)
            try await store.move(claim, to: .succeeded)
            #expect(store.counts() == [.succeeded: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `that waits to begin does not let it expire on the way to its end`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample(expiresAt: .noon(5))).id
            let claim = try await store.claimOne()
            try await store.cancel(id)
            var standing = RunUpdate.Standing(state: .pending, attempt: 0, dueAt: .noon(1_000))
            standing.wasStarted = false
            try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            try await checkEnd(of: id, in: store, at: .noon(9))
        }
    }

    @Test(arguments: Engine.allCases) func `that was claimed ahead of its date is not undone by its expiry`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample(dueAt: .noon(2), expiresAt: .noon(20))).id
            var request = ClaimRequest(limit: 1, owner: "server", now: .noon)
            (request.ahead, request.aheadMax) = (.seconds(10), 1)
            #expect(try await store.claim(request).map(\.record.id) == [id])
            try await store.cancel(id)
            #expect(try await store.end(now: .noon(1)) == 1)
            try await checkEnd(of: id, in: store, at: .noon(30))
        }
    }

    /// Ends a job by another claim, which is being cancelled before it began and whose expiry has passed.
    private func checkEnd(of id: JobID, in store: any JobStore, at now: Timestamp) async throws {
        let job = try #require(try store.makeReader().job(id))
        #expect(job.state == .cancelling && job.startedAt == nil && job.expiresAt == nil)
        #expect(try await store.sweep(now: now) == 0)
        let again = try await store.claimOne(now: now)
        #expect(again.record.id == id && again.record.state == .cancelling)
        try await store.move(again, to: .cancelled, at: now)
        #expect(store.counts() == [.cancelled: 1])
    }

    @Test(arguments: Engine.allCases) func `survives a restart of its server`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.cancel(claim.record.id)
            #expect(try await store.die() == 1)
            #expect(store.counts() == [.cancelling: 1])
            let again = try await store.claimOne()
            #expect(again.record.state == .cancelling)
            #expect(again.journal.count == 1)
        }
    }
}
