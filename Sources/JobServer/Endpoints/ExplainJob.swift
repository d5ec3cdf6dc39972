import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/explain`: why a job is in its state, operation by operation, and what comes next.
enum ExplainJob {
    /// Explains a job: from its tree while it runs, here or on another server, from its journal while it does not.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let id = try context.jobID()
        let paging = try PageRequest(of: "\(JobPath.text(id))/explain", &query)
        let last = try paging.path()
        let job = try context.job(id)
        if job.state.isFinal { return answer(context, JobExplanation(final: job), paging, next: nil) }
        guard job.state == .queued else { return try explain(context, id, nil, paging, behind: last) }
        context.store.look(LineStanding(of: id, at: context.startedAt)) { queued in
            context.attempt { () throws(Problem) in
                try explain(context, id, stored(queued.get()), paging, behind: last)
            }
        }
    }

    /// - Parameter queued: its standing in the line of its queue.
    private static func explain(
        _ context: RequestContext, _ id: JobID, _ queued: QueuedJob?, _ paging: PageRequest,
        behind last: [String]?
    ) throws(Problem) {
        let server = context.server
        server.engine.explain(id) { live in
            if live != nil || queued != nil {
                return explain(context, id, live, queued, paging, behind: last)
            }
            let question = ExplainQuestion(size: paging.size, digest: paging.digest, behind: last)
            server.engine.link.ask(subject, about: id, question.bytes) { found in
                guard let (json, next) = found.flatMap(ExplainQuestion.answer) else {
                    return explain(context, id, nil, nil, paging, behind: last)
                }
                answer(context, json, paging, next: next)
            }
        }
    }

    private static func explain(
        _ context: RequestContext, _ id: JobID, _ live: [OperationExplanation]?, _ queued: QueuedJob?,
        _ paging: PageRequest, behind last: [String]?
    ) {
        context.attempt { () throws(Problem) in
            try context.onReaderThread { reader throws(Problem) in
                let (explanation, end) = try make(
                    of: id, reader, context.server, context.tenant, live: live, queued, size: paging.size,
                    behind: last)
                answer(context, explanation, paging, next: end.map { paging.token(behind: $0) })
            }
        }
    }

    /// Explains a job, with the path at which the next page begins.
    private static func make(
        of id: JobID, _ reader: any JobReader, _ server: Door, _ caller: Tenant?,
        live: [OperationExplanation]?, _ queued: QueuedJob?, size: Int, behind last: [String]?
    ) throws(Problem) -> (JobExplanation, end: [String]?) {
        let outline = try JobOutline(id, from: reader, server.journals)
        if outline.job.state.isFinal { return (JobExplanation(final: outline.job), nil) }
        var ahead: Int?
        var line: UniqueLine?
        switch outline.job.state {
        case .queued: ahead = try stored(reader.ahead(of: id))
        case .pending: line = try stored(reader.uniqueLine(before: id))
        default: break
        }
        let found = outline.spots(.open, behind: last, limit: size + 1)
        let page = found.prefix(size)
        let explanation = try JobExplanation(
            outline, page: page, live: live ?? [], ahead: ahead, queued: queued, line: line
        ) { path, keys throws(JobStoreError) in
            // The reader of a tenant takes the names that it knows.
            let tenant = (caller ?? outline.job.tenant)?.name ?? ""
            let stored = keys.map { OwnedText.stored($0, of: tenant) }
            let named = WaitedKeys(stored: stored, named: caller == nil ? stored : keys)
            return try server.engine.standing(of: path, in: id, for: named, reader)
        }
        return (explanation, found.count > page.count ? page.last?.path : nil)
    }

    // MARK: For other servers

    private static let subject = "explain"

    /// Explains the jobs that run here to the other servers.
    static func answerOthers(_ server: Door) {
        server.engine.link.on(subject) { id, body, answer in
            guard let question = ExplainQuestion(body) else { return }
            server.engine.explain(id) { live in
                guard let live else { return }
                _ = server.reads.threads.run { reader in
                    // The asking server may answer the tenant.
                    let tenant = (try? reader.job(id)).flatMap(\.self)?.tenant
                    let scoped = tenant.map { TenantReader(reader, $0) as any JobReader } ?? reader
                    let made = try? make(
                        of: id, scoped, server, tenant, live: live, nil, size: question.size,
                        behind: question.behind)
                    guard let (explanation, end) = made else { return }
                    let token = end.map { path in
                        PageToken(
                            place: Array(path.joined(separator: "/").utf8), filters: question.digest
                        ).text
                    }
                    answer(ExplainQuestion.answer(json(explanation, next: token), next: token))
                }
            }
        }
    }

    private static func json(_ explanation: JobExplanation, next: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 2_048)
        explanation.write(next: next, to: &json)
        return json.line()
    }

    private static func answer(
        _ context: RequestContext, _ explanation: JobExplanation, _ paging: PageRequest, next: String?
    ) {
        answer(context, json(explanation, next: next), paging, next: next)
    }

    private static func answer(
        _ context: RequestContext, _ json: [UInt8], _ paging: PageRequest, next: String?
    ) {
        var fields = HTTPFields()
        if let next { paging.addLink(to: &fields, token: next, base: context.base) }
        context.answer(.ok, fields, json: json)
    }
}
