import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/explain`: why a job is where it is, operation by operation, and what comes next.
enum ExplainJob {
    /// Explains a job: from its tree while it runs, from its journal while it does not.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        _ = try context.job(id)
        context.server.engine.explain(id) { live in
            context.attempt { () throws(Problem) in
                try context.onReaderThread { reader throws(Problem) in
                    let history = try JobHistory(id, from: reader)
                    var ahead: Int?
                    if history.job.state == .queued {
                        do throws(JobStoreError) { ahead = try reader.ahead(of: id) } catch {
                            throw Problem(error)
                        }
                    }
                    let explanation = JobExplanation(
                        history, live: live ?? [], ahead: ahead, engine: context.server.engine)
                    var json = JSONWriter(capacity: 2_048)
                    explanation.write(to: &json)
                    context.answer(.ok, json: json.line())
                }
            }
        }
    }
}
