import JobKit
import JobStore
import Testing

@Suite struct `A tenant` {
    @Test func `has names and keys that no other text is taken for`() {
        let acme = Tenant("acme")
        #expect(acme.own(acme.stored("\u{301}x"))?.utf8.count == 3)
        for text in ["k", "acme/k", "", "a\u{1}b", "\u{301}k"] {
            #expect(OwnedText.shown(acme.storedText(text)) == text)
            #expect(acme.ownsText(acme.storedText(text)))
            #expect(Tenant(ofText: acme.storedText(text)) == acme)
            #expect(!Tenant("beta").ownsText(acme.storedText(text)))
        }
        for text in ["acme/k", "acme", "acme\u{1}k", "\u{1}acme\u{1}k"] {
            let stored = OwnedText.stored(text, of: "")
            #expect(OwnedText.shown(stored) == text)
            #expect(Tenant(ofText: stored) == nil)
            #expect(!acme.ownsText(stored))
        }
        #expect(OwnedText.stored("acme/k", of: "") == "acme/k")
    }

    @Test(arguments: [
        ("hooks", "acme/deploy"), ("secrets", "acme/deploy"), ("templates", "acme/deploy"),
        ("grants", "acme/deploy"), ("jobs", "deploy"), ("bulk-actions", "deploy"),
    ]) func `leaves records of changes with the stored name`(_ kind: String, _ target: String) {
        let record = AuditRecord(at: .noon, by: "ada", kind: kind, action: "put", target: "deploy")
        #expect(Tenant("acme").stored(record).target == target)
        #expect(Tenant("acme").shown(Tenant("acme").stored(record)).target == "deploy")
    }

