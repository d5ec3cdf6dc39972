internal import HTTPMessage
internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization
internal import TraceFormat

// DESIGN
// Spans are made of the entries that the run records in its journal anyway: the start of an operation is remembered,
// and its end makes the span. So operations know nothing of traces, and a span of work that began in an earlier run has
// its true start.

/// The spans of one run of a job: of the job with its root operation, of the operations below, and of attempts.
final class RunTrace: Sendable {
    /// The events of one span, at most.
    private static let eventsMax = 32

    private struct Open {
        var startedAt: Timestamp?
        var attempt: (number: Int, method: String?, url: String?)?
        var events: [TraceSpan.Event] = []
    }

    /// The operations that have not ended. Most jobs have only the root, which costs no entry of a table.
    private struct Operations {
        var root = Open()
        var below: [[String]: Open] = [:]

        subscript(path: [String]) -> Open {
            get { path.isEmpty ? root : below[path] ?? Open() }
            set { if path.isEmpty { root = newValue } else { below[path] = newValue } }
        }

        mutating func remove(_ path: [String]) -> Open {
            guard path.isEmpty else { return below.removeValue(forKey: path) ?? Open() }
            defer { root = Open() }
            return root
        }
    }

    private let record: JobRecord
    private let trace: JobTrace
    private let tracer: Tracer
    private let scrubber: SecretScrubber
    private let open: Mutex<Operations>

    init(of record: JobRecord, past: JournalFold, tracer: Tracer, scrubber: SecretScrubber) {
        self.record = record
        self.tracer = tracer
        self.scrubber = scrubber
        trace = JobTrace(
            of: record, submission: record.detail.trace.flatMap { TraceContext(stored: $0) },
            retriedAt: past.retriedAt, tracer: tracer)
        var operations = Operations()
        for (path, history) in past.histories where history.ending == nil {
            operations[path].startedAt = history.startedAt
            operations[path].attempt = history.openAttempt.map { ($0.number, $0.method, $0.url) }
        }
        open = Mutex(operations)
    }

    /// Adds the fields that tell an upstream of which attempt a call is part.
    var callFields: @Sendable (_ path: [String], _ attempt: Int) -> [(name: String, value: String)] {
        { [trace] path, number in
            let context = trace.root.with(trace.attempt(number, of: path))
            let parent = (name: "traceparent", value: context.parent)
            return context.state.isEmpty ? [parent] : [parent, (name: "tracestate", value: context.state)]
        }
    }

    /// Notes an entry that the run has recorded.
    func note(_ entry: JournalEntry) {
        guard trace.root.isSampled else { return }
        switch entry.event {
        case .started:
            open.withLock { open in
                if open[entry.path].startedAt == nil { open[entry.path].startedAt = entry.at }
            }
        case .attemptStarted(let number, let method, let url):
            open.withLock { $0[entry.path].attempt = (number, method, url) }
        case .attemptFinished(let record):
            let attempt = open.withLock { open in
                defer { open[entry.path].attempt = nil }
                return open[entry.path].attempt
            }
            tracer.record(trace.root) {
                span(of: record, entry.path, method: attempt?.method, url: attempt?.url)
            }
        case .waiting(let wait):
            open.withLock { open in
                guard open[entry.path].events.count < Self.eventsMax else { return }
                open[entry.path].events.append(Self.event(wait, at: entry.at))
            }
        case .finished(let ending): end(ending, of: entry.path, at: entry.at)
        default: break
        }
    }

    /// Makes the span of the job, which has ended.
    func end(_ ending: OperationEnding, at now: Timestamp) {
        if trace.root.isSampled { end(ending, of: [], at: now) }
    }

    private func end(_ ending: OperationEnding, of path: [String], at now: Timestamp) {
        let ended = open.withLock { $0.remove(path) }
        tracer.record(trace.root) {
            var span = path.isEmpty ? spanOfJob(ended, at: now) : span(of: path, ended, at: now)
            span.set("jobserver.state", ending.state.rawValue)
            span.events = ended.events
            if let error = ending.errors.first, ending.state != .skipped { set(error, on: &span) }
            return span
        }
    }

    // MARK: Spans

