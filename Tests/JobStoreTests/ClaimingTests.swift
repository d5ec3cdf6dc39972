import JobJournal
import JobKit
import JobStore
import Testing

@Suite struct `Claiming jobs` {
    @Test(arguments: Engine.allCases) func `knows how many are taken before`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.sample(priority: 5))
            let second = try await store.add(.sample(priority: 5))
            let urgent = try await store.add(.sample(priority: 9))
            let later = try await store.add(.sample(dueAt: .noon(60)))
            let reader = try store.makeReader()
            #expect(try reader.ahead(of: urgent.id) == 0)
            #expect(try reader.ahead(of: first.id) == 1)
            #expect(try reader.ahead(of: second.id) == 2)
            #expect(try reader.ahead(of: later.id) == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `takes the highest priority first, then the oldest`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for (name, priority, created) in [
                ("c", 5, 2), ("d", 5, 3), ("b", 5, 1), ("a", 9, 4), ("e", 0, 0),
            ] {
                try await store.add(.sample(name, priority: priority, createdAt: .noon(Int64(created))))
            }
            let first = try await store.claim(limit: 2, now: .noon(9))
            let rest = try await store.claim(limit: 9, now: .noon(9))
            #expect((first + rest).map(\.record.name) == ["a", "b", "c", "d", "e"])
            #expect(try await store.claim(now: .noon(9)).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `mixes due jobs with queued ones`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample("late", createdAt: .noon(3)))
            try await store.add(.sample("due", dueAt: .noon(2)))
            try await store.add(.sample("early", createdAt: .noon(1)))
            try await store.add(.sample("urgent", priority: 8, dueAt: .noon(5)))
            try await store.add(.sample("future", dueAt: .noon(100)))
            let names = try await store.claim(now: .noon(10)).map(\.record.name)
            #expect(names == ["urgent", "early", "due", "late"])
            #expect(try await store.claim(now: .noon(99)).isEmpty)
            #expect(try await store.claim(now: .noon(100)).map(\.record.name) == ["future"])
        }
    }

    /// Requests at noon jobs that fall due within ten seconds, too.
    private func ahead(limit: Int = 10, max: Int) -> ClaimRequest {
        var request = ClaimRequest(limit: limit, owner: "server", now: .noon)
        request.ahead = .seconds(10)
        request.aheadMax = max
        return request
    }

    @Test(arguments: Engine.allCases) func `takes jobs that are due soon after the due ones`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample("later", dueAt: .noon(11)))
            try await store.add(.sample("second", dueAt: .noon(10)))
            try await store.add(.sample("first", dueAt: .noon(2)))
            try await store.add(.sample("urgent", priority: 9, dueAt: .noon(3)))
            try await store.add(.sample("due", priority: 0, dueAt: .noon))
            try await store.add(.sample("queued"))
            let claims = try await store.claim(ahead(max: 10))
            #expect(claims.map(\.record.name) == ["queued", "due", "urgent", "first", "second"])
            #expect(claims.map(\.record.startedAt) == [.noon, .noon, .noon(3), .noon(2), .noon(10)])
            #expect(try await store.claim(ahead(max: 10)).isEmpty)
            #expect(try await store.claim(now: .noon(11)).map(\.record.name) == ["later"])
        }
    }

    @Test(arguments: Engine.allCases) func `takes no more before its date than was asked for`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for second in 1...4 { try await store.add(.sample("\(second)", dueAt: .noon(Int64(second)))) }
            try await store.add(.sample("due", dueAt: .noon))
            #expect(try await store.claim(ahead(max: 1)).map(\.record.name) == ["due", "1"])
            #expect(try await store.claim(ahead(max: 0)).isEmpty)
            #expect(try await store.claim(ahead(limit: 2, max: 9)).map(\.record.name) == ["2", "3"])
        }
    }

    @Test(arguments: Engine.allCases) func `leaves jobs that may expire before their date`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample("expires", dueAt: .noon(5), expiresAt: .noon(7)))
            try await store.add(.sample("lasts", dueAt: .noon(6), expiresAt: .noon(11)))
            #expect(try await store.claim(ahead(max: 9)).map(\.record.name) == ["lasts"])
            #expect(try await store.claim(now: .noon(6)).map(\.record.name) == ["expires"])
        }
    }

    @Test(arguments: Engine.allCases) func `returns the spec and a running record`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let new = NewJob.sample(dueAt: .noon(1))
            try await store.add(new)
            let claim = try await store.claimOne(now: .noon(7))
            #expect(claim.record.state == .running)
            #expect(claim.record.startedAt == .noon(7))
            #expect(claim.record.fence == 1)
            #expect(claim.record.revision == 2)
            #expect(claim.record.dueAt == nil)
            #expect(claim.spec == new.spec)
            #expect(claim.journal.isEmpty)
            #expect(try store.makeReader().job(new.record.id) == claim.record)
        }
    }

    @Test(arguments: Engine.allCases) func `gives each job to one claimer only`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            for _ in 0..<200 { try await store.add(.sample()) }
            let claimed = try await withThrowingTaskGroup(of: [JobID].self) { group in
                for owner in 0..<40 {
                    group.addTask {
                        try await store.claim(limit: 7, owner: OwnerID("\(owner)")).map(\.record.id)
                    }
                }
                return try await group.reduce(into: [JobID]()) { $0 += $1 }
            }
            #expect(claimed.count == 200)
            #expect(Set(claimed).count == 200)
        }
    }

    @Test(arguments: Engine.allCases) func `leaves expired jobs`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample("old", expiresAt: .noon(5)))
            try await store.add(.sample("old and due", dueAt: .noon(4), expiresAt: .noon(5)))
            try await store.add(.sample("new", expiresAt: .noon(6)))
            #expect(try await store.claim(now: .noon(5)).map(\.record.name) == ["new"])
        }
    }

    @Test(arguments: Engine.allCases) func `takes a started job again although its expiry is past`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample(expiresAt: .noon(5)))
            try await store.move(try await store.claimOne(), to: .waiting, dueAt: .noon(50))
            let again = try await store.claimOne(now: .noon(50))
            #expect(again.record.startedAt == .noon)
            #expect(again.record.fence == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `comes with the journal so far`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            let entries = (1...3).map { JournalEntry(at: .noon($0), path: ["a", "\($0)"], event: .started) }
            try await store.update(RunUpdate(claim: claim.key, journal: entries))
            try await store.move(claim, to: .retrying, dueAt: .noon(9))
            let again = try await store.claimOne(now: .noon(9))
            #expect(again.journal == entries)
            #expect(again.journalEnd == 3)
        }
    }

    @Test(arguments: Engine.allCases) func `includes a summary and the later entries`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let entries = entries(5)
            let first = try await store.suspend(
                noting: [Array(entries[..<3]), [entries[3]]],
                summary: JournalSummary(last: 3, entries: [entries[1]]))
            let second = try await store.claimOne(now: .noon(9))
            #expect(second.journal == [entries[1], entries[3]])
            #expect(second.journalEnd == 4)
            try await store.update(RunUpdate(claim: second.key, journal: [entries[4]]))
            try await store.move(second, to: .waiting, dueAt: .noon(19))
            let third = try await store.claimOne(now: .noon(19))
            #expect(third.journal == [entries[1], entries[3], entries[4]])
            #expect(
                try store.makeReader().journal(first.record.id, after: 0, limit: 9).map(\.entry) == entries)
        }
    }

    @Test(arguments: Engine.allCases) func `forgets the summary with the end of the job`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let entries = entries(2)
            let first = try await store.suspend(
                noting: [entries, []], summary: JournalSummary(last: 2, entries: [entries[0]]))
            try await store.move(try await store.claimOne(now: .noon(9)), to: .failed, at: .noon(9))
            _ = try await store.retry(first.record.id, at: .noon(10))
            #expect(try await store.claimOne(now: .noon(11)).journal.prefix(2) == entries[...])
        }
    }

    @Test(arguments: Engine.allCases) func `knows when the next job falls due`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            #expect(try await store.nextDueAt() == nil)
            try await store.add(.sample())
            #expect(try await store.nextDueAt() == nil)
            try await store.add(.sample(priority: 1, dueAt: .noon(7)))
            try await store.add(.sample(priority: 9, dueAt: .noon(8)))
            #expect(try await store.nextDueAt() == .noon(7))
            _ = try await store.claim(now: .noon(7))
            #expect(try await store.nextDueAt() == .noon(8))
        }
    }
}

private func entries(_ count: Int64) -> [JournalEntry] {
    (1...count).map { JournalEntry(at: .noon($0), path: ["a", "\($0)"], event: .started) }
}

extension JobStore {
    /// A job with these entries in these writes, suspended with a summary in the last of them.
    fileprivate func suspend(noting writes: [[JournalEntry]], summary: JournalSummary) async throws -> Claim {
        try await add(.sample())
        let claim = try await claimOne()
        for journal in writes.dropLast() { try await update(RunUpdate(claim: claim.key, journal: journal)) }
        var word = RunUpdate(
            claim: claim.key, journal: writes.last ?? [],
            standing: .init(state: .waiting, attempt: 0, dueAt: .noon(9)))
        word.summary = summary
        try await update(word)
        return claim
    }
}
