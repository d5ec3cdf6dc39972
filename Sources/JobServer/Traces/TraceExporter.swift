import Commands
import CurlHTTP
import EventIO
import FoundationEssentials
import HTTPMessage
import JobKit
import Synchronization
import TraceFormat

// DESIGN
// On a loop and with a client of its own, so that a collector that is slow, or its TLS, takes no time from the engine.
// One request is in flight at a time. While it is repeated, spans come together in the buffer, and when that is full
// they are dropped: memory and time are bounded whatever the collector does.

/// Sends spans to a collector (OTLP over HTTP).
final class TraceExporter: Sendable {
    /// The time for the last spans when the server stops.
    private static let lastTimeout = Duration.seconds(3)
    /// The pause before the first repetition, doubled with each.
    private static let pause = Duration.seconds(1)
    private static let pauseMax = Duration.seconds(30)

    let tracer: Tracer
    private let settings: TraceSettings
    private let resource: [TraceAttribute]
    private let loop: EventLoop
    private let client: CurlClient
    private let log: Log
    private let exportedCount = Atomic<Int>(0)
    private let failedCount = Atomic<Int>(0)
    private let refusedCount = Atomic<Int>(0)
    private let isFailing = Atomic(false)
    private let isEnding = Atomic(false)
    private let sleep = Mutex<Task<Void, Never>?>(nil)
    /// The wait before a batch is sent again.
    private let pausing = Mutex<Task<Void, Never>?>(nil)
    private let work = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter facts: facts about this program, which those of the settings replace.
    init(
        _ settings: TraceSettings, relation: TraceRelation, facts: [TraceSettings.Field], log: Log
    ) throws(EventIOError) {
        self.settings = settings
        self.log = log
        let given = settings.resource
        let all = facts.filter { fact in !given.contains { $0.name == fact.name } } + given
        resource = all.map { TraceAttribute($0.name, .text($0.value)) }
        tracer = Tracer(
            sampler: settings.sampler, relation: relation,
            buffer: SpanBuffer(capacity: settings.queueMax, batch: settings.batchMax))
        loop = try EventLoop(name: "traces", standsBack: true)
        // The operator names the collector, so it is not subject to the rules for calls of jobs.
        client = CurlClient(
            loop: loop, allows: { _, _ in true }, userAgent: "jobserver/\(Version.text)")
    }

    /// The number of spans that a collector took.
    var exported: Int { exportedCount.load(ordering: .relaxed) }
    /// The number of spans that no request brought to the collector in time.
    var failed: Int { failedCount.load(ordering: .relaxed) }
    /// The number of spans that the collector refused.
    var refused: Int { refusedCount.load(ordering: .relaxed) }

    /// The number of spans that found the buffer full.
    var droppedFull: Int { tracer.buffer.dropped }
    /// The number of spans that wait for a request.
    var waiting: Int { tracer.buffer.waiting }

    func start() {
        loop.start()
        tracer.buffer.observe { [weak self] in self?.wake() }
        let task = Task(executorPreference: loop) { [self] in await run() }
        work.withLock { $0 = task }
    }

    /// Sends what waits, unless the collector does not answer, and ends.
    func finish() async {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        wake()
        pausing.withLock { $0 }?.cancel()
        let limit = Task(executorPreference: loop) { [self] in
            try? await loop.sleep(for: Self.lastTimeout)
            work.withLock { $0 }?.cancel()
        }
        await work.withLock { $0 }?.value
        limit.cancel()
        await client.close()
        loop.stop()
    }

    private func wake() { sleep.withLock { $0 }?.cancel() }

    private var mustEnd: Bool { isEnding.load(ordering: .sequentiallyConsistent) }

    private func run() async {
        while !mustEnd {
            await wait(for: settings.delay)
            var least = 1
            while let spans = next(of: least) {
                await export(spans)
                // What came meanwhile waits until it is a whole batch, or for the next time.
                least = mustEnd ? 1 : settings.batchMax
            }
        }
    }

    /// The next batch; nil when fewer than `least` wait, or the server stops and the collector does not answer.
    private func next(of least: Int) -> [TraceSpan]? {
        if tracer.buffer.waiting < least { return nil }
        if Task.isCancelled || mustEnd && isFailing.load(ordering: .relaxed) { return nil }
        let spans = tracer.buffer.take(settings.batchMax)
        return spans.isEmpty ? nil : spans
    }

