import ContentFiles
import JobKit
import JobStore
import SQLiteStore
import Testing

extension UploadRecord {
    /// An upload that was sent at `time`.
    fileprivate static func sample(
        at time: Timestamp = .noon, by: String = "ada", sha256: String = String(repeating: "ab", count: 32),
        bytes: Int = 70_000
    ) -> UploadRecord {
        UploadRecord(
            id: UploadID(bits: .made(at: time)), artifact: ArtifactReference(sha256: sha256, bytes: bytes),
            contentType: "text/csv", createdAt: time, createdBy: by)
    }
}

extension NewJob {
    /// A job that uses uploads.
    fileprivate static func using(
        _ uploads: [UploadID], queue: String = "default", at time: Timestamp = .noon, key: String? = nil
    ) -> NewJob {
        var job = sample(queue: queue, createdAt: time, key: key)
        job.uploads = uploads
        return job
    }
}

extension JobStore {
    /// The code with which a job is refused; nil when it is stored.
    fileprivate func refusal(of job: NewJob) async -> JobStoreError.Code? {
        let reply = await withCheckedContinuation { continuation in
            submit(job) { continuation.resume(returning: $0) }
        }
        return if case .failure(let error) = reply { error.code } else { nil }
    }

    /// The code with which an upload is not removed; nil when it is.
    fileprivate func removal(of id: UploadID, at time: Timestamp = .noon(1)) async -> JobStoreError.Code? {
        do throws(JobStoreError) {
            try await perform(UploadRemoval(id, at: time))
            return nil
        } catch {
            return error.code
        }
    }
}

extension Timestamp {
    /// The time at which an upload of noon has expired.
    fileprivate static let dayAfter = noon(86_401)
}

