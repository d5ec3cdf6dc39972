import DurableJobs
import EventIO
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON

/// `POST /hooks/{name}`, and with tenants `/hooks/{tenant}/{name}`: takes a request from outside.
enum ReceiveHook {
    static func handle(_ context: RequestContext) throws(Problem) {
        let head = context.request.head
        let second = context.route.pattern.second(in: context.path)
        let first = String(decoding: context.parameter.prefix(80), as: UTF8.self)
        let tenant = second == nil ? nil : Tenant(first)
        let name = second.map { String(decoding: $0.prefix(80), as: UTF8.self) } ?? first
        let hooks = context.server.settings.hooks.scoped(to: tenant)
        guard JobSpecReader.isName(name), let entry = hooks[name], let spec = entry.value else {
            throw Problem(.notFound, "There is nothing at this path.")
        }
        let body = context.request.body
        guard body.count <= spec.bytesMax else {
            throw Problem(
                .payloadTooLarge, "The body has \(body.count) bytes; this hook takes \(spec.bytesMax).")
        }
        let request = ArrivedRequest(
            method: head.method.description, host: Array(head.fields.first("host") ?? []),
            target: Array(head.target.bytes), fields: head.fields, body: body)
        do throws(VerifyRefusal) {
            try RequestVerifier(
                spec.verify, vault: context.server.settings.secrets.scoped(to: tenant),
                checks: OpenSSLDigests()
            ).verify(request, at: context.startedAt)
        } catch {
            try refuse(error, request, spec, tenant?.stored(name) ?? name, context)
        }
        try Negotiation.checkEncoding(head)
        try SubmitJob.checkIntake(context)
        try checkRate(spec, tenant?.stored(name) ?? name, context)
        let content = HookDelivery(request, verify: spec.verify)
        let id = content.id(by: spec.dedupe)
        var record = DeliveryRecord(
            id: HookCall.newID(context, at: context.startedAt), hook: name, .started)
        record.sender = context.sender
        record.key = id
        record.byteCount = body.count
        let query = spec.verify.trustsQuery ? Array(head.target.queryBytes ?? []) : []
        record.keys = HookCall.keys(
            of: tenant?.stored(name) ?? name, id, spec.dedupe.body ? body : nil, query)
        let call = HookCall(
            context: context, name: name, tenant: tenant, spec: spec, content: content, body: body,
            record: record)
        try take(call, tenant)
    }

    /// Refuses a delivery that comes too soon after others.
    private static func checkRate(
        _ spec: HookSpec, _ hook: String, _ context: RequestContext
    ) throws(Problem) {
        guard let rate = spec.rate,
            let wait = context.server.limits.hookRates.wait(of: hook, rate, at: context.startedAt)
        else { return }
        throw Problem(
            .hookRate,
            "This hook takes \(rate.count) deliveries in \(DurationText.text(rate.per)). Send it again later."
        ).field("Retry-After", String((max(1, wait.wholeMilliseconds) + 999) / 1_000))
    }

    private static func take(_ call: HookCall, _ tenant: Tenant?) throws(Problem) {
        let context = call.context
        try context.read { whole throws(Problem) in
            let (reader, store) = context.server.access(of: tenant, whole)
            if let answer = call.content.handshake(for: call.spec.verify.scheme) {
                return call.ignore("handshake", "The sender tried the address.", store) {
                    result throws(Problem) in
                    _ = try result.get()
                    context.answer(.ok, Self.fields, json: answer)
                }
            }
            try call.run(reader, store) { result throws(Problem) in try answer(call, result.get(), reader) }
        }
    }

    // MARK: Answers

    private static var fields: HTTPFields {
        var fields = HTTPFields()
        fields.add("Referrer-Policy", "no-referrer")
        return fields
    }

    /// Answers, a repetition as the first one.
    private static func answer(
        _ call: HookCall, _ reply: DeliveryWrite.Reply, _ reader: any JobReader
    ) throws(Problem) {
        let context = call.context
        let shown = reply.first ?? reply.delivery
        var fields = fields
        if reply.first != nil { fields.add("Duplicate", "true") }
        guard let seconds = call.spec.wait?.components.seconds, shown.outcome == .started, let id = shown.job,
            let job = try stored(reader.job(id)), let place = context.server.limits.hookWaits.take()
        else {
            return context.answer(.accepted, fields, json: DeliveryBody.short(shown))
        }
        JobWait.until({ $0.isFinal }, context, job, seconds: Int(seconds), reads: true) {
            [fields, place] job in
            withExtendedLifetime(place) {}
            context.attempt { () throws(Problem) in
                guard job.state.isFinal else {
                    return context.answer(.accepted, fields, json: DeliveryBody.short(shown))
                }
                let result = job.state == .succeeded ? try stored(reader.result(id)) : nil
                guard let result, result.artifact == nil else {
                    return context.answer(.ok, fields, json: DeliveryBody.short(shown, state: job.state))
                }
                var fields = fields
                fields.add("Content-Type", result.contentType ?? "application/json")
                if let coding = result.contentCoding { fields.add("Content-Encoding", coding) }
                fields.add("Content-Security-Policy", "sandbox")
                fields.add("X-Content-Type-Options", "nosniff")
                context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(result.body)))
            }
        }
    }

    // MARK: Refusals

    /// Refuses a request that is not its sender's, and writes some of them down.
    /// - Parameter hook: its name in the store.
    private static func refuse(
        _ refusal: VerifyRefusal, _ request: ArrivedRequest, _ spec: HookSpec, _ hook: String,
        _ context: RequestContext
    ) throws(Problem) -> Never {
        let server = context.server
        server.metrics.hooks.count(.refused)
        if let times = server.limits.refusals.note(hook, at: context.startedAt) {
            var record = DeliveryRecord(
                id: HookCall.newID(context, at: context.startedAt), hook: hook, .refused)
            record.sender = context.sender
            (record.reason, record.detail) = (refusal.code.rawValue, refusal.detail)
            (record.times, record.byteCount) = (times, request.body.count)
            if request.body.count <= RefusalBook.bodyMax {
                record.head = HookDelivery(request, verify: spec.verify).head
                record.body = request.body
            }
            server.store.perform(DeliveryWrite(record)) { _ in }
            server.log.write(.warning, "hook_refused") { line in
                line.member("hook", hook)
                line.member("reason", refusal.code.rawValue)
                line.member("address", record.sender)
                line.member("times", times)
            }
        }
        if refusal.code == .noKey {
            throw Problem(
                .hookUnready, "This hook cannot verify its senders at the moment. Send it again later.")
        }
        throw Problem(.hookRefused, refusal.detail)
            .field("WWW-Authenticate", "\(spec.verify.scheme.challenge) realm=\"hook\"")
    }
}

extension VerifySpec.Scheme {
    /// The scheme that a 401 names (RFC 9110, section 11.6.1).
    var challenge: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        default: "Signature"
        }
    }
}

extension RequestContext {
    /// The address of the client.
    var sender: String {
        server.entrance.client(of: request.head, from: exchange.peer).description
    }
}
