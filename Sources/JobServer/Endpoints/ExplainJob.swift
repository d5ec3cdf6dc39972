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
                    var line: UniqueLine?
                    do throws(JobStoreError) {
                        switch history.job.state {
                        case .queued: ahead = try reader.ahead(of: id)
                        case .pending: line = try reader.uniqueLine(before: id)
                        default: break
                        }
                    } catch {
                        throw Problem(error)
                    }
                    let explanation = JobExplanation(
                        history, live: live ?? [], ahead: ahead, line: line, engine: context.server.engine)
                    var json = JSONWriter(capacity: 2_048)
                    explanation.write(to: &json)
                    context.answer(.ok, json: json.line())
                }
            }
        }
    }
}
