import DurableJobs
import EventIO
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON

/// `/callbacks/{token}`: requests from outside to the URL of a waiting operation.
enum ReceiveCallback {
    /// The sender, for journal and audit.
    private static let sender = "callback URL"
    /// The length of the detail of a failure.
    private static let detailBytesMax = 4_096
    /// The most looks at a wait for one request, while people retry its job.
    private static let looksMax = 3
    /// The largest body that is read for its signature, or by `when`.
    private static let readBytesMax = CallbackRules.readBytesMax

    /// The effect of a request on its wait, and its answer.
    private enum Verdict: Sendable {
        case store(CallbackCall.Content, upload: UploadRecord?)
        case refuse(Problem)
        case note(reason: String)
        /// Its answer is known, and it is not kept.
        case pass(Result<CallbackOutcome, Problem>)
    }

    /// `POST` and `PUT`: completes the wait.
    static func complete(_ context: RequestContext) throws(Problem) {
        guard let sink = context.exchange.sink as? CallbackSink else {
            throw Problem(.internalError, "The content was not taken.")
        }
        Task(executorPreference: context.exchange.loop) {
            do throws(Problem) { try await complete(sink, context) } catch { context.answer(error) }
        }
    }

    private static func complete(
        _ sink: CallbackSink, _ context: RequestContext
    ) async throws(Problem) {
        try await complete(try await sink.finish(), sink, context, looks: 1)
    }

    /// - Parameter looks: how often the wait was looked up.
    private static func complete(
        _ content: ArtifactContent, _ sink: CallbackSink, _ context: RequestContext, looks: Int
    ) async throws(Problem) {
        let (target, verdict) = try await decide(context, sink.token) { target throws(Problem) in
            try Self.verdict(about: content, sink, target, context)
        }
        let entry: ContentTally.Entry?
        if case .store(_, let upload?) = verdict, let tenant = target.job.tenant {
            entry = try await room(for: upload, of: tenant, context)
        } else {
            entry = nil
        }
        answer(
            verdict, to: sink.token, target, context,
            // Its file is kept until here, and then by its row.
            then: { withExtendedLifetime(sink) { entry?.end() } },
            again: again(looks) { () throws(Problem) in
                try await complete(content, sink, context, looks: looks + 1)
            })
    }

    /// Looks again after the job was retried; nil when that was done before.
    private static func again(
        _ looks: Int, _ look: @escaping @Sendable () async throws(Problem) -> Void
    ) -> (@Sendable () async throws(Problem) -> Void)? {
        looks < looksMax ? look : nil
    }

    /// Counts content for a tenant that has a limit.
    private static func room(
        for upload: UploadRecord, of tenant: Tenant, _ context: RequestContext
    ) async throws(Problem) -> ContentTally.Entry? {
        do throws(JobStoreError) {
            let entry = try context.server.limits.arrivals.begin(upload.artifact.bytes, of: tenant)
            let refusal = try await entry?.refusal()
            if let refusal { throw refusal }
            return entry
        } catch { throw Problem(error) }
    }

    private static func verdict(
        about content: ArtifactContent, _ sink: CallbackSink, _ target: CallbackTarget,
        _ context: RequestContext
    ) throws(Problem) -> Verdict {
        let (head, now) = (context.request.head, context.startedAt)
        let count: Int
        let digest: [UInt8]
        var body: [UInt8]?
        switch content {
        case .inline(let bytes):
            count = bytes.count
            digest = SHA256.digest(of: bytes)
            body = bytes
        case .artifact(let artifact):
            count = artifact.bytes
            guard let known = HexText.decode(artifact.sha256) else {
                throw Problem(.internalError, "The digest of the stored content cannot be read.")
            }
            digest = known
            let isRead = target.rules.verify != nil || target.rules.when != nil
            if isRead, count <= readBytesMax, let place = context.server.store.artifacts {
                do throws(ArtifactFailure) {
                    body = try place.bytes(of: artifact, bytesMax: readBytesMax)
                } catch { throw Problem(error) }
            }
        }
        if let problem = target.objection(to: head, head.method, count, body, context.server, at: now) {
            return .refuse(problem)
        }
        let result = target.content(of: head, head.method, contentType: sink.contentType, body: content)
        guard try target.counts(result, body) else {
            return .note(reason: "The request does not match \"when\"; it was recorded as progress.")
        }
        let report = JobReport(place: sink.token.place, content: result)
        var upload: UploadRecord?
        if case .artifact(let artifact) = content {
            let by = target.job.tenant?.storedText(sender) ?? sender
            upload = UploadRecord(
                id: sink.id, artifact: artifact, contentType: sink.contentType, createdAt: now, createdBy: by)
        }
        return .store(.report(report, by: sender, digest: digest, upload), upload: upload)
    }

    // MARK: The other paths

    /// `POST …/heartbeat`: a sign of life.
    static func heartbeat(_ context: RequestContext) throws(Problem) {
        try small(context) { _ throws(Problem) in .heartbeat(progress: nil) }
    }

