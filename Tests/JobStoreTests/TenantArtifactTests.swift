import JobJournal
import JobKit
import JobSpec
import JobStore
import Testing

@Suite struct `The content of a tenant's jobs` {
    @Test(arguments: Engine.allCases)
    func `counts for the limit of its tenant, and for no other`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            var limits = TenantLimits()
            limits.artifactBytesMax = 100_000
            let meter = TenantMeter([:], others: limits, store: store)
            let artifact = ArtifactReference(sha256: String(repeating: "ab", count: 32), bytes: 70_000)
            var job = NewJob.sample()
            job.record.queue = "acme/mail"
            try await store.add(job)
            _ = try await store.finish(try await store.claimOne(), with: artifact)
            let reader = try store.makeReader()
            // Each use counts: that of the operation, and that of the job.
            #expect(try reader.artifactBytes(of: Tenant("acme")) == 140_000)
            #expect(try reader.artifactBytes(of: Tenant("beta")) == 0)
            func refusal(_ tenant: String) -> JobStoreError? {
                meter.admit([JobID(high: 1, low: 2)], of: Tenant(tenant), at: .noon).refusal
            }
            // The first submission has them read.
            while refusal("acme") == nil { try await Task.sleep(for: .milliseconds(5)) }
            #expect(refusal("acme")?.code == .tenantLimited(seconds: 60))
            #expect(refusal("acme")?.detail.contains("140000 bytes") == true)
            #expect(refusal("beta") == nil)
            try await store.erase(try #require(try reader.list(JobListQuery()).jobs.first?.id))
            #expect(try reader.artifactBytes(of: Tenant("acme")) == 0)
            while meter.admit([], of: Tenant("acme"), at: .noon(6_000)).refusal != nil {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
