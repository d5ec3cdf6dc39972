import EventIO
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON
import Synchronization

// DESIGN
// One for each HTTP loop. A request passes here twice, both times on the connection's loop: `admit` sees its head,
// authorizes it before anything else, and sets the maximum body size; `handle` sees the whole request and calls its
// endpoint, which answers at once or later, from any thread, through `finish`. What `admit` found goes with the request
// (`AdmittedRequest`): the caller is judged again only when tokens or sessions have changed meanwhile. Where reads are
// not local, `handle` calls endpoints that read on a reader thread: a database that does not answer holds up no loop.
// Large bodies have a thread of their own.

/// The path of a request on one loop: access, route, endpoint, answer.
final class LoopDoor: HTTPService {
    /// The state that all loops share.
    let server: Door
    /// The point reads of this loop.
    let reader: any JobReader
    /// The random part of new job ids.
    let randomWords = RandomWords()
    private let requestIDs = RequestIDs()
    private let router: Router
    private let site: SiteGuard
    /// The end of the answer to a path that does not exist.
    private let hints: String

    /// - Parameter publicRouter: the routes that strangers may reach, where only these exist.
    init(server: Door, reader: any JobReader, publicRouter: Router? = nil) {
        self.server = server
        self.reader = reader
        let isPublic = publicRouter != nil
        router = publicRouter ?? server.entrance.router
        // What is public is no secret of this machine's, whatever name it is asked for by.
        site = isPublic ? SiteGuard(checksHost: false, names: []) : server.entrance.site
        hints = isPublic ? "" : " /openapi.yaml lists all paths of this server."
    }

    /// Admits or refuses a request by its head. On the connection's loop.
    func admit(_ head: HTTPRequestHead, from peer: PeerAddress) -> HTTPAdmission {
        let path = server.entrance.path(of: head)
        if let problem = siteProblem(head, path, peer) { return refuse(head, peer, problem) }
        if CallbackPath.isAstray(path) { return refuse(head, peer, Self.astray) }
        let match = router.match(head.method, path)
        var found: Route?
        if case .route(let route, _) = match { found = route }
        let permission: Permission
        do throws(Problem) { permission = try self.permission(of: head, peer, found) } catch {
            return refuse(head, peer, error)
        }
        let caller = permission.caller
        switch match {
        case .none where head.target.form == .asterisk:
            // RFC 9110 §9.3.7: the general capabilities of the server.
            return .refuse(
                HTTPResponse(status: .noContent, fields: ["Allow": Router.methods], body: .empty))
        case .none:
            return refuse(
                head, peer, Problem(.notFound, "There is nothing at this path.\(hint(head))\(hints)"),
                by: caller)
        case .otherMethods(let methods):
            let list = methods.joined(separator: ", ")
            return refuse(
                head, peer,
                Problem(
                    .methodNotAllowed,
                    "\(head.method) is not allowed here; these are: \(list).\(hint(head))"
                )
                .field("Allow", list), by: caller)
        case .route(let route, let parameter):
            if route.makesWork, server.process.isDraining {
                return refuse(head, peer, Self.draining, by: caller)
            }
            if route.makesWork,
                let problem = server.limits.admission.problem(
                    for: { client(head, peer, caller) }, of: caller.tenant)
            {
                return refuse(head, peer, problem, by: caller)
            }
            let request = AdmittedRequest(self, route, path: path, parameter: parameter, permission)
            if let makeSink = route.makeSink { return stream(request, head, peer, to: makeSink) }
            if head.expectsContinue, route.bodyBytesMax > 0, !PublicPaths.contain(route.pattern) {
                do throws(Problem) {
                    try Negotiation.checkBody(head, takesSpecs: route.makesWork)
                } catch {
                    return refuse(head, peer, error, by: caller)
                }
            }
            return .accept(request, bodyBytesMax: route.bodyBytesMax)
        }
    }

