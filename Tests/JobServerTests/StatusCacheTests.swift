import JobKit
import JobStore
import Testing

@testable import JobServer

@Suite struct `The cache of jobs that were read` {
    let cache = StatusCache()

    private func job(_ low: UInt64, revision: Int64 = 1, name: String = "job") -> JobRecord {
        var job = JobRecord(
            id: JobID(high: 7, low: low), name: name, type: "value", queue: "default", priority: 5,
            labels: [], state: .queued, attemptsMax: 1, createdAt: Timestamp(milliseconds: 0),
            keepSucceededMilliseconds: 0, keepFailedMilliseconds: 0)
        job.revision = revision
        return job
    }

    /// Reads a job as an endpoint does.
    private func read(_ job: JobRecord, whileReading: () -> Void = {}) {
        guard case .missed(let ticket) = cache.look(for: job.id) else { return }
        whileReading()
        cache.keep(ShownJob(job), ticket)
    }

    private func revision(_ job: JobRecord) -> Int64? {
        guard case .found(let shown) = cache.look(for: job.id) else { return nil }
        return shown.job.revision
    }

    @Test func `returns a stored answer`() {
        read(job(1, revision: 3))
        #expect(revision(job(1)) == 3)
        #expect(revision(job(2)) == nil)
    }

    @Test func `forgets a job that changed`() {
        read(job(1))
        cache.observe([JobChange(id: job(1).id, state: .running, revision: 2)])
        #expect(revision(job(1)) == nil)
        read(job(1, revision: 2))
        #expect(revision(job(1)) == 2)
    }

    @Test func `does not store an answer read during a change of the job`() {
        read(job(1)) { cache.observe([JobChange(id: job(1).id, state: .running, revision: 2)]) }
        #expect(revision(job(1)) == nil)
    }

    @Test func `has nothing about a job from before its commit can be read until it is reported`() {
        let change = JobChange(id: job(1).id, state: .cancelled, revision: 2)
        read(job(1))
        cache.expect([change])
        #expect(revision(job(1)) == nil)
        // It may be read from before the commit, or from after it.
        read(job(1))
        #expect(revision(job(1)) == nil)
        read(job(1)) { cache.observe([change]) }
        #expect(revision(job(1)) == nil)
        read(job(1, revision: 2))
        #expect(revision(job(1)) == 2)
    }

    @Test func `has no end of a job while it is tried again`() {
        cache.observe([end(job(1, revision: 3))])
        cache.expect([JobChange(id: job(1).id, state: .queued, revision: 4)])
        #expect(cache.latestChange(of: job(1).id)?.ended == nil)
        guard case .missed = cache.look(for: job(1).id) else {
            Issue.record("something old is known")
            return
        }
    }

    @Test func `has a job again after a commit that failed, with the next one`() {
        read(job(1)) {
            cache.expect([JobChange(id: job(1).id, state: .cancelled, revision: 2)])
            cache.expect([])
        }
        #expect(revision(job(1)) == nil)
        read(job(1))
        #expect(revision(job(1)) == 1)
    }

    @Test func `gives the place of a job to another one that was read later`() {
        let other = job(1 + UInt64(StatusCache.slotsMax))
        read(job(1))
        read(other)
        #expect(revision(job(1)) == nil)
        #expect(revision(other) == 1)
        cache.observe([JobChange(id: job(1).id, state: nil, revision: 2)])
        #expect(revision(other) == 1)
    }

    @Test func `has the latest commit of a job, until another one takes its entry`() {
        let other = job(1 + UInt64(StatusCache.slotsMax))
        #expect(cache.latestChange(of: job(1).id) == nil)
        cache.observe([
            JobChange(id: job(1).id, state: .running, revision: 2),
            JobChange(id: job(1).id, state: .cancelled, revision: 3),
        ])
        #expect(cache.latestChange(of: job(1).id)?.state == .cancelled)
        #expect(cache.latestChange(of: other.id) == nil)
        cache.observe([JobChange(id: other.id, state: .queued, revision: 1)])
        #expect(cache.latestChange(of: job(1).id) == nil)
    }

    /// The commit that ends a job.
    private func end(_ job: JobRecord) -> JobChange {
        var change = JobChange(id: job.id, state: job.state, revision: job.revision)
        change.ended = EndedJob(job)
        return change
    }

    @Test func `has a job that ended without reading it, until it is tried again`() {
        cache.observe([end(job(1, revision: 3))])
        guard case .ended(let ended, let ticket) = cache.look(for: job(1).id) else {
            Issue.record("nothing is known")
            return
        }
        #expect(ended.revision == 3)
        cache.keep(ShownJob(ended), ticket)
        #expect(revision(job(1)) == 3)
        cache.observe([JobChange(id: job(1).id, state: .queued, revision: 4)])
        guard case .missed(let late) = cache.look(for: job(1).id) else {
            Issue.record("something old is known")
            return
        }
        cache.keep(ShownJob(ended), ticket)
        #expect(revision(job(1)) == nil)
        cache.keep(ShownJob(job(1, revision: 4)), late)
        #expect(revision(job(1)) == 4)
    }

    @Test func `keeps no large job that ended`() {
        var large = job(1, revision: 3)
        let text = String(repeating: "d", count: StatusCache.bodyBytesMax)
        large.detail = StoredDetail(JobDetail(errors: [AOperationError("test.large", detail: text)]))
        cache.observe([end(large)])
        guard case .missed = cache.look(for: large.id) else {
            Issue.record("it was kept")
            return
        }
        #expect(cache.latestChange(of: large.id)?.revision == 3)
    }

    @Test func `keeps no large job`() {
        read(job(1, name: String(repeating: "n", count: StatusCache.bodyBytesMax)))
        #expect(revision(job(1)) == nil)
    }
}