    /// `POST …/progress`: a sign of life with the progress `{"done": 3, "total": 10, "unit": "pages"}`.
    static func progress(_ context: RequestContext) throws(Problem) {
        try small(context) { _ throws(Problem) in
            let value = try context.request.json()
            guard let object = value.object, let done = object["done"]?.number?.wholeInt64, done >= 0,
                object.members.allSatisfy({ ["done", "total", "unit"].contains($0.name) }),
                object["total"].map({ ($0.number?.wholeInt64 ?? -1) >= done }) ?? true,
                object["unit"].map({ $0.string.map { $0.utf8.count <= 64 } ?? false }) ?? true
            else {
                throw Problem(
                    .invalidBody,
                    #"The body is {"done": 3, "total": 10, "unit": "pages"}; total and unit may be left out."#
                )
            }
            return .heartbeat(progress: value.encoded())
        }
    }

    /// `POST …/fail`: ends the wait with a failure, `{"code": "paper_jam", "detail": "…"}`.
    static func fail(_ context: RequestContext) throws(Problem) {
        try small(context) { token throws(Problem) in
            var body = try CommandBody(context.request)
            let code = body.text("code", bytesMax: 100)
            let detail = body.text("detail", bytesMax: detailBytesMax)
            try body.finish()
            let report = JobReport(
                place: token.place,
                failure: .init(
                    code: CallbackTarget.tokens.scrubbed(code ?? "failed"),
                    detail: detail.map { CallbackTarget.tokens.scrubbed($0) }), content: .empty)
            let digest = SHA256.digest(of: [Array("fail\n".utf8), context.request.body])
            return .report(report, by: sender, digest: digest, nil)
        }
    }

    /// Handles a request whose body is in memory.
    private static func small(
        _ context: RequestContext,
        _ read: @escaping @Sendable (CallbackToken) throws(Problem) -> CallbackCall.Content
    ) throws(Problem) {
        let token = try CallbackTarget.token(context.parameter, context.server)
        Task(executorPreference: context.exchange.loop) {
            do throws(Problem) { try await small(token, context, looks: 1, read) } catch {
                context.answer(error)
            }
        }
    }

    private static func small(
        _ token: CallbackToken, _ context: RequestContext, looks: Int,
        _ read: @escaping @Sendable (CallbackToken) throws(Problem) -> CallbackCall.Content
    ) async throws(Problem) {
        let (target, verdict) = try await decide(context, token) { target throws(Problem) in
            let (request, now) = (context.request, context.startedAt)
            if let problem = target.objection(
                to: request.head, nil, request.body.count, request.body, context.server, at: now)
            {
                return Verdict.refuse(problem)
            }
            return .store(try read(token), upload: nil)
        }
        answer(
            verdict, to: token, target, context, then: {},
            again: again(looks) { () throws(Problem) in
                try await small(token, context, looks: looks + 1, read)
            })
    }

    // MARK: Deciding and answering

    /// Looks the wait up and decides, on a thread that reads.
    private static func decide(
        _ context: RequestContext, _ token: CallbackToken,
        _ decide: @escaping @Sendable (CallbackTarget) throws(Problem) -> Verdict
    ) async throws(Problem) -> (CallbackTarget, Verdict) {
        let server = context.server
        let result = await withCheckedContinuation {
            (next: CheckedContinuation<Result<(CallbackTarget, Verdict), Problem>, Never>) in
            let isAccepted = server.reads.threads.run { reader in
                next.resume(
                    returning: Result { () throws(Problem) in
                        let target = try CallbackTarget(token, reader, server)
                        let verdict = Result { () throws(Problem) in try decide(target) }
                        let known = try stored(reader.callback(of: token.job, token.place))
                        return (target, bounded(verdict, known, target, at: context.startedAt))
                    })
            }
            if !isAccepted {
                next.resume(
                    returning: .failure(
                        Problem(.overloaded, "Too many requests are being read at once. Send it again.")))
            }
        }
        return try result.get()
    }

    /// A verdict without a write where the wait has ended, or many requests were refused, and no more are kept.
    private static func bounded(
        _ verdict: Result<Verdict, Problem>, _ known: CallbackStanding?, _ target: CallbackTarget,
        at now: Timestamp
    ) -> Verdict {
        var known = known
        known?.enter(try: target.retries)
        let isKept = known?.keepsRefused(at: now) ?? true
        var digest: [UInt8]?
        switch verdict {
        case .failure(let problem), .success(.refuse(let problem)):
            return isKept ? .refuse(problem) : .pass(.failure(problem))
        case .success(.note(let reason)):
            guard let end = known?.end(for: nil, isOver: target.isOver) else { return .note(reason: reason) }
            return isKept ? .note(reason: reason) : .pass(.success(end))
        case .success(.pass(let answer)): return .pass(answer)
        case .success(.store(let content, let upload)):
            if case .report(_, _, let own, _) = content { digest = own }
            let end = known?.end(for: digest, isOver: target.isOver)
            switch end {
            case .repeated: return .pass(.success(.repeated))
            case nil where content.isFresh(known, target.rules, at: now): return .pass(.success(.noted))
            case .some(let end) where !isKept: return .pass(.success(end))
            default: return .store(content, upload: upload)
            }
        }
    }

