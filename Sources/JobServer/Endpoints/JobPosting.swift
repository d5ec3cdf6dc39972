import JobKit
import JobRunner
import JobStore

/// Posts to a job depending on its state: reads the job, decides, and stores the post only if the job has not changed;
/// otherwise tries again.
enum JobPosting {
    /// The maximum number of tries when the job keeps changing.
    private static let triesMax = 20

    enum Decision {
        case post(JobPost)
        case leave
    }

    /// Decides with `decide`, posts, notifies the run, and calls `then` with the updated job and whether it is in
    /// flight. On the loop.
    static func send(
        _ context: RequestContext, _ id: JobID, tries: Int = triesMax,
        decide: @escaping @Sendable (JobRecord) throws(Problem) -> Decision,
        then: @escaping @Sendable (JobRecord, _ isRunning: Bool) throws(Problem) -> Void
    ) throws(Problem) {
        let job = try context.job(id)
        guard case .post(var post) = try decide(job) else { return try then(job, false) }
        post.ifRevision = job.revision
        guard case .message(let message) = post.journal.event else { return try then(job, false) }
        context.auditedStore.perform(post) { result in
            if case .success(let receipt) = result, receipt.isRunning {
                context.server.engine.deliver(message, number: receipt.number, to: id)
            }
            context.goOn { () throws(Problem) in
                if case .failure(let error) = result, case .revisionConflict = error.code, tries > 1 {
                    return try send(context, id, tries: tries - 1, decide: decide, then: then)
                }
                let receipt = try stored(result.get())
                try then(receipt.job, receipt.isRunning)
            }
        }
    }
}