    /// Waits until a batch has come together, the time is over, or the server stops.
    private func wait(for time: Duration) async {
        let task = Task<Void, Never>(executorPreference: loop) { [loop] in
            try? await loop.sleep(for: time)
        }
        sleep.withLock { $0 = task }
        if mustEnd || tracer.buffer.waiting >= settings.batchMax { task.cancel() }
        await task.value
    }

    // MARK: One batch

    private enum Answer {
        case taken(TraceExport.Refusal?)
        case refused(String)
        case notNow(String, after: Duration?)
    }

    private func export(_ spans: [TraceSpan]) async {
        let body = body(of: spans)
        let end = ContinuousClock.now + settings.timeout
        var pause = Self.pause
        while true {
            let left = ContinuousClock.now.duration(to: end)
            let (reason, wish): (String, Duration?)
            switch await send(body, within: left) {
            case .taken(let refusal):
                let lost = min(refusal?.spans ?? 0, spans.count)
                exportedCount.wrappingAdd(spans.count - lost, ordering: .relaxed)
                refusedCount.wrappingAdd(lost, ordering: .relaxed)
                // Without lost spans it is a warning (OTLP 1.5, partial success).
                return note(
                    lost == 0 ? nil : refusal.map { "The collector refused \($0.spans) spans: \($0.reason)" })
            case .refused(let text):
                refusedCount.wrappingAdd(spans.count, ordering: .relaxed)
                return note(text)
            case .notNow(let text, let after): (reason, wish) = (text, after)
            }
            let rest = min(max(wish ?? .zero, pause), Self.pauseMax)
            note(reason)
            guard ContinuousClock.now + rest < end, !mustEnd, !Task.isCancelled else {
                failedCount.wrappingAdd(spans.count, ordering: .relaxed)
                return
            }
            let task = Task<Void, Never>(executorPreference: loop) { [loop] in
                try? await loop.sleep(for: rest)
            }
            pausing.withLock { $0 = task }
            if mustEnd { task.cancel() }
            await task.value
            pause = pause * 2
        }
    }

    private func body(of spans: [TraceSpan]) -> [UInt8] {
        let export = TraceExport(resource: resource, version: Version.text, spans: spans)
        let plain = export.json()
        return settings.isCompressed ? Gzip.pack(plain) ?? plain : plain
    }

    private func send(_ body: [UInt8], within time: Duration) async -> Answer {
        var call = HTTPCall(method: "POST", url: settings.endpoint, body: body)
        call.fields = [("Content-Type", "application/json")]
        if settings.isCompressed { call.fields.append(("Content-Encoding", "gzip")) }
        call.fields += settings.fields.map { ($0.name, $0.value) }
        call.answerBytesMax = 1 << 20
        call.attemptTimeout = max(time, .milliseconds(1))
        call.connectTimeout = call.attemptTimeout
        call.firstByteTimeout = call.attemptTimeout
        if settings.authorities != nil || settings.certificate != nil {
            call.route.authoritiesPEM = settings.authorities
            call.route.clientCertificatePEM = settings.certificate
            call.route.clientKeyPEM = settings.key ?? settings.certificate
        }
        do throws(HTTPCallFailure) {
            let answer = try await client.send(call)
            switch answer.status {
            case 200..<300: return .taken(.init(json: answer.body))
            case 415:
                return .refused(
                    "The collector answers 415: it does not take JSON. Send to an OpenTelemetry Collector, which "
                        + "passes the spans on in the encoding that is wanted.")
            case 429, 502, 503, 504:
                return .notNow("The collector answers \(answer.status).", after: Self.wish(answer))
            default: return .refused("The collector refuses spans: it answers \(answer.status).")
            }
        } catch {
            return .notNow("The collector cannot be reached (\(error.code)): \(error.detail)", after: nil)
        }
    }

    private static func wish(_ answer: HTTPCallAnswer) -> Duration? {
        RetryRequest.delay(from: SystemTime.now()) { answer.field($0) }
    }

    /// Logs that the collector begins to fail, or takes spans again; nil is that it took all.
    private func note(_ trouble: String?) {
        guard isFailing.exchange(trouble != nil, ordering: .relaxed) != (trouble != nil) else { return }
        if let trouble {
            log.write(.warning, "traces_failing", message: trouble)
        } else {
            log.write(.info, "traces_recovered")
        }
    }
}
