import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/explain`: why a job is in its state, operation by operation, and what comes next.
enum ExplainJob {
    /// Explains a job: from its tree while it runs, from its journal while it does not.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let id = try context.jobID()
        let wish = try PageWish(of: "\(JobPath.text(id))/explain", &query)
        let last = try wish.path()
        let job = try context.job(id)
        if job.state.isFinal { return answer(context, JobExplanation(final: job), wish, next: nil) }
        guard job.state == .queued else { return try explain(context, id, nil, wish, behind: last) }
        context.server.store.queued(id, now: context.startedAt) { queued in
            context.attempt { () throws(Problem) in
                do throws(JobStoreError) {
                    let queued = try queued.get()
                    context.attempt { () throws(Problem) in
                        try explain(context, id, queued, wish, behind: last)
                    }
                } catch {
                    throw Problem(error)
                }
            }
        }
    }

    /// - Parameter queued: its standing in the line of its queue.
    private static func explain(
        _ context: RequestContext, _ id: JobID, _ queued: QueuedJob?, _ wish: PageWish, behind last: [String]?
    ) throws(Problem) {
        context.server.engine.explain(id) { live in
            context.attempt { () throws(Problem) in
                try context.onReaderThread { reader throws(Problem) in
                    let outline = try JobOutline(id, from: reader, context.server.journals)
                    if outline.job.state.isFinal {
                        return answer(context, JobExplanation(final: outline.job), wish, next: nil)
                    }
                    var ahead: Int?
                    var line: UniqueLine?
                    do throws(JobStoreError) {
                        switch outline.job.state {
                        case .queued: ahead = try reader.ahead(of: id)
                        case .pending: line = try reader.uniqueLine(before: id)
                        default: break
                        }
                    } catch {
                        throw Problem(error)
                    }
                    let found = outline.spots(.open, behind: last, limit: wish.size + 1)
                    let page = found.prefix(wish.size)
                    let explanation = try JobExplanation(
                        outline, page: page, live: live ?? [], ahead: ahead, queued: queued, line: line,
                        engine: context.server.engine)
                    let end = found.count > page.count ? page.last?.path : nil
                    answer(context, explanation, wish, next: end.map { wish.token(behind: $0) })
                }
            }
        }
    }

    private static func answer(
        _ context: RequestContext, _ explanation: JobExplanation, _ wish: PageWish, next: String?
    ) {
        var json = JSONWriter(capacity: 2_048)
        explanation.write(next: next, to: &json)
        var fields = HTTPFields()
        if let next { wish.addLink(to: &fields, token: next, base: context.base) }
        context.answer(.ok, fields, json: json.line())
    }
}