@Suite struct `An upload` {
    @Test(arguments: Engine.allCases)
    func `is kept for a day, and then as long as a job uses it`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let (used, unused) = (UploadRecord.sample(), UploadRecord.sample())
            for upload in [used, unused] { try await store.perform(UploadCreation(upload)) }
            let reader = try store.makeReader()
            #expect(try reader.upload(used.id) == used)
            #expect(try reader.uploads(before: nil, limit: 10).map(\.id) == [unused.id, used.id])
            #expect(try reader.uploads(before: unused.id, limit: 10).map(\.id) == [used.id])
            let jobs = [NewJob.using([used.id]), NewJob.using([used.id])]
            for job in jobs { try await store.add(job) }
            #expect(try reader.upload(used.id)?.isUsed == true)
            #expect(try await store.perform(RowSweep(.uploads, before: .noon(86_400), limit: 10)) == 0)
            #expect(try await store.perform(RowSweep(.uploads, before: .dayAfter, limit: 10)) == 1)
            #expect(try reader.upload(unused.id) == nil)
            // A job names it that does so already: it has not expired for others either.
            #expect(await store.refusal(of: .using([used.id], at: .dayAfter)) == nil)
            for job in try reader.list(JobListQuery()).jobs {
                #expect(await store.removal(of: used.id) == .uploadUsed)
                _ = try await store.cancel(job.id)
                try await store.erase(job.id)
            }
            #expect(try reader.upload(used.id)?.isUsed == false)
            #expect(await store.refusal(of: .using([used.id], at: .dayAfter)) == .missing(.upload))
            #expect(try await store.perform(RowSweep(.uploads, before: .dayAfter, limit: 10)) == 1)
            #expect(try reader.uploads(before: nil, limit: 10).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `is refused where it is unknown, expired or foreign, and nothing is stored`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let own = UploadRecord.sample(by: Tenant("acme").storedText("ada"))
            let operators = UploadRecord.sample()
            for upload in [own, operators] { try await store.perform(UploadCreation(upload)) }
            let unknown = UploadID(bits: .made(at: .noon))
            #expect(await store.refusal(of: .using([unknown])) == .missing(.upload))
            #expect(await store.refusal(of: .using([operators.id, unknown])) == .missing(.upload))
            #expect(await store.refusal(of: .using([own.id])) == .missing(.upload))
            #expect(await store.refusal(of: .using([own.id], queue: "beta/mail")) == .missing(.upload))
            #expect(
                await store.refusal(of: .using([operators.id], queue: "acme/mail")) == .missing(.upload)
            )
            #expect(await store.refusal(of: .using([operators.id], at: .dayAfter)) == .missing(.upload))
            let whole = await withCheckedContinuation { continuation in
                store.submit([.sample(), .using([unknown])], isAtomic: true, isFollowed: false) {
                    continuation.resume(returning: $0)
                }
            }
            #expect(throws: JobStoreError.noUpload(unknown)) { _ = try whole.get() }
            let reader = try store.makeReader()
            #expect(try reader.list(JobListQuery()).jobs.isEmpty)
            #expect(try reader.upload(operators.id)?.isUsed == false)
            #expect(await store.refusal(of: .using([own.id], queue: "acme/mail")) == nil)
            #expect(await store.refusal(of: .using([operators.id], key: "once")) == nil)
            // A repetition finds its job, whatever became of the upload.
            #expect(await store.refusal(of: .using([unknown], key: "once")) == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `is seen, counted and removed by its tenant alone`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            let acme = TenantStore(store, Tenant("acme"), reader: reader)
            let mine = UploadRecord.sample()
            let reply = await withCheckedContinuation { continuation in
                acme.perform(UploadCreation(mine)) { continuation.resume(returning: $0) }
            }
            #expect(try reply.get() == mine)
            let others = UploadRecord.sample()
            try await store.perform(UploadCreation(others))
            let shown = TenantReader(reader, Tenant("acme"))
            #expect(try shown.uploads(before: nil, limit: 10) == [mine])
            #expect(try shown.upload(others.id) == nil)
            #expect(try TenantReader(reader, Tenant("beta")).upload(mine.id) == nil)
            #expect(try reader.artifactBytes(of: Tenant("acme")) == 70_000)
            #expect(try reader.artifactBytes(of: Tenant("beta")) == 0)
            var limits = TenantLimits()
            limits.artifactBytesMax = 100_000
            let meter = TenantMeter(["acme": limits], others: nil, store: store)
            #expect(try await meter.refusal(ofContent: 30_000, by: Tenant("acme")) == nil)
            let refusal = try await meter.refusal(ofContent: 30_001, by: Tenant("acme"))
            #expect(refusal?.code == .tenantLimited(seconds: 60))
            #expect(refusal?.detail.contains("70000 bytes") == true)
            #expect(try await meter.refusal(ofContent: 1 << 40, by: Tenant("beta")) == nil)
            let tally = ContentTally(meter)
            #expect(try tally.begin(1 << 40, of: Tenant("beta")) == nil)
            #expect(throws: JobStoreError.self) { try tally.begin(.max, of: Tenant("acme")) }
            var entries = try (0..<2).compactMap { _ in try tally.begin(nil, of: Tenant("acme")) }
            #expect(entries.count == 2)
            for entry in entries { #expect(entry.take(20_000) == nil) }
            // Each has room, and both have not.
            #expect(try await entries[0].refusal() == nil)
            #expect(try await entries[1].refusal()?.code == .tenantLimited(seconds: 60))
            entries[0].end()
            #expect(try await tally.begin(nil, of: Tenant("acme"))?.refusal() == nil)
            #expect(throws: JobStoreError.self) { try tally.begin(80_001, of: Tenant("acme")) }
            #expect(entries[1].take(80_001)?.code == .tenantLimited(seconds: 60))
            entries = []
            #expect(try tally.begin(100_000, of: Tenant("acme")) != nil)
            func removal(_ id: UploadID) async -> JobStoreError.Code? {
                let reply = await withCheckedContinuation { continuation in
                    acme.perform(UploadRemoval(id, at: .noon)) { continuation.resume(returning: $0) }
                }
                return if case .failure(let error) = reply { error.code } else { nil }
            }
            #expect(await removal(others.id) == .missing(.upload))
            #expect(await removal(mine.id) == nil)
            #expect(await removal(mine.id) == .missing(.upload))
            #expect(try reader.uploads(before: nil, limit: 10) == [others])
            // Empty ones are not free.
            let empty = UploadRecord.sample(by: Tenant("acme").storedText("ada"), bytes: 0)
            try await store.perform(UploadCreation(empty))
            #expect(try reader.artifactBytes(of: Tenant("acme")) == 4_096)
        }
    }

    @Test(arguments: Engine.allCases) func `is one of a limited number`(_ engine: Engine) async throws {
        var limits = StoreLimits()
        limits.uploadsMax = 1
        try await engine.withStore(limits: limits) { store in
            try await store.perform(UploadCreation(.sample()))
            await #expect(throws: JobStoreError.uploadsFull(1)) {
                try await store.perform(UploadCreation(.sample()))
            }
        }
    }

    @Test func `keeps its file until it is removed`() async throws {
        try await withDirectory { directory in
            var options = SQLiteOptions()
            options.artifacts = ArtifactOptions { PlainSHA256() }
            let store = try DataDirectory(directory).open(options)
            let place = try #require(store.artifacts)
            let files = ArtifactDirectory(existing: directory + "/artifacts")
            let draft = try place.fileDraft(for: "upload")
            try draft.append(Array("short".utf8).span)
            guard case .artifact(let artifact) = try await draft.finish() else {
                throw Unexpected("in memory")
            }
            let path = files.place(of: artifact.sha256)
            let upload = UploadRecord.sample(sha256: artifact.sha256, bytes: artifact.bytes)
            try await store.perform(UploadCreation(upload))
            place.release(owner: "upload")
            try await store.perform(RowSweep(.uploads, before: .noon, limit: 1))
            #expect(ArtifactDirectory.byteCount(path) == 5)
            #expect(await store.removal(of: upload.id) == nil)
            while ArtifactDirectory.byteCount(path) != nil { try await Task.sleep(for: .milliseconds(2)) }
            // One that is given up leaves nothing.
            var lost: (any ArtifactDraft)? = try place.fileDraft(for: "lost")
            try lost?.append(Array("part".utf8).span)
            lost = nil
            while !files.names(in: "drafts").isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            await store.close()
        }
    }
}
