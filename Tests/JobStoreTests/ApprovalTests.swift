import JobKit
import JobStore
import SQLiteStore
import StrictJSON
import Testing

@Suite struct `A stored approval` {
    @Test(arguments: Engine.allCases) func `is opened with the note of its job, and is listed`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let other = try await store.add(.sample())
            let first = try await ask(store, job.id, audience: "finance")
            let second = try await ask(store, other.id)
            let reader = try store.makeReader()
            let shown = try #require(try reader.approval(first.id))
            #expect(shown.request == first)
            #expect(shown.job == job.id)
            #expect(shown.path == ["pay"])
            #expect(shown.openedAt == .noon(1))
            #expect(shown.state(at: .noon(2)) == .open)
            #expect(try reader.approval(ApprovalID(bits: job.id)) == nil)
            var query = ApprovalQuery(now: .noon(2))
            #expect(try reader.approvals(query).approvals.map(\.request.id) == [second.id, first.id])
            query.limit = 1
            let page = try reader.approvals(query)
            #expect(page.hasMore)
            query.after = page.approvals.last?.request.id
            #expect(try reader.approvals(query).approvals.map(\.request.id) == [first.id])
            #expect(try !reader.approvals(query).hasMore)
            query = ApprovalQuery(now: .noon(2))
            query.job = other.id
            #expect(try reader.approvals(query).approvals.map(\.request.id) == [second.id])
            query.job = nil
            query.audience = "finance"
            #expect(try reader.approvals(query).approvals.map(\.request.id) == [first.id])
        }
    }

    @Test(arguments: Engine.allCases) func `takes one answer, which wakes the job`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let asked = try await ask(store, job.id)
            let receipt = try await store.decide(asked.id, true, comment: "fine")
            #expect(receipt.approval.written == .approved)
            #expect(receipt.approval.by == "ada")
            #expect(receipt.approval.comment == "fine")
            #expect(receipt.post.job.state == .queued)
            #expect(!receipt.post.isRunning)
            let code = await refusal { _ = try await store.decide(asked.id, false) }
            #expect(code == .approvalClosed(.approved))
            let claim = try await store.claimOne(now: .noon(9))
            #expect(
                claim.journal.last?.event
                    == .message(
                        JobMessage(
                            by: "ada",
                            content: .approval(
                                id: asked.id.description, isApproved: true, comment: "fine"))))
            #expect(try store.makeReader().approval(asked.id)?.written == .approved)
        }
    }

    @Test(arguments: Engine.allCases) func `takes exactly one of many answers at once`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let asked = try await ask(store, job.id)
            let wins = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask { (try? await store.decide(asked.id, number.isMultiple(of: 2))) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
            #expect(try store.makeReader().journal(job.id, after: 0, limit: 50).count == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `expires by its time, without being read`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let no = try await ask(store, job.id, expiresAt: .noon(60))
            let other = try await store.add(.sample())
            let yes = try await ask(store, other.id, expiresAt: .noon(60), onTimeout: .continue)
            let reader = try store.makeReader()
            func ids(_ state: ApprovalState, _ now: Timestamp) throws -> [ApprovalID] {
                var query = ApprovalQuery(now: now)
                query.states = [state]
                return try reader.approvals(query).approvals.map(\.request.id)
            }
            #expect(try ids(.open, .noon(59)) == [yes.id, no.id])
            #expect(try ids(.open, .noon(60)) == [])
            #expect(try ids(.expired, .noon(60)) == [no.id])
            #expect(try ids(.approved, .noon(60)) == [yes.id])
            let late = await refusal { _ = try await store.decide(no.id, true, at: .noon(60)) }
            #expect(late == .approvalClosed(.expired))
            #expect(try await store.decide(no.id, true, at: .noon(59)).approval.written == .approved)
        }
    }

    @Test(arguments: Engine.allCases) func `that expired in its job's journal takes no answer`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let asked = try await ask(store, job.id)
            let claim = try await wakeAndClaim(store, job.id)
            try await store.update(
                RunUpdate(
                    claim: claim.key,
                    journal: [
                        JournalEntry(
                            at: .noon(5), path: ["pay"], event: .approvalExpired(asked.id, isApproved: false))
                    ]))
            let code = await refusal { _ = try await store.decide(asked.id, true) }
            #expect(code == .approvalClosed(.expired))
        }
    }

    @Test(arguments: Engine.allCases)
    func `is withdrawn when its operation starts or ends, and nothing else is`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let events: [JournalEntry.Event] = [.started, .finished(OperationEnding(state: .cancelled))]
            for event in events {
                let job = try await store.add(.sample())
                let asked = try await ask(store, job.id)
                let claim = try await wakeAndClaim(store, job.id)
                let reader = try store.makeReader()
                try await store.update(
                    RunUpdate(
                        claim: claim.key,
                        journal: [JournalEntry(at: .noon(5), path: ["other"], event: event)]))
                #expect(try reader.approval(asked.id)?.written == .open)
                try await store.update(
                    RunUpdate(
                        claim: claim.key, journal: [JournalEntry(at: .noon(5), path: ["pay"], event: event)]))
                #expect(try reader.approval(asked.id)?.written == .withdrawn)
                let code = await refusal { _ = try await store.decide(asked.id, true) }
                #expect(code == .approvalClosed(.withdrawn))
                try await store.move(claim, to: .succeeded)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `is withdrawn when its job is stopped or over, and erased with it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            let waiting = try await store.add(.sample())
            let first = try await ask(store, waiting.id)
            try await store.cancel(waiting.id)
            #expect(try reader.approval(first.id)?.written == .withdrawn)

            let running = try await store.add(.sample())
            let second = try await ask(store, running.id)
            let claim = try await wakeAndClaim(store, running.id)
            try await store.cancel(running.id)
            #expect(try reader.job(running.id)?.state == .cancelling)
            #expect(try reader.approval(second.id)?.written == .withdrawn)
            try await store.move(claim, to: .cancelled)

            let done = try await store.add(.sample())
            let third = try await ask(store, done.id)
            try await store.decide(third.id, true)
            let next = try await store.claimOne(now: .noon(20))
            try await store.move(next, to: .succeeded)
            #expect(try reader.approval(third.id)?.written == .approved)
            try await store.erase(done.id)
            #expect(try reader.approval(third.id) == nil)
            #expect(try reader.approval(second.id) != nil)
        }
    }

    @Test(arguments: Engine.allCases) func `is answered only for the request that was seen`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let asked = try await ask(store, job.id)
            let code = await refusal { _ = try await store.decide(asked.id, true, digest: "sha256:2") }
            #expect(code == .digestMismatch)
            #expect(try await store.decide(asked.id, true, digest: "sha256:1").approval.written == .approved)
            let unknown = await refusal { _ = try await store.decide(ApprovalID(bits: job.id), true) }
            #expect(unknown == .missing(.approval))
        }
    }

    @Test func `outlives the program in its file`() async throws {
        try await withDirectory { directory in
            let store = try DataDirectory(directory).open()
            let job = try await store.add(.sample())
            let asked = try await ask(store, job.id, audience: "finance", expiresAt: .noon(60))
            await store.close()
            let again = try DataDirectory(directory).open()
            #expect(try again.makeReader().approval(asked.id)?.request == asked)
            try await again.decide(asked.id, false)
            await again.close()
            let last = try DataDirectory(directory).open()
            #expect(try last.makeReader().approval(asked.id)?.written == .rejected)
            await last.close()
        }
    }

    /// Suspends a job that asks for approval.
    private func ask(
        _ store: any JobStore, _ job: JobID, audience: String? = nil, expiresAt: Timestamp? = nil,
        onTimeout: ApprovalQuestion.Fallback = .fail
    ) async throws -> ApprovalRequest {
        let claim = try await store.claimOne()
        #expect(claim.record.id == job)
        var question = ApprovalQuestion(prompt: "Pay?")
        question.audience = audience
        question.onTimeout = onTimeout
        let request = ApprovalRequest(
            id: ApprovalID(bits: .made(at: .noon(1))), question: question,
            request: JSONObject([("method", "POST"), ("url", "https://x.example/pay")]), digest: "sha256:1",
            expiresAt: expiresAt)
        var standing = RunUpdate.Standing(state: .pending, attempt: 0, dueAt: expiresAt)
        standing.wasStarted = false
        try await store.update(
            RunUpdate(
                claim: claim.key,
                journal: [JournalEntry(at: .noon(1), path: ["pay"], event: .approvalRequested(request))],
                standing: standing))
        return request
    }

    private func wakeAndClaim(_ store: any JobStore, _ job: JobID) async throws -> Claim {
        _ = try await store.wake([job])
        let later = SystemClock().now.advanced(by: .seconds(1))
        return try await store.claimOne(now: max(later, .noon(9)))
    }
}
