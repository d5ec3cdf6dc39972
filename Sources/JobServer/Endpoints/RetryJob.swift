import HTTPMessage
import JobKit
import JobStore

/// `POST /v1/jobs/{id}:retry`: retries everything that did not succeed, and keeps what did.
enum RetryJob {
    /// Returns a failed, cancelled or expired job to its queue.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        var body = try CommandBody(context.request)
        try body.finish()
        let entry = JournalEntry(at: context.startedAt, path: [], event: .retried(by: context.caller.by))
        context.auditedStore.perform(JobRetry(id, journal: entry)) { result in
            context.goOn { () throws(Problem) in
                let job = try stored(result.get())
                JobAnswer.sendAwaited(context, .accepted, job)
            }
        }
    }
}
