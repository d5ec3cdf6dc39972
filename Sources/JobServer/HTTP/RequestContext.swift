import DurableJobs
import EventIO
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON
import Synchronization

/// A request in progress: its input, the means to answer it, and the only way to answer. A class, since closures carry
/// it from thread to thread.
final class RequestContext: Sendable {
    /// The request and its connection.
    let exchange: HTTPExchange
    /// The request as its head told it.
    private let admitted: AdmittedRequest
    private let permission: Permission
    /// The request id in answers and logs.
    let requestID: String
    let startedAt: Timestamp
    /// The same on a clock that is precise and never set.
    private let began = ContinuousClock.now
    /// The time until the store had answered a submission, in nanoseconds; 0 before, and for other requests.
    private let durable = Atomic<Int64>(0)
    /// The point reads of the request, of what the caller may see.
    let reader: any JobReader
    /// The span of a request that submits jobs; nil without tracing.
    let span: SubmissionSpan?
    /// The writes of the request, to what the caller may change.
    let store: any RequestStore
    /// The thread of a large body; nil for other requests.
    private let turn: LargeBodies.Turn?

    /// - Parameter reader: nil is the one of the loop.
    init(
        _ exchange: HTTPExchange, of admitted: AdmittedRequest, _ permission: Permission, requestID: String,
        startedAt: Timestamp, reader: (any JobReader)? = nil, turn: LargeBodies.Turn? = nil
    ) {
        let (door, route) = (admitted.door, admitted.route)
        (self.reader, store) = door.server.access(of: permission.caller.tenant, reader ?? door.reader)
        self.exchange = exchange
        self.admitted = admitted
        self.permission = permission
        self.requestID = requestID
        self.startedAt = startedAt
        self.turn = turn
        span = route.makesWork ? door.server.traces?.tracer.span(of: exchange, route, door, startedAt) : nil
    }

    /// The loop's part of the server.
    var door: LoopDoor { admitted.door }

    var route: Route { admitted.route }

    /// The path that was routed: without the prefix of a proxy.
    var path: ArraySlice<UInt8> { admitted.path }

    /// The first parameter of the path.
    var parameter: ArraySlice<UInt8> { admitted.parameter }

    /// The client, as it was when the request came.
    var caller: Caller { permission.caller }

    /// Notes that the store has answered a submission.
    func noteDurable() {
        let time = began.duration(to: .now)
        durable.store(max(1, Int64(clamping: time.attoseconds / 1_000_000_000)), ordering: .relaxed)
        server.metrics.submits.note(time)
    }

    /// The times for `Server-Timing`.
    var timing: HTTPServerTiming {
        let durable = durable.load(ordering: .relaxed)
        return HTTPServerTiming(
            total: began.duration(to: .now), durable: durable == 0 ? nil : .nanoseconds(durable))
    }

    var request: HTTPRequest { exchange.request }

    /// The state that all loops share.
    var server: Door { door.server }

    /// The tenant of the caller; nil may see and change everything.
    var tenant: Tenant? { caller.tenant }

    /// Whose share of streams and of answers in memory this request takes.
    var shareOwner: StreamOwner {
        if let tenant { return .tenant(tenant) }
        if caller.name != Caller.anybody.name { return .client(.token(caller.name)) }
        let client = server.entrance.client(of: request.head, from: exchange.peer)
        return .client(.address(client))
    }

    /// The refusal of a caller who does not read enough of earlier answers; nil when there is memory for another.
    var lackOfShare: Problem? {
        guard server.limits.answers.isTight, route.scope != nil else { return nil }
        return server.limits.answers.problem(for: shareOwner)
    }

    /// The permission of an answer that stays open; nil where no token is asked for: such answers last.
    func openAccess() -> OpenAccess? {
        guard let credential = permission.grounds?.credential else { return nil }
        let isSession = if case .session = credential { true } else { false }
        return OpenAccess(
            server.gate, credential, needing: .init(scopes: route.scopes, tenant: tenant?.name),
            reason: { [self] in door.refusal(of: self, isSession: isSession) })
    }

    /// The secrets that the caller may use.
    var secrets: StoredSecrets { server.settings.secrets.scoped(to: tenant) }

    /// The connections that the caller may use.
    var connections: StoredConnections { server.settings.connections.scoped(to: tenant) }

    /// The queues that the caller may use.
    var queues: StoredQueues { server.settings.queues.scoped(to: tenant) }

    /// Reads the specs of new jobs.
    var intake: Intake { server.intake.scoped(to: tenant) }

    /// A record that comes from elsewhere than the reader, as the caller knows it.
    func shown(_ job: JobRecord) -> JobRecord { tenant?.shown(job) ?? job }

    /// The prefix of links in the answer: the one that a trusted proxy names, or that of the configuration; usually
    /// empty.
    var base: String { server.entrance.prefix(of: request.head, from: exchange.peer) }

    /// The job id in the path.
    /// - Throws: `.jobNotFound` when it is malformed, so that clients see a typo and an unknown job alike.
    func jobID() throws(Problem) -> JobID {
        if let id = JobID(utf8: parameter) { return id }
        let text = String(decoding: parameter.prefix(80), as: UTF8.self)
        throw Problem(
            .jobNotFound,
            "\"\(text)\" is not a job id. Ids are \"job_\" and 26 letters and digits, as in Location.")
    }