    @Test func `reads its own names in a sentence`() {
        let sentence = "3 jobs of queue v1/mail wait: see v1/a, \"v1/b\" and /v1/jobs or http://x/dev1/v1/c."
        #expect(
            Tenant("v1").shown(sentence: sentence)
                == "3 jobs of queue mail wait: see a, \"b\" and /v1/jobs or http://x/dev1/v1/c.")
        #expect(Tenant("v1").shown(sentence: "v1/") == "")
        #expect(Tenant("v1").shown(sentence: "v1") == "v1")
    }

    @Test(arguments: Engine.allCases) func `reads its own jobs and no others`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            var ids: [String: [JobID]] = [:]
            for queue in ["acme/mail", "acme/default", "beta/mail", "default", "acmes/mail", "mail"] {
                for name in ["one", "two"] {
                    var job = NewJob.sample(name)
                    job.record.queue = queue
                    ids[queue, default: []].append(try await store.add(job).id)
                }
            }
            let reader = try store.makeReader()
            let acme = TenantReader(reader, Tenant("acme"))
            let own = (ids["acme/mail"] ?? []) + (ids["acme/default"] ?? [])
            #expect(Set(try acme.list(JobListQuery()).jobs.map(\.id)) == Set(own))
            #expect(Set(try acme.list(JobListQuery()).jobs.map(\.queue)) == ["mail", "default"])
            #expect(Set(try acme.ids(JobListQuery()).ids) == Set(own))
            var query = JobListQuery()
            query.queue = "mail"
            #expect(Set(try acme.list(query).jobs.map(\.id)) == Set(ids["acme/mail"] ?? []))
            query.queue = nil
            query.name = "one"
            query.states = [.queued]
            #expect(try acme.list(query).jobs.count == 2)
            let counts = try acme.count(JobListQuery(), by: [.queue], examinedMax: 100)
            #expect(counts.total == 4)
            #expect(Set(counts.groups.map { $0.values[0] }) == ["mail", "default"])
            query = JobListQuery()
            query.limit = 3
            var page = try acme.list(query)
            #expect(page.jobs.count == 3)
            query.after = page.next?.id
            page = try acme.list(query)
            #expect(page.jobs.count == 1)
            #expect(page.next == nil)
            let foreign = try #require(ids["beta/mail"]?.first)
            #expect(try acme.job(foreign) == nil)
            #expect(try acme.spec(foreign) == nil)
            #expect(try acme.journal(foreign, after: 0, limit: 10).isEmpty)
            #expect(try acme.job(try #require(own.first))?.queue == "mail")
            #expect(try TenantReader(reader, Tenant("elsewhere")).list(JobListQuery()).jobs.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `changes its own jobs and no others`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            var job = NewJob.sample()
            job.record.queue = "beta/mail"
            let id = try await store.add(job).id
            let acme = TenantStore(store, Tenant("acme"), reader: try store.makeReader())
            let entry = JournalEntry(at: .noon, path: [], event: .retried(by: "ada"))
            #expect(await acme.code(CancelRequest(id: id, at: .noon, journal: entry)) == .missing(.job))
            #expect(await acme.code(JobRetry(id, journal: entry)) == .missing(.job))
            #expect(await acme.code(JobPost(id: id, journal: entry)) == .missing(.job))
            #expect(await acme.code(JobErasure(id)) == .missing(.job))
            #expect(try store.makeReader().job(id)?.state == .queued)
            let made = BulkRecord(
                id: BulkID(bits: .made(at: .noon)), body: [], perSecond: nil, createdAt: .noon,
                createdBy: "beta\u{1}ada", total: 1)
            try await store.perform(BulkCreation(made, of: [id]))
            #expect(await acme.code(BulkStop(made.id, by: "ada", at: .noon)) == .missing(.bulk))
            #expect(await acme.code(GrantDecision(GrantRecord(name: "mail"), at: .noon)) == nil)
            #expect(try store.makeReader().grant("acme/mail") != nil)
            #expect(await acme.code(GrantRemoval("acme/mail", at: .noon)) == .missing(.grant))
            #expect(await acme.code(GrantRemoval("mail", at: .noon)) == nil)
            let record = AuditRecord(at: .noon, by: "ada", kind: "queues", action: "put", target: "mail")
            #expect(await acme.code(record) == nil)
            let reader = try store.makeReader()
            #expect(try reader.audits(before: nil, limit: 9).map(\.by) == ["acme\u{1}ada"])
            let shown = try TenantReader(reader, Tenant("acme")).audits(before: nil, limit: 9)
            #expect(shown.map(\.by) == ["ada"])
            #expect(shown.map(\.target) == ["mail"])
            #expect(try TenantReader(reader, Tenant("beta")).audits(before: nil, limit: 9) == [])
        }
    }

    @Test func `changes its own templates, settings and schedules and no others`() async throws {
        try await Engine.memory.withStore { store in
            let template = TemplateRecord(name: "t", body: [1], createdAt: .noon, createdBy: "ada")
            let draft = SettingDraft(kind: .origin, name: "h", updatedAt: .noon, updatedBy: "ada") { _ in [1]
            }
            let change = ScheduleChange(
                of: nil,
                to: ScheduleRecord(
                    name: "s", version: 1, body: [1], updatedAt: .noon, updatedBy: "ada",
                    progress: ScheduleProgress()))
            try await store.perform(TemplateDraft(template))
            try await store.perform(draft)
            try await store.perform(change)
            let acme = TenantStore(store, Tenant("acme"), reader: try store.makeReader())
            #expect(await acme.code(TemplateRemoval("t")) == .missing(.template))
            #expect(await acme.code(SettingRemoval(.origin, "h")) == .missing(.setting(.origin)))
            #expect(await acme.code(ScheduleRemoval("s", revision: 1)) == .missing(.schedule))
            #expect(await acme.code(TemplateDraft(template)) == nil)
            #expect(await acme.code(draft) == nil)
            #expect(await acme.code(change) == nil)
            let reader = try store.makeReader()
            #expect(try reader.templates().map(\.name).sorted() == ["acme/t", "t"])
            #expect(try reader.settings(.origin).map(\.name) == ["acme/h", "h"])
            #expect(try reader.schedules(after: "", limit: 9).map(\.name) == ["acme/s", "s"])
            #expect(await acme.code(TemplateRemoval("t")) == nil)
            #expect(await acme.code(SettingRemoval(.origin, "h")) == nil)
            #expect(await acme.code(ScheduleRemoval("s", revision: 1)) == nil)
        }
    }

    @Test func `may make the jobs of a schedule again that were refused`() async throws {
        var (limits, quota) = (StoreLimits(), TenantLimits())
        limits.unfinishedJobsMax = 1
        quota.unfinishedMax = 1
        try await Engine.memory.withStore(limits: limits) { [quota] store in
            try await store.add(.sample("other"))
            let meter = TenantMeter(["acme": quota], others: nil, store: store)
            let acme = TenantStore(store, Tenant("acme"), reader: try store.makeReader(), meter: meter)
            for revision: Int64? in [nil, 1] {
                let job = NewJob.sample()
                let record = ScheduleRecord(
                    name: "s", version: 1, body: [1], updatedAt: .noon, updatedBy: "ada",
                    progress: ScheduleProgress())
                let occurrence = Occurrence(
                    scheduledFor: .noon((revision ?? 0) * 60), outcome: .job(job.record.id),
                    decidedAt: .noon)
                let planned = ScheduleChange.Planned(occurrence, job: job)
                let change = ScheduleChange(of: revision, to: record, planned: [planned])
                #expect(await acme.code(change) == nil)
            }
        }
    }
}

extension TenantStore {
    /// The code with which a write is refused.
    fileprivate func code<Write: RequestWrite>(_ write: Write) async -> JobStoreError.Code? {
        let reply = await withCheckedContinuation { continuation in
            perform(write) { continuation.resume(returning: $0) }
        }
        return if case .failure(let error) = reply { error.code } else { nil }
    }
}
