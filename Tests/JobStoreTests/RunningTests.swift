import JobKit
import JobStore
import Testing

@Suite struct `A run` {
    @Test(arguments: Engine.allCases) func `appends to the journal without a new revision`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            let entries = (1...5).map { JournalEntry(at: .noon($0), path: ["step \($0)"], event: .started) }
            let first = try await store.update(RunUpdate(claim: claim.key, journal: Array(entries[..<2])))
            let second = try await store.update(RunUpdate(claim: claim.key, journal: Array(entries[2...])))
            #expect([first, second] == [claim.record.revision, claim.record.revision])
            let reader = try store.makeReader()
            let all = try reader.journal(claim.record.id, after: 0, limit: 10)
            #expect(all.map(\.sequence) == [1, 2, 3, 4, 5])
            #expect(all.map(\.entry) == entries)
            let part = try reader.journal(claim.record.id, after: 2, limit: 2)
            #expect(part.map(\.sequence) == [3, 4])
            #expect(try reader.journal(claim.record.id, after: 5, limit: 2).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `ends a job with its result in one step`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            var result = OperationResult(
                status: 201, headers: [.init(name: "a", value: "1\u{0}"), .init(name: "a", value: "")],
                contentType: "text/plain", body: (0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
            result.contentCoding = "gzip, br"
            let entry = JournalEntry(at: .noon(3), path: [], event: .finished(.init(state: .succeeded)))
            let revision = try await store.update(
                RunUpdate(
                    claim: claim.key, journal: [entry],
                    standing: .init(
                        state: .succeeded, attempt: 2, finishedAt: .noon(3), detail: .sample("a"),
                        result: result)))
            let reader = try store.makeReader()
            let job = try #require(try reader.job(claim.record.id))
            #expect(job.state == .succeeded)
            #expect(job.revision == revision)
            #expect(revision == 3)
            #expect(job.attempt == 2)
            #expect(job.finishedAt == .noon(3))
            #expect(job.purgeAt == .noon(13))
            #expect(job.detail == .sample("a"))
            #expect(try reader.result(claim.record.id) == result)
            #expect(try reader.journal(claim.record.id, after: 0, limit: 9).map(\.entry) == [entry])
            #expect(store.counts() == [.succeeded: 1])
        }
    }

    @Test(arguments: Engine.allCases, [JobState.succeeded, .failed, .waiting])
    func `leaves its job the facts of its submission`(_ engine: Engine, state: JobState) async throws {
        try await engine.withStore { store in
            var new = NewJob.sample()
            let facts = JobDetail.Submission(trace: "00-\(engine)-01", createdBy: "ada")
            new.record.detail.submit { $0 = facts }
            let id = try await store.add(new).id
            // The run reports no more than what happened in it.
            try await store.move(
                try await store.claimOne(), to: state, dueAt: state == .waiting ? .noon(5) : nil)
            #expect(try store.makeReader().job(id)?.detail.submission == facts)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps a failed job for its own time`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: .failed, at: .noon(1))
            #expect(try store.makeReader().job(claim.record.id)?.purgeAt == .noon(21))
        }
    }

    @Test(arguments: Engine.allCases, [JobState.waiting, .retrying]) func `puts its job down until a time`(
        _ engine: Engine, _ state: JobState
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: state, dueAt: .noon(30))
            let job = try #require(try store.makeReader().job(claim.record.id))
            #expect(job.state == state)
            #expect(job.dueAt == .noon(30))
            #expect(try await store.nextDueAt() == .noon(30))
            #expect(try await store.claim(now: .noon(29)).isEmpty)
            #expect(try await store.claimOne(now: .noon(30)).record.fence == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `returns its job to the queue`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: .queued)
            #expect(try await store.claimOne().record.fence == 2)
        }
    }

    @Test(arguments: Engine.allCases, [JobState.succeeded, .waiting, .queued])
    func `cannot write after its claim has ended`(_ engine: Engine, _ state: JobState) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: state, dueAt: state == .waiting ? .noon(9) : nil)
            let before = try store.makeReader().job(claim.record.id)
            #expect(await refusal { try await store.move(claim, to: .failed) } == .staleClaim)
            let entry = JournalEntry(at: .noon, path: [], event: .started)
            let append = RunUpdate(claim: claim.key, journal: [entry])
            #expect(await refusal { try await store.update(append) } == .staleClaim)
            #expect(try store.makeReader().job(claim.record.id) == before)
            #expect(try store.makeReader().journal(claim.record.id, after: 0, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `cannot write when another claim came later`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let old = try await store.claimOne()
            try await store.die(now: .noon(1))
            #expect(await refusal { try await store.move(old, to: .succeeded) } == .staleClaim)
            let new = try await store.claimOne()
            #expect(new.record.fence == old.record.fence + 1)
            #expect(await refusal { try await store.move(old, to: .succeeded) } == .staleClaim)
            try await store.move(new, to: .succeeded)
        }
    }

    @Test(arguments: Engine.allCases) func `is suspected when the process died twice with it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for name in ["a", "b", "c"] { try await store.add(.sample(name)) }
            for _ in 0..<2 {
                #expect(try await store.claim().count == 3)
                try await store.die(now: .noon(1))
            }
            #expect(try await store.claim(now: .noon(2)).isEmpty)
            var request = ClaimRequest(limit: 10, owner: "server", now: .noon(2))
            request.takesSuspects = true
            let first = try await store.claim(request)
            #expect(first.map(\.record.name) == ["a"])
            var proof = RunUpdate(claim: first[0].key, journal: [])
            proof.isProof = true
            try await store.update(proof)
            for _ in 0..<2 {
                let second = try await store.claim(request)
                #expect(second.map(\.record.name) == ["b"])
                #expect(!second[0].hasEndedProcess)
                try await store.die(now: .noon(3))
            }
            // A cleared job is as new, and the one that ran apart twice is handed out to be failed.
            let claims = try await store.claim(now: .noon(4))
            #expect(claims.map(\.record.name).sorted() == ["a", "b"])
            #expect(claims.filter(\.hasEndedProcess).map(\.record.name) == ["b"])
            #expect(try await store.claim(request).map(\.record.name) == ["c"])
            for claim in claims { try await store.move(claim, to: .succeeded) }
        }
    }

    @Test(arguments: Engine.allCases) func `is no suspect any more when a person cancelled it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let ids = [try await store.add(.sample("a")).id, try await store.add(.sample("b")).id]
            for _ in 0..<2 {
                _ = try await store.claim()
                try await store.die(now: .noon(1))
            }
            _ = try await store.cancel(ids[0])
            var request = ClaimRequest(limit: 10, owner: "server", now: .noon(2))
            request.takesSuspects = true
            #expect(try await store.claim(request).map(\.record.id) == [ids[1]])
        }
    }

    @Test(arguments: Engine.allCases, [true, false])
    func `is not blamed for a death when it was being cancelled, or its server stopped in order`(
        _ engine: Engine, isCancelled: Bool
    ) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample()).id
            for _ in 0..<2 {
                _ = try await store.claim()
                try await store.die(now: .noon(1))
            }
            var request = ClaimRequest(limit: 10, owner: "server", now: .noon(2))
            request.takesSuspects = true
            #expect(try await store.claim(request).map(\.record.id) == [id])
            if isCancelled {
                _ = try await store.cancel(id)
                try await store.die(now: .noon(3))
            } else {
                #expect(try await store.end() == 1)
            }
            let claims = try await store.claim(now: .noon(4))
            #expect(claims.map(\.record.state) == [isCancelled ? .cancelling : .running])
            #expect(claims.map(\.hasEndedProcess) == [false])
        }
    }

    @Test(arguments: Engine.allCases) func `is not suspected when it made progress between two deaths`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            func attempt(_ outcome: AttemptRecord.Outcome) -> JournalEntry {
                let record = AttemptRecord(number: 1, startedAt: .noon, finishedAt: .noon, outcome: outcome)
                return JournalEntry(at: .noon, path: ["a"], event: .attemptFinished(record))
            }
            for outcome in [AttemptRecord.Outcome.succeeded, .failed, .succeeded] {
                let claim = try await store.claimOne()
                try await store.update(RunUpdate(claim: claim.key, journal: [attempt(outcome)]))
                try await store.die(now: .noon)
            }
            // An interrupted attempt is no progress.
            let claim = try await store.claimOne()
            try await store.update(RunUpdate(claim: claim.key, journal: [attempt(.interrupted)]))
            try await store.die(now: .noon)
            #expect(try await store.claim().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `is not suspected when its server stopped in order`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            for _ in 0..<3 {
                #expect(try await store.claim().count == 1)
                #expect(try await store.end() == 1)
            }
            #expect(try await store.claimOne().record.fence == 4)
        }
    }

    @Test(arguments: Engine.allCases) func `cannot write to an erased job`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: .succeeded)
            try await store.erase(claim.record.id)
            #expect(await refusal { try await store.move(claim, to: .failed) } == .staleClaim)
        }
    }

    @Test(arguments: Engine.allCases) func `cannot make a forbidden move`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            #expect(await refusal { try await store.move(claim, to: .expired) } == .wrongState(.running))
            #expect(try store.makeReader().job(claim.record.id) == claim.record)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps its claim as long as its owner renews the lease`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample("kept"))
            try await store.add(.sample("lost"))
            let kept = try #require(
                try await store.claim(limit: 1, owner: "a", now: .noon, lease: .seconds(10)).first)
            let lost = try #require(
                try await store.claim(limit: 1, owner: "b", now: .noon, lease: .seconds(10)).first)
            try await store.renew("a", now: .noon(8), lease: .seconds(10))
            #expect(try await store.recover(now: .noon(9)) == 0)
            #expect(try await store.recover(now: .noon(12)) == 1)
            #expect(await refusal { try await store.move(lost, to: .succeeded) } == .staleClaim)
            #expect(try await store.claim(owner: "c", now: .noon(12)).map(\.record.name) == ["lost"])
            try await store.move(kept, to: .succeeded)
        }
    }

    @Test(arguments: Engine.allCases) func `continues after its lease expired when no other server took over`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try #require(
                try await store.claim(owner: "a", now: .noon, lease: .seconds(10)).first)
            #expect(try await store.recover(besides: "a", now: .noon(99)) == 0)
            try await store.renew("a", now: .noon(100))
            try await store.move(claim, to: .succeeded)
        }
    }
}