    /// The last segment of the path: the second parameter of a pattern that has two.
    var lastPathPart: String {
        let start = path.lastIndex(of: 0x2F).map { $0 + 1 } ?? path.startIndex
        return String(decoding: path[start...].prefix(200), as: UTF8.self)
    }

    /// The user-given name in the path.
    func name(of noun: StoredNoun) throws(Problem) -> String {
        try RequestContext.checked(
            name: String(decoding: parameter.prefix(80), as: UTF8.self), of: noun.word, else: noun.missing)
    }

    /// Validates a name from the path.
    static func checked(
        name: String, of kind: String, else problem: ProblemKind
    ) throws(Problem) -> String {
        guard JobSpecReader.isName(name) else {
            throw Problem(
                problem,
                "\"\(name)\" is not the name of a \(kind). Names begin with a to z and go on with a to z, 0 to 9, "
                    + "_ and -, at most 63 characters.")
        }
        return name
    }

    func job() throws(Problem) -> JobRecord {
        try job(jobID())
    }

    func job(_ id: JobID) throws(Problem) -> JobRecord {
        let found = try stored(reader.job(id))
        guard let found else { throw Problem(.notFound(id)) }
        return found
    }

    var query: QueryReader { QueryReader(request.head.target.query) }

    /// Refuses any query parameter.
    func refuseQuery() throws(Problem) {
        guard request.head.target.queryBytes != nil else { return }
        var reader = query
        try reader.finish()
    }

    var preferences: Preferences {
        guard let first = request.head.fields.first("prefer") else { return Preferences() }
        if request.head.fields.count(of: "prefer") == 1, let known = Preferences(waitAlone: first) {
            return known
        }
        return Preferences(request.head.fields.all("prefer"))
    }

    /// Whether the answer may show the job: a token with only the write scope must not learn from a command what it may
    /// not read.
    var showsJobs: Bool { route.scope == .read || caller.mayRead }

    /// Sends the answer. From any thread; exactly once.
    func answer(_ status: HTTPStatus, _ fields: consuming HTTPFields = HTTPFields(), json body: [UInt8]) {
        fields.add("Content-Type", "application/json")
        if status == .created, !fields.contains("location") {
            fields.add("Location", base + String(decoding: path, as: UTF8.self))
        }
        answer(HTTPResponse(status: status, fields: fields, body: .bytes(body)))
    }

    /// Sends the answer. From any thread; exactly once.
    func answer(_ response: consuming HTTPResponse) {
        if let problem = route.preconditions.problem(of: request.head, answeredBy: response) {
            response.body.cancel()
            return answer(problem)
        }
        door.finish(self, response)
    }

    /// Answers with a problem. From any thread; exactly once.
    func answer(_ problem: Problem) {
        let entry = ProblemCatalog.entry(problem.kind)
        if entry.status >= 500, problem.kind != .shuttingDown {
            // A condition that passes by itself was logged when it began, not for every request.
            let passes = entry.retryable && problem.kind != .storageDamaged
            server.log.write(passes ? .debug : .error, "request_failed") { line in
                line.member("request_id", self.requestID)
                line.member("code", problem.kind.code)
                line.member("message", problem.detail)
            }
        }
        if PersonPage.isWanted(by: request.head, at: path) {
            return door.finish(self, PersonPage.response(to: problem, requestID: requestID))
        }
        door.finish(self, problem.response(requestID: requestID, instance: CallbackPath.shown(path)))
    }

    /// Runs `work`, which reads nothing, on the request's loop and answers with the problem it throws.
    func onLoop(_ work: @escaping @Sendable () throws(Problem) -> Void) {
        exchange.loop.execute { self.attempt(work) }
    }

    /// Runs `work`, which may read, after a write: on the thread of a large body, otherwise on the request's loop where
    /// reads are local, otherwise on a reader thread. Answers with the problem it throws.
    func goOn(_ work: @escaping @Sendable () throws(Problem) -> Void) {
        if let turn { return turn.goOn { self.attempt(work) } }
        if server.reads.areRemote, server.reads.threads.run(inTurnOf: tenant, { _ in self.attempt(work) }) {
            return
        }
        onLoop(work)
    }

    /// Runs `work`, which reads, here where reads are local, otherwise on a reader thread. Answers with the problem it
    /// throws.
    func read(_ work: @escaping @Sendable (any JobReader) throws(Problem) -> Void) throws(Problem) {
        if server.reads.areRemote { return try onReaderThread(work) }
        try work(reader)
    }

    /// Runs `work` on a reader thread and answers with the problem it throws.
    func onReaderThread(_ work: @escaping @Sendable (any JobReader) throws(Problem) -> Void) throws(Problem) {
        let accepted = server.reads.threads.run(for: tenant) { reader in
            // Its client may have stopped reading earlier answers while this waited.
            if self.route.method == .get, let problem = self.lackOfShare { return self.answer(problem) }
            do throws(Problem) { try work(reader) } catch { self.answer(error) }
        }
        guard accepted else {
            throw Problem(
                .overloaded, "Too many lists are being read at once. Nothing is wrong with the request.")
        }
    }

    /// Runs `work`, which may read, here if the request's reader is the loop's, otherwise as `goOn`. On the loop.
    func afterWait(_ work: @escaping @Sendable () throws(Problem) -> Void) {
        if server.reads.areRemote || turn != nil { goOn(work) } else { attempt(work) }
    }

    /// Runs `work` here and answers with the problem it throws.
    func attempt(_ work: () throws(Problem) -> Void) {
        do throws(Problem) { try work() } catch { answer(error) }
    }
}