    /// Lets a body go where it is kept as it arrives.
    private func stream(
        _ request: AdmittedRequest, _ head: HTTPRequestHead, _ peer: PeerAddress, to makeSink: Route.SinkMaker
    ) -> HTTPAdmission {
        let caller = request.permission.caller
        if server.process.isDraining { return refuse(head, peer, Self.draining, by: caller) }
        let most = server.limits.uploadBytesMax
        // The listener refuses it.
        if let length = head.contentLength, length > most { return .accept(request, bodyBytesMax: most) }
        do throws(Problem) {
            try check(head, for: request.route)
            let sink = try makeSink(self, head, caller, peer) { [self] problem in
                refusal(head, peer, PreparedProblem(problem), by: caller)
            }
            return .accept(request, sink: sink, bodyBytesMax: most)
        } catch {
            return refuse(head, peer, error, by: caller)
        }
    }

    /// Serves a request that was admitted. On the connection's loop.
    func handle(_ exchange: HTTPExchange, of request: AdmittedRequest) {
        let (head, route) = (exchange.request.head, request.route)
        let (id, now) = (requestIDs.id(for: head.fields), SystemTime.now())
        let permission: Permission
        do throws(Problem) {
            permission = try request.permission.renewed(by: server.gate, at: now) { () throws(Problem) in
                try self.permission(of: head, exchange.peer, route)
            }
        } catch {
            // The token was removed or expired while the body was received.
            let response = error.response(requestID: id, instance: CallbackPath.shown(request.path))
            server.metrics.countAnswer(response.status.code)
            logAnswer(head, exchange.peer, response, since: now)
            return exchange.respond(response)
        }
        let caller = permission.caller
        @Sendable func context(_ reader: (any JobReader)?, _ turn: LargeBodies.Turn? = nil) -> RequestContext
        {
            RequestContext(
                exchange, of: request, permission, requestID: id, startedAt: now, reader: reader, turn: turn)
        }
        if exchange.request.body.count >= LargeBodies.bytesMin {
            let refusal = server.reads.largeBodies.run(
                for: client(head, exchange.peer, caller), of: caller.tenant
            ) { turn in
                switch turn {
                case .success(let turn): self.serve(context(turn.reader, turn))
                case .failure(let error): context(nil).answer(Problem(error))
                }
            }
            if let refusal { context(nil).answer(refusal) }
            return
        }
        guard server.reads.areRemote, route.mayRead else { return serve(context(nil)) }
        // The full view reads more.
        let isPlain = route.readsJob && head.target.queryBytes == nil
        let job = isPlain ? JobID(utf8: request.parameter) : nil
        let isAccepted = server.reads.threads.run(inTurnOf: caller.tenant, of: job) { reader in
            self.serve(context(reader))
        }
        if !isAccepted { context(nil).answer(Self.tooManyReads) }
    }

    private static let tooManyReads = Problem(
        .overloaded, "Too many requests wait for the database at once. Nothing is wrong with the request.")

    private func serve(_ context: RequestContext) {
        let (route, head) = (context.route, context.request.head)
        if let problem = context.lackOfShare { return context.answer(problem) }
        do throws(Problem) {
            try check(head, for: route)
            try route.handler(context)
        } catch {
            context.answer(error)
        }
    }

    /// Refuses what the head alone decides.
    private func check(_ head: HTTPRequestHead, for route: Route) throws(Problem) {
        if route.answersJSON { try Negotiation.check(head.fields) }
        if case .acts(let once) = route.repetition { try IdempotencyKey.refuse(in: head, once) }
        try route.preconditions.check(head, of: route)
    }

    /// The answer to input that the listener refuses.
    func answer(
        to refusal: ListenerRefusal, of head: HTTPRequestHead?, from peer: PeerAddress
    ) -> HTTPResponse {
        server.metrics.countAnswer(refusal.status.code)
        let response = RefusalAnswer.response(
            to: refusal, requestID: requestIDs.id(for: head?.fields ?? HTTPFields()),
            instance: head.map {
                CallbackPath.shown(server.entrance.path(of: $0))
            })
        logAnswer(to: refusal, peer, response)
        return response
    }