    private static func answer(
        _ verdict: Verdict, to token: CallbackToken, _ target: CallbackTarget, _ context: RequestContext,
        then: @escaping @Sendable () -> Void, again: (@Sendable () async throws(Problem) -> Void)?
    ) {
        let address = context.server.entrance.client(
            of: context.request.head, from: context.exchange.peer
        ).description
        func call(_ content: CallbackCall.Content) -> CallbackCall {
            var call = CallbackCall(
                token.job, token.place, at: context.startedAt, retries: target.retries, address: address,
                content: content)
            call.isOver = target.isOver
            return call
        }
        let store = self.store(of: target.job, address, context)
        let metrics = context.server.metrics.callbacks
        switch verdict {
        case .refuse(let problem):
            metrics.count(.refused)
            let status = ProblemCatalog.entry(problem.kind).status
            store.perform(call(.noted(status: status, reason: problem.detail))) { _ in
                context.attempt { () throws(Problem) in
                    then()
                    throw problem
                }
            }
        case .pass(let answer):
            if case .failure = answer { metrics.count(.refused) }
            context.attempt { () throws(Problem) in
                then()
                try self.answer(try answer.get(), context)
            }
        case .note(let reason):
            store.perform(call(.noted(status: 202, reason: reason))) { result in
                if case .success(.moved) = result, let again { return look(again, context, then) }
                context.attempt { () throws(Problem) in
                    then()
                    let outcome = try stored(result.get())
                    guard case .noted = outcome else { return try answer(outcome, context) }
                    metrics.count(.ignored)
                    send(.accepted, "ignored", context)
                }
            }
        case .store(let content, _):
            store.perform(call(content)) { result in
                if case .success(.moved) = result, let again { return look(again, context, then) }
                if case .success(.taken(let receipt)) = result, receipt.isRunning,
                    case .report(let report, let by, _, _) = content
                {
                    context.server.engine.deliver(
                        JobMessage(by: by, content: .report(report)), number: receipt.number, to: token.job)
                }
                context.attempt { () throws(Problem) in
                    then()
                    try answer(try stored(result.get()), context)
                }
            }
        }
    }

    private static func look(
        _ again: @escaping @Sendable () async throws(Problem) -> Void, _ context: RequestContext,
        _ then: @escaping @Sendable () -> Void
    ) {
        then()
        Task(executorPreference: context.exchange.loop) {
            do throws(Problem) { try await again() } catch { context.answer(error) }
        }
    }

    private static func answer(_ outcome: CallbackOutcome, _ context: RequestContext) throws(Problem) {
        let metrics = context.server.metrics.callbacks
        switch outcome {
        case .taken:
            metrics.count(.taken)
            send(.accepted, "taken", context)
        case .noted:
            metrics.count(.heard)
            send(.accepted, "noted", context)
        case .repeated:
            metrics.count(.repeated)
            send(.ok, "repeated", context)
        case .conflict:
            metrics.count(.refused)
            throw Problem(
                .callbackTaken,
                "Another request ended the wait before. This one changed nothing.")
        case .over:
            metrics.count(.refused)
            throw Problem(
                .callbackOver, "The wait is over: nothing came in time, or it was cancelled or restarted.")
        case .moved:
            throw Problem(.overloaded, "The job was retried meanwhile. Send it again.")
        }
    }

    private static func send(_ status: HTTPStatus, _ word: String, _ context: RequestContext) {
        let prefersPage = try? Negotiation.prefers("text/html", in: context.request.head.fields)
        if prefersPage == true { return ConfirmPage.answer(context, status, isIgnored: word == "ignored") }
        var json = JSONWriter()
        json.beginObject()
        json.member("status", word)
        json.endObject()
        context.answer(status, json: json.line())
    }

    /// The store for the writes of a job, in the turns of its tenant, which records what changes the job.
    private static func store(
        of job: JobRecord, _ address: String, _ context: RequestContext
    ) -> any JobStore {
        let server = context.server
        let base = job.tenant.map { server.store.writing(for: $0) } ?? server.store
        let record = AuditRecord(
            at: context.startedAt, by: sender, kind: "jobs", action: "callback", target: job.id.description,
            requestID: context.requestID, address: address)
        return base.auditing(AuditDraft(job.tenant?.stored(record) ?? record) { _ in "" })
    }
}

extension CallbackCall.Content {
    /// Whether it is a sign of life that says no more than the last one, which is stored.
    fileprivate func isFresh(_ known: CallbackStanding?, _ rules: CallbackRules, at now: Timestamp) -> Bool {
        guard case .heartbeat(let progress) = self, let known, let heard = known.heardAt else { return false }
        return (progress == nil || progress == known.progress)
            && now.since(heard) < SignOfLife.span(within: rules.heartbeat) && now >= heard
    }
}
