import DurableJobs
import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto

/// Applies the rules of a single request to one job of a bulk action.
struct BulkDecision: Sendable {
    let request: BulkRequest
    /// The tenant whose jobs alone may be changed; nil may change all.
    var tenant: Tenant?
    /// Holds the tenant to its limits.
    var meter: TenantMeter?
    /// The name of the caller who created the bulk action.
    let by: String
    /// Reads the specs of jobs that are submitted again.
    let intake: Intake
    var random = RandomWords()

    func verdict(_ job: JobRecord, at now: Timestamp) -> BulkStep.Verdict {
        if let tenant, !tenant.owns(job.queue) {
            return .skip(code: "job.not_found", detail: JobStoreError.notFound(job.id).detail)
        }
        if case .filter(let query) = request.jobs, !query.stillShows(job) {
            return .skip(
                code: "bulk.no_match",
                detail: "The job is \(job.state.rawValue) by now, and does not match the filter any more.")
        }
        switch request.action {
        case .cancel: return cancel(job, at: now)
        case .retry:
            if job.state.isFinal, let refusal = refusal(of: job.id, at: now) { return refusal }
            return .retry(JournalEntry(at: now, path: [], event: .retried(by: by)))
        case .requeue: return requeue(job, at: now)
        case .hold: return hold(job, at: now)
        case .release: return release(job, at: now)
        case .erase: return erase(job)
        }
    }

    private func cancel(_ job: JobRecord, at now: Timestamp) -> BulkStep.Verdict {
        if job.state == .cancelling { return Self.unchanged("The job is being cancelled already.") }
        return .cancel(CancelRequest(of: job, by: by, reason: request.reason, at: now))
    }

    private func hold(_ job: JobRecord, at now: Timestamp) -> BulkStep.Verdict {
        if job.state == .held { return Self.unchanged("The job is held already.") }
        let message = JobMessage(by: by, content: .hold(reason: request.reason))
        let entry = JournalEntry(at: now, path: [], event: .message(message))
        var post = JobPost(id: job.id, journal: entry, effect: .hold)
        post.alarm = HoldJob.alarm(of: job)
        return .post(post)
    }

    private func release(_ job: JobRecord, at now: Timestamp) -> BulkStep.Verdict {
        switch job.state {
        case .queued, .scheduled, .waiting, .retrying, .pending: return Self.unchanged("The job is not held.")
        default: break
        }
        let message = JobMessage(by: by, content: .release)
        let entry = JournalEntry(at: now, path: [], event: .message(message))
        return .post(JobPost(id: job.id, journal: entry, effect: .release))
    }

    private func requeue(_ job: JobRecord, at now: Timestamp) -> BulkStep.Verdict {
        guard job.state.isFinal else {
            return .skip(
                code: "job.not_finished", detail: "The job is \(job.state.rawValue), and has not ended.")
        }
        return .reading { text in
            do throws(Intake.Refusal) {
                guard let text,
                    var new = try intake.again(text, now: now)?.job(
                        by: by, of: job.tenant, now: now, random: random.pair())
                else {
                    return .skip(
                        code: "job.spec_unreadable",
                        detail: "The spec of the job is damaged or of another version.")
                }
                new.note(createdBy: by)
                return refusal(of: new.record.id, at: now) ?? .submit(new)
            } catch {
                let problem = Problem(error)
                return .skip(code: problem.kind.code, detail: problem.detail)
            }
        }
    }

    /// Counts a job of the tenant that is to be unfinished; nil when it may be.
    private func refusal(of id: JobID, at now: Timestamp) -> BulkStep.Verdict? {
        guard let tenant, let error = meter?.admit([id], of: tenant, at: now).refusal else { return nil }
        return .skip(code: "tenant.limited", detail: error.detail)
    }

    private func erase(_ job: JobRecord) -> BulkStep.Verdict {
        if job.state.isFinal { return .erase }
        return .skip(
            code: "job.not_finished", detail: "The job is \(job.state.rawValue). Cancel it first.")
    }

    private static func unchanged(_ detail: String) -> BulkStep.Verdict {
        .skip(code: "bulk.unchanged", detail: detail)
    }
}

extension JobListQuery {
    /// Whether a job that matched still does. Only its state, its waits and its end can have changed.
    fileprivate func stillShows(_ job: JobRecord) -> Bool {
        if !states.isEmpty, !states.contains(job.state) { return false }
        if let errorCode, job.endCode?.description != errorCode { return false }
        if let waitKind, !job.waitKinds.contains(waitKind) { return false }
        if !origins.isEmpty, job.awaitedOrigins.allSatisfy({ !origins.contains($0) }) { return false }
        if !isByFinish { return true }
        guard let end = job.finishedAt else { return false }
        return finishedFrom.map { end >= $0 } ?? true && finishedBefore.map { end < $0 } ?? true
    }
}