    /// Sends, counts and logs the answer to a request. From any thread.
    func finish(_ context: RequestContext, _ response: consuming HTTPResponse) {
        if case .bytes(let bytes) = response.body, bytes.count >= AnswerMemory.bytesMin {
            keep(bytes.count, context, &response)
        }
        response.requestID = context.requestID
        response.timing = context.timing
        response.isAlwaysAsked = context.route.method == .get
        CallbackPath.protect(&response, at: context.path)
        if let deprecation = context.route.deprecation {
            deprecation.mark(&response.fields, base: context.base)
            logUse(of: context.route, until: deprecation.sunset, by: context.caller.by)
        }
        server.metrics.countAnswer(response.status.code)
        context.span?.end(response.status.code, requestID: context.requestID)
        logAnswer(
            context.request.head, context.exchange.peer, response, since: context.startedAt,
            by: context.caller)
        context.exchange.respond(response)
    }

    /// Counts a request of an operation that will go, and logs the first one of each caller.
    private func logUse(of route: Route, until sunset: HTTPDate, by caller: String) {
        let operation = "\(route.method) \(route.pattern.text)"
        guard server.metrics.deprecatedUses.add(operation, by: caller) else { return }
        server.log.write(.info, "deprecated_request") { line in
            line.member("route", operation)
            line.member("until", sunset.description)
            line.member("by", by: caller)
        }
    }

    /// Takes memory for a long answer until its client has read it. A read is refused when there is none; what has been
    /// done is answered.
    @inline(never)
    private func keep(_ count: Int, _ context: RequestContext, _ response: inout HTTPResponse) {
        // Files of the program are in memory once.
        guard context.route.scope != nil else { return }
        let isRead = context.route.method == .get
        switch server.limits.answers.take(count, for: context.shareOwner, always: !isRead) {
        case .taken(let hold): response.hold = hold
        case .refused(let problem):
            response = problem.response(
                requestID: context.requestID, instance: CallbackPath.shown(context.path))
        }
    }

    /// See `HTTPService.outOfDescriptors`; logged once for all loops.
    func outOfDescriptors(_ isOut: Bool) {
        guard server.process.isOutOfDescriptors.exchange(isOut, ordering: .relaxed) != isOut else { return }
        if isOut {
            server.log.write(
                .warning, "descriptors_exhausted",
                message: "No descriptor is left for new connections; they wait. Raise the limit (ulimit -n).")
        } else {
            server.log.write(.info, "descriptors_recovered")
        }
    }

    private static let draining = PreparedProblem(.draining)

    private static let astray = PreparedProblem(
        Problem(
            .callbackNotFound,
            "A callback URL ends with /callbacks/ and its token. Use the one that was handed out, whole."))

    private func hint(_ head: HTTPRequestHead) -> String {
        router.meant(by: head.method, server.entrance.path(of: head))
            .map { " Did you mean \($0)?" } ?? ""
    }

    private func siteProblem(
        _ head: HTTPRequestHead, _ path: ArraySlice<UInt8>, _ peer: PeerAddress
    ) -> Problem? {
        let asked = server.entrance.host(of: head, from: peer)
        switch site.verdict(on: head, path: path, asked: asked) {
        case .fine: return nil
        case .otherHost(let name):
            return Problem(
                .misdirected,
                "Without tokens this server answers to localhost, addresses and the names given by --host-name; the "
                    + "request is for \"\(name)\". If that is this server: --host-name \(name), or --token-file."
            )
        case .otherSite(let site):
            return Problem(
                .crossSite,
                "A web page of another site (\(site)) sent this, so nothing was done. Only pages of this server, and "
                    + "programs other than browsers, may change something here.")
        case .readOnlyPage:
            return Problem(
                .pageReadOnly,
                "The server was started with --page read: pages in a browser show, and change nothing. Nothing was "
                    + "done. Programs such as curl may do it.")
        }
    }

