import HTTPMessage
import JobKit
import JobRunner
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
            if job.state == .held { return .leave }
            var post = JobPost(id: id, journal: entry, effect: .hold)
            post.alarm = alarm(of: job)
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

    /// The time by which a job that has not started must have ended, which also counts while the job is held. The store
    /// watches over it, except for a retried job.
    static func alarm(of job: JobRecord) -> Timestamp? {
        job.startedAt == nil && job.expiresAt == nil ? job.finishBy : nil
    }
}
