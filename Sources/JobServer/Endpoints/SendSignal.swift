import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `POST /v1/jobs/{id}/signals/{name}`: sends a signal to a job, also before an `await` operation waits for it.
enum SendSignal {
    /// The maximum size of the value's JSON.
    static let bytesMax = 256 << 10

    /// Stores the signal durably: 202 with the job.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        let name = try RequestContext.checked(name: context.lastPathPart, of: "signal", else: .notFound)
        let message = JobMessage(
            by: context.caller.by, content: .signal(name: name, value: try value(context.request)))
        let post = JobPost(
            id: id, journal: JournalEntry(at: context.startedAt, path: [], event: .message(message)))
        context.auditedStore.post(post) { result in
            if case .success(let receipt) = result, receipt.isRunning {
                context.server.engine.deliver(message, number: receipt.number, to: id)
            }
            context.goOn { () throws(Problem) in
                do throws(JobStoreError) {
                    let job = try result.get().job
                    JobAnswer.send(context, .accepted, job, HTTPFields(), waited: false)
                } catch {
                    throw error.code == .notFound ? RequestContext.unknown(id) : Problem(error)
                }
            }
        }
    }

    /// The value in the body; null when there is none.
    private static func value(_ request: HTTPRequest) throws(Problem) -> JSONValue {
        guard !request.body.isEmpty else { return .null }
        return try request.json()
    }
}