    /// The permission of a request for a route; nil is none that exists.
    /// - Throws: when the token is missing, unknown or expired, has none of the scopes, or is a tenant's.
    private func permission(
        of head: HTTPRequestHead, _ peer: PeerAddress, _ route: Route?
    ) throws(Problem) -> Permission {
        let scopes = route?.scopes ?? [.read]
        guard let scope = scopes.first else { return Permission(caller: .anybody, grounds: nil) }
        guard server.gate.asksForToken else {
            return Permission(caller: named(.anybody, head, peer), grounds: nil)
        }
        let sent = head.fields.first("authorization")
        if sent != nil, head.fields.count(of: "authorization") > 1 {
            throw Problem(header: "Authorization", "There are several Authorization fields. Send one.")
        }
        // RFC 6750 §3: no error code when the request has no token.
        let challenge = "Bearer realm=\"jobserver\""
        let invalid = challenge + (sent == nil ? "" : ", error=\"invalid_token\"")
        let (verdict, grounds) = server.gate.judge(head, scopes: scopes)
        switch verdict {
        case .open(let caller):
            if let tenant = caller.tenant, route?.isForOperators == true {
                throw Problem(
                    .forbidden,
                    "The token \"\(caller.name)\" belongs to the tenant \"\(tenant.name)\", and this is about the "
                        + "whole server. It takes a token without a tenant.")
            }
            return Permission(caller: named(caller, head, peer), grounds: grounds)
        case .expired(let name, let end):
            throw Problem(.unauthenticated, "The token \"\(name)\" expired at \(end). Send another one.")
                .field("WWW-Authenticate", invalid)
        case .unknown:
            let what = sent == nil ? "carries no token" : "carries no token known here"
            throw Problem(.unauthenticated, "The request \(what). Send \"Authorization: Bearer js_…\".")
                .field("WWW-Authenticate", invalid)
        case .forbidden(let name):
            throw Problem(
                .forbidden, "The token \"\(name)\" lacks the scope \"\(scope.rawValue)\" that this needs."
            )
            .field(
                "WWW-Authenticate", challenge + ", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\"")
        }
    }

    /// The reason why a request that was permitted is not permitted any more.
    /// - Parameter isSession: whether a session permitted it.
    func refusal(of context: RequestContext, isSession: Bool) -> Problem {
        do throws(Problem) {
            _ = try permission(of: context.request.head, context.exchange.peer, context.route)
        } catch {
            guard isSession, error.kind == .unauthenticated else { return error }
            var problem = error
            problem.detail =
                "The session in this browser has ended: it was signed out, or its token is not valid any more. Sign in "
                + "again."
            return problem
        }
        return Problem(.unauthenticated, "The token belongs to another tenant now. Send the request again.")
            .field("WWW-Authenticate", "Bearer realm=\"jobserver\", error=\"invalid_token\"")
    }

    /// The caller with the user that a trusted proxy names.
    private func named(_ caller: Caller, _ head: HTTPRequestHead, _ peer: PeerAddress) -> Caller {
        var caller = caller
        caller.user = server.entrance.user(of: head, from: peer)
        return caller
    }

    private func refuse(
        _ head: HTTPRequestHead, _ peer: PeerAddress, _ problem: Problem, by caller: Caller? = nil
    ) -> HTTPAdmission {
        refuse(head, peer, PreparedProblem(problem), by: caller)
    }

    private func refuse(
        _ head: HTTPRequestHead, _ peer: PeerAddress, _ problem: PreparedProblem, by caller: Caller? = nil
    ) -> HTTPAdmission {
        .refuse(refusal(head, peer, problem, by: caller))
    }

    /// The answer to a request that is refused before its body has come, counted and logged.
    private func refusal(
        _ head: HTTPRequestHead, _ peer: PeerAddress, _ problem: PreparedProblem, by caller: Caller?
    ) -> HTTPResponse {
        let path = server.entrance.path(of: head)
        let id = requestIDs.id(for: head.fields)
        var response =
            PersonPage.isWanted(by: head, at: path)
            ? PersonPage.response(to: problem.problem, requestID: id)
            : problem.response(requestID: id, instance: CallbackPath.shown(path))
        CallbackPath.protect(&response, at: path)
        server.metrics.countAnswer(response.status.code)
        logAnswer(head, peer, response, since: SystemTime.now(), by: caller)
        return response
    }
}
