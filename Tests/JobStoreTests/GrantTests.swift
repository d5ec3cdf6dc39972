import JobKit
import JobStore
import SQLiteStore
import Testing

@Suite struct `A stored grant` {
    @Test(arguments: Engine.allCases) func `keeps its decision, and is listed by its name`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            var mail = GrantRecord(name: "mail")
            mail.decided = .granted
            mail.scopes = ["send", "read"]
            mail.expiresAt = .noon(60)
            mail.reason = "for the tests"
            mail.updatedAt = .noon
            mail.updatedBy = "ada"
            let first = try await store.put(mail)
            #expect(first.isNew)
            mail.version = 1
            mail.createdAt = .noon
            mail.createdBy = "ada"
            #expect(first.grant == mail)
            var bank = GrantRecord(name: "bank")
            bank.decided = .denied
            try await store.put(bank)
            bank.version = 1
            #expect(try await !store.put(bank).isNew)
            let reader = try store.makeReader()
            #expect(try reader.grant("mail") == mail)
            #expect(try reader.grant("nobody") == nil)
            #expect(try reader.grants(after: "", limit: 10) == [bank, mail])
            #expect(try reader.grants(after: "bank", limit: 10) == [mail])
            #expect(try reader.grants(after: "", limit: 1) == [bank])
            #expect(mail.status(at: .noon(59)) == .granted)
            #expect(mail.status(at: .noon(60)) == .expired)
            _ = try await store.removeGrant("bank")
            #expect(try reader.grant("bank") == nil)
            #expect(await refusal { _ = try await store.removeGrant("bank") } == .missing(.grant))
        }
    }

    @Test(arguments: Engine.allCases) func `is asked for once, until it is decided or over`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let (a, b) = (JobID.made(at: .noon), JobID.made(at: .noon))
            let first = GrantRequest(job: a, scope: "send", at: .noon(1))
            let asked = try await store.request("mail", first)
            #expect(asked.request == first)
            #expect(asked.decided == .undetermined)
            let again = try await store.request("mail", GrantRequest(job: b, scope: nil, at: .noon(2)))
            #expect(again.request == first)
            var grant = GrantRecord(name: "mail")
            grant.decided = .granted
            grant.expiresAt = Timestamp(milliseconds: .max)
            try await store.put(grant)
            let later = GrantRequest(job: b, scope: nil, at: .noon(3))
            #expect(try await store.request("mail", later).request == nil)
            grant.expiresAt = .noon(2)
            try await store.put(grant, at: .noon(1))
            #expect(try await store.request("mail", later).request == later)
        }
    }

    @Test(arguments: Engine.allCases) func `wakes the waiting jobs when it is decided`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            _ = try await store.request("mail", GrantRequest(job: job.id, scope: nil, at: .noon))
            try await suspend(store, try await store.claimOne(), for: "mail")
            let reader = try store.makeReader()
            let key = GrantRequest.wakeKey("mail")
            #expect(try reader.waiting(for: key, limit: 10) == [job.id])
            var other = GrantRecord(name: "bank")
            other.decided = .granted
            #expect(try await store.put(other).wake.woken == 0)
            var grant = GrantRecord(name: "mail")
            grant.decided = .denied
            #expect(try await store.put(grant).wake.woken == 1)
            #expect(try reader.job(job.id)?.state == .queued)
            #expect(try reader.waiting(for: key, limit: 10) == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `that is decided during the suspension of a job keeps no job waiting`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            _ = try await store.request("mail", GrantRequest(job: job.id, scope: nil, at: .noon))
            var grant = GrantRecord(name: "mail")
            grant.decided = .granted
            try await store.put(grant)
            try await suspend(store, claim, for: "mail")
            #expect(try store.makeReader().job(job.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases)
    func `that is removed during the suspension of a job is requested again`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            _ = try await store.request("mail", GrantRequest(job: job.id, scope: nil, at: .noon))
            #expect(try await store.removeGrant("mail").woken == 0)
            try await suspend(store, claim, for: "mail")
            #expect(try store.makeReader().job(job.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases)
    func `that is decided wakes the first of many jobs at once, and the others in parts`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let count = WakeReceipt.part + 5
            for _ in 0..<count { try await store.add(.sample()) }
            let claims = try await store.claim(limit: count, owner: "a")
            for name in ["bank", "mail"] {
                let request = GrantRequest(job: claims[0].record.id, scope: nil, at: .noon)
                _ = try await store.request(name, request)
            }
            for (place, claim) in claims.enumerated() {
                try await suspend(store, claim, for: place == 0 ? "bank" : "mail")
            }
            #expect(try await store.wakeSettled(limit: 3) == WakeReceipt(woken: 0, isMore: false))
            var grant = GrantRecord(name: "mail")
            grant.decided = .granted
            let wake = try await store.put(grant).wake
            #expect(wake == WakeReceipt(woken: WakeReceipt.part, isMore: true))
            #expect(try await store.wakeSettled(limit: 3) == WakeReceipt(woken: 3, isMore: true))
            #expect(try await store.wakeSettled(limit: 3) == WakeReceipt(woken: 1, isMore: true))
            #expect(try await store.wakeSettled(limit: 3) == WakeReceipt(woken: 0, isMore: false))
            // The job that waits for another grant still does.
            #expect(store.counts() == [.queued: count - 1, .pending: 1])
            #expect(try await store.removeGrant("bank").woken == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `beyond the limit is refused`(_ engine: Engine) async throws {
        var limits = StoreLimits()
        limits.grantsMax = 1
        try await engine.withStore(limits: limits) { store in
            try await store.put(GrantRecord(name: "a"))
            try await store.put(GrantRecord(name: "a"))
            #expect(await refusal { try await store.put(GrantRecord(name: "b")) } == .full(.grant))
            let request = GrantRequest(job: .made(at: .noon), scope: nil, at: .noon)
            #expect(await refusal { _ = try await store.request("b", request) } == .full(.grant))
        }
    }

    @Test func `outlives the program in its file`() async throws {
        try await withDirectory { directory in
            let store = try DataDirectory(directory).open()
            let request = GrantRequest(job: .made(at: .noon), scope: "send", at: .noon(1))
            let asked = try await store.request("mail", request)
            await store.close()
            let again = try DataDirectory(directory).open()
            #expect(try again.makeReader().grant("mail") == asked)
            await again.close()
        }
    }

    private func suspend(_ store: any JobStore, _ claim: Claim, for name: String) async throws {
        var standing = RunUpdate.Standing(state: .pending, attempt: 0)
        standing.wakeKeys = [GrantRequest.wakeKey(name)]
        standing.wasStarted = false
        standing.postsSeen = claim.posts
        try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
    }
}
