import HTTPMessage
import JobKit
import JobStore
import Synchronization
import TraceFormat

/// The span of a request that submits jobs, from the request to its answer.
final class SubmissionSpan: Sendable {
    private struct Jobs {
        var first: JobID?
        var count = 0
    }

    /// The length of the shown name of a client's program.
    private static let agentMax = 200

    private let tracer: Tracer
    private let context: TraceContext
    /// The context as it is stored with each job.
    private let stored: String
    private let parent: SpanID?
    private let method: HTTPMethod
    private let route: String
    private let path: String
    private let client: IPAddress
    private let agent: String?
    private let startedAt: Timestamp
    private let jobs = Mutex(Jobs())

    /// - Parameter random: two times two words, for its ids.
    init?(
        of head: HTTPRequestHead, at route: String, from client: IPAddress, startedAt: Timestamp,
        tracer: Tracer, random: ((UInt64, UInt64), (UInt64, UInt64))
    ) {
        let caller = Self.caller(of: head.fields)
        if tracer.sampler.root == .never, caller == nil { return nil }
        let traceID = caller?.traceID ?? TraceID(of: random.0.0, random.0.1)
        context = TraceContext(
            traceID: traceID, spanID: SpanID(random.1.0) ?? SpanID(BitMixer(random.1.1)),
            isSampled: tracer.sampler.isSampled(traceID, parent: caller), state: caller?.state ?? "")
        stored = context.stored
        parent = caller?.spanID
        self.tracer = tracer
        method = head.method
        self.route = route
        path = String(decoding: head.target.pathBytes, as: UTF8.self)
        self.client = client
        agent = head.fields.first("user-agent").map {
            String(decoding: $0.prefix(Self.agentMax), as: UTF8.self)
        }
        self.startedAt = startedAt
    }

    /// The span of the caller; nil without a valid `traceparent`, and when there are several.
    private static func caller(of fields: HTTPFields) -> TraceContext? {
        guard let parent = fields.first("traceparent"), fields.count(of: "traceparent") == 1 else {
            return nil
        }
        return TraceContext(
            parent: String(decoding: parent, as: UTF8.self), state: fields.combined("tracestate") ?? "")
    }

    /// Makes the span that of the job's submission, which is stored with it.
    func mark(_ job: inout NewJob) {
        job.record.detail.submit { $0.trace = stored }
        jobs.withLock { jobs in
            jobs.first = job.record.id
            jobs.count += 1
        }
    }

    /// Names the job that was found or made.
    func note(_ job: JobID) { jobs.withLock { $0.first = job } }

    /// Ends the span with the status of the answer.
    func end(_ status: Int, requestID: String) {
        tracer.record(context) {
            var span = TraceSpan(
                context, in: parent, kind: .server, name: "\(method) \(route)",
                start: startedAt.milliseconds * 1_000_000, end: SystemTime.now().milliseconds * 1_000_000)
            span.hasRemoteParent = parent != nil
            span.set("http.request.method", method.description)
            span.set("http.route", route)
            span.set("url.path", path)
            span.set("http.response.status_code", status)
            span.set("client.address", client.description)
            span.set("user_agent.original", agent)
            span.set("jobserver.request.id", requestID)
            let jobs = jobs.withLock { $0 }
            if jobs.count == 1 { span.set("jobserver.job.id", jobs.first?.description) }
            if jobs.count > 1 { span.set("jobserver.job.count", jobs.count) }
            if status >= 500 {
                span.set("error.type", String(status))
                span.status = .error("")
            }
            return span
        }
    }
}
