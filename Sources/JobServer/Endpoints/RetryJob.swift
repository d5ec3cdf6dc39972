import HTTPMessage
import JobKit
import JobStore

/// `POST /v1/jobs/{id}:retry`: another try of everything that did not succeed. What succeeded is kept.
enum RetryJob {
    /// Puts a failed, cancelled or expired job back into its queue.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        var body = try CommandBody(context.request)
        try body.finish()
        let entry = JournalEntry(at: context.startedAt, path: [], event: .retried(by: context.caller.name))
        context.server.store.retry(id, journal: entry) { result in
            context.onLoop { () throws(Problem) in
                switch result {
                case .success(let job): JobAnswer.send(context, .accepted, job, HTTPFields(), waited: false)
                case .failure(let error):
                    if error.code == .notFound { throw RequestContext.unknown(id) }
                    throw Problem(error)
                }
            }
        }
    }
}
