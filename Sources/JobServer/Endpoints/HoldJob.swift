import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore

/// `POST /v1/jobs/{id}:hold` and `:release`: pauses and resumes a job. A held job finishes the operations that run and
/// starts no others.
enum HoldJob {
    /// Holds a job: 200 when none of its operations is in flight, 202 while one is.
    static func hold(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        var body = try CommandBody(context.request)
        let reason = body.text("reason", bytesMax: CancelJob.reasonBytesMax)
        try body.finish()
        let message = JobMessage(by: context.caller.by, content: .hold(reason: reason))
        let entry = JournalEntry(at: context.startedAt, path: [], event: .message(message))
        try JobPosting.send(context, id) { job throws(Problem) in
            if job.state == .paused { return .leave }
            var post = JobPost(id: id, journal: entry, effect: .hold)
            if job.startedAt == nil && job.expiresAt == nil { post.alarm = try deadline(of: job, context) }
            return .post(post)
        } then: { job, isRunning throws(Problem) in
            JobAnswer.sendAwaited(context, isRunning ? .accepted : .ok, job, endsHeld: true)
        }
    }

    /// Releases a job: 200. A job that is not held is left unchanged.
    static func release(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        var body = try CommandBody(context.request)
        try body.finish()
        let message = JobMessage(by: context.caller.by, content: .release)
        let entry = JournalEntry(at: context.startedAt, path: [], event: .message(message))
        try JobPosting.send(context, id) { job throws(Problem) in
            switch job.state {
            case .queued, .scheduled, .waiting, .retrying, .pending: return .leave
            default: break
            }
            return .post(JobPost(id: id, journal: entry, effect: .release))
        } then: { job, _ throws(Problem) in
            JobAnswer.sendAwaited(context, .ok, job)
        }
    }

    /// The deadline of a job that has not started, which also applies while the job is held. `expiresAt` holds it
    /// already, except for a retried job.
    private static func deadline(of job: JobRecord, _ context: RequestContext) throws(Problem) -> Timestamp? {
        let found = try stored(context.reader.spec(job.id))
        return deadline(of: job, spec: found)
    }

    /// The same with the spec of the job.
    static func deadline(of job: JobRecord, spec bytes: [UInt8]?) -> Timestamp? {
        guard let bytes, case .success(let spec) = JobSpecReader.readStored(bytes, now: job.createdAt) else {
            return nil
        }
        return JobIntake.deadline(of: spec, from: job.createdAt)
    }
}