    private func spanOfJob(_ ended: Open, at now: Timestamp) -> TraceSpan {
        var span = TraceSpan(
            trace.root, in: trace.parent, kind: .consumer, name: "process \(record.queue)",
            start: (ended.startedAt ?? now).nanoseconds, end: now.nanoseconds)
        span.links = trace.link.map { [$0] } ?? []
        span.hasRemoteParent = trace.parent != nil
        span.set("messaging.system", "jobserver")
        span.set("messaging.operation.name", "process")
        span.set("messaging.operation.type", "process")
        span.set("messaging.destination.name", record.queue)
        span.set("messaging.message.id", record.id.description)
        span.set("jobserver.job.name", scrubber.scrubbed(record.name))
        span.set("jobserver.operation.type", record.type)
        return span
    }

    private func span(of path: [String], _ ended: Open, at now: Timestamp) -> TraceSpan {
        let name = scrubber.scrubbed(path.last ?? "")
        var span = TraceSpan(
            trace.root.with(trace.operation(path)), in: trace.operation(path.dropLast()), kind: .internal,
            name: name, start: (ended.startedAt ?? now).nanoseconds, end: now.nanoseconds)
        setJob(on: &span, path)
        return span
    }

    private func span(of attempt: AttemptRecord, _ path: [String], method: String?, url: String?) -> TraceSpan
    {
        let parts = url.flatMap { try? URLParts($0) }
        var span = TraceSpan(
            trace.root.with(trace.attempt(attempt.number, of: path)), in: trace.operation(path),
            kind: method == nil ? .internal : .client, name: method ?? "attempt",
            start: attempt.startedAt.nanoseconds, end: attempt.finishedAt.nanoseconds)
        setJob(on: &span, path)
        span.set("jobserver.attempt", attempt.number)
        span.set("jobserver.state", attempt.outcome.rawValue)
        if let method {
            span.set("http.request.method", method)
            span.set("url.full", url.map { scrubber.scrubbed(ShownURL.text($0)) })
            span.set("server.address", parts.map { scrubber.scrubbed($0.host) })
            span.set("server.port", parts?.port)
            span.set("http.response.status_code", attempt.status)
            if attempt.number > 1 { span.set("http.request.resend_count", attempt.number - 1) }
            set(attempt.exchange, on: &span)
        }
        if attempt.outcome != .notDone, let error = attempt.error { set(error, on: &span) }
        return span
    }

    private func set(_ exchange: HTTPCallExchange?, on span: inout TraceSpan) {
        // "HTTP/1.1", and "192.0.2.1:443" or "[2001:db8::1]:443"
        span.set(
            "network.protocol.version", exchange?.protocolName?.split(separator: "/").last.map(String.init))
        guard let peer = exchange?.peer, let colon = peer.lastIndex(of: ":") else { return }
        let address = peer[..<colon].filter { $0 != "[" && $0 != "]" }
        span.set("network.peer.address", address)
        span.set("network.peer.port", Int(peer[peer.index(after: colon)...]))
    }

    private func setJob(on span: inout TraceSpan, _ path: [String]) {
        span.set("jobserver.job.id", record.id.description)
        if !path.isEmpty {
            span.set("jobserver.operation", scrubber.scrubbed(path.joined(separator: "/")))
        }
    }

    /// `error.type` is that of the semantic conventions: the status of an answer, else a code. The detail is left out,
    /// since it may quote a URL with its query.
    private func set(_ error: AOperationError, on span: inout TraceSpan) {
        let status = error.upstream?.status
        span.set("error.type", status.map(String.init) ?? error.code.description)
        span.status = .error("\(error.code): \(error.title)")
    }

    private static func event(_ wait: OperationWait, at date: Timestamp) -> TraceSpan.Event {
        var attributes = [TraceAttribute("jobserver.wait.kind", .text(WaitWords.of(wait).category))]
        if let until = wait.until, until != .never {
            attributes.append(TraceAttribute("jobserver.wait.until", .text(until.description)))
        }
        return TraceSpan.Event(at: date.nanoseconds, name: "jobserver.wait", attributes: attributes)
    }
}

extension Timestamp {
    /// Nanoseconds since 1970.
    fileprivate var nanoseconds: Int64 {
        milliseconds.multipliedReportingOverflow(by: 1_000_000).partialValue
    }
}
