import Commands
import CurlHTTP
import DurableJobs
import EventIO
import FoundationEssentials
import HTTPMessage
import JobHTTP
import JobKit
import JobRunner
import JobSpec
import JobStore
import OpenSSLCrypto
import SQLiteStore
import StrictJSON
import Synchronization
import TraceFormat

/// Builds the object graph of a server. No other code creates these objects.
enum Assembly {
    /// Builds a server from its configuration, ready to start.
    /// - Throws: a configuration error, with what to change before the server can start.
    static func build(
        _ config: ServerConfig, kinds: OperationKinds, log: Log, manager: ServiceManager?
    ) async throws(CommandFailure) -> Server {
        let gate = try makeGate(config)
        let tls = try makeTLS(config)
        let (store, lock) = try await StoreOpening.open(config)
        do {
            let settings = try StoredSettings(
                of: store, keyFile: config.keyFile, openable: config.egressConnections)
            log.hide(what: settings.scrubbers.all)
            tellUnreadable(settings, log)
            let ended = EndedJobs()
            let metrics = Metrics(startedAt: SystemTime.now())
            let traces = try makeTraces(config, log)
            let meter = TenantMeter(
                config.tenantLimits, others: config.tenantLimits[TenantLimitsText.others], store: store)
            let intake = Intake(
                queues: settings.queues, egress: config.egressPolicy, kinds: kinds,
                hasCallbackURLs: config.publicURL != nil)
            let engine = try makeEngine(
                config, intake: intake, settings: settings, store: store, log: log, metrics: metrics,
                tracer: traces?.tracer, meter: meter)
            let door = Door(
                entrance: makeEntrance(config, gate), gate: gate, engine: engine,
                reads: try RequestReads(of: store),
                limits: RequestLimits(
                    admission: Admission(
                        pressure: { store.pressure(of: $0) }, condition: { store.condition },
                        backlog: config.backlog.map { (backlogGauge(store, ended), $0) },
                        waitingMax: config.writeQueue, delayMax: config.writeDelay, log: log),
                    meter: meter, uploadBytesMax: Int(config.artifactMax)),
                metrics: metrics, traces: traces, log: log)
            store.observeCondition { log.write($0) }
            if store.condition != .sound { log.write(store.condition) }
            ExplainJob.answerOthers(door)
            LiveReading.answerOthers(door)
            let news = door.news
            engine.connect(missing: { news.skip() }, expecting: { news.statuses.expect($0) }) { changes in
                meter.observe(changes)
                metrics.jobs.countEnds(in: changes)
                ended.note(changes)
                news.observe(changes)
            }
            let front = try makeFront(config, door: door, tls: tls)
            door.process.listeners.withLock { $0 = front.flatMap(\.listeners) }
            door.process.loops.withLock { $0 = front.map(\.loop) + [engine.loop] }
            let control = makeControl(config, door: door, loop: front[0].loop)
            return Server(
                config: config, door: door, front: front, control: control, engine: engine, lock: lock,
                manager: manager)
        } catch {
            await store.close()
            lock?.release()
            throw failure(error)
        }
    }

    private static func makeEntrance(_ config: ServerConfig, _ gate: TokenGate) -> Entrance {
        Entrance(
            router: RouteTable.router,
            site: SiteGuard(
                checksHost: !gate.asksForToken, names: config.hostNames,
                isPageReadOnly: config.page.mode == .read),
            page: config.page, proxies: config.trustedProxies, pathPrefix: config.pathPrefix,
            publicURL: config.publicURL, logLevel: config.logsAccess ? .info : .debug)
    }

    private static func makeEngine(
        _ config: ServerConfig, intake: Intake, settings: StoredSettings, store: any JobStore,
        log: Log, metrics: Metrics, tracer: Tracer?, meter: TenantMeter
    ) throws(EventIOError) -> JobEngine {
        var parts = EngineParts(store: store, settings: settings, intake: intake)
        parts.runner = runnerSettings(
            config, intake: intake, store: store, log: log, metrics: metrics, tracer: tracer, meter: meter)
        parts.runner.tracing = tracer.map { RunTracing($0, scrubber: settings.scrubbers.all) }
        if let url = config.publicURL {
            settings.scrubbers.knowCallbacks()
            parts.runner.callbackURL = { [secrets = settings.secrets] job, place in
                "\(url)/callbacks/\(secrets.callbackToken(of: job, place).text)"
            }
        }
        parts.admit = { id, tenant, now in meter.admit([id], of: tenant, at: now).refusal }
        parts.unmade = { meter.withdraw($0, of: $1) }
        parts.settled = { schedule, occurrences in
            metrics.schedules.count(occurrences)
            for occurrence in occurrences { log.write(occurrence, of: schedule) }
        }
        parts.ended = { log.write($0) }
        parts.trouble = { trouble in
            log.write(.error, "store_trouble") { line in
                if let id = trouble.id { line.member("job_id", id.description) }
                line.member("message", trouble.detail)
            }
        }
        return try JobEngine(parts)
    }

    private static func runnerSettings(
        _ config: ServerConfig, intake: Intake, store: any JobStore, log: Log, metrics: Metrics,
        tracer: Tracer?, meter: TenantMeter
    ) -> RunnerSettings {
        var settings = RunnerSettings()
        settings.limits.concurrency = config.concurrency
        // Others take the jobs of a dead server when its lease ends.
        if let store = config.store { settings.times.lease = store.lease }
        settings.server = ServerRecord(
            id: .new(), host: ProcessInfo.processInfo.hostName, version: Version.text,
            startedAt: SystemTime.now(), address: config.advertised)
        settings.origins.rules = config.originGuards.rules
        let random = RandomWords()
        settings.callbacks = { job, reader throws(JobStoreError) in
            try CallbackJobs.make(for: job, reader, now: SystemTime.now(), random: random, tracer: tracer)
        }
        settings.bulk = bulkRules(log, metrics, meter, intake)
        let artifacts = ArtifactCare(of: store, log: log)
        settings.notes.claim = { [metrics] in metrics.claims.note($0) }
        settings.notes.start = { [metrics] in metrics.jobs.startDelays.note($0) }
        settings.notes.attempt = { [metrics] in metrics.jobs.countAttempt($0) }
        settings.maintain = { now in artifacts.maintain(at: now) }
        return settings
    }

    /// Tells of settings that an older or newer program wrote, or that are damaged.
    private static func tellUnreadable(_ settings: StoredSettings, _ log: Log) {
        for name in settings.queues.unreadable {
            log.write(
                .error, "setting_unreadable",
                message: "The configuration of the queue \(name) cannot be read here, so none of its jobs "
                    + "begins. Store it again: PUT /v1/queues/\(name).")
        }
        for name in settings.origins.unreadable {
            log.write(
                .error, "setting_unreadable",
                message: "The limits of the host \(name) cannot be read here, so it takes one call at a "
                    + "time. Store them again: PUT /v1/hosts/\(name)/limits.")
        }
    }

    /// Makes the exporter of traces, which has not started; nil without tracing.
    private static func makeTraces(_ config: ServerConfig, _ log: Log) throws(EventIOError) -> TraceExporter?
    {
        let (settings, warnings) = TraceSettings.read(config.traceVariables)
        for text in warnings { log.write(.warning, "traces_setting", message: text) }
        guard let settings else { return nil }
        let facts: [(String, String)] = [
            ("service.name", "jobserver"), ("service.version", Version.text),
            ("service.instance.id", OwnerID.new().description),
            ("host.name", ProcessInfo.processInfo.hostName),
            ("telemetry.sdk.name", "jobserver"), ("telemetry.sdk.language", "swift"),
            ("telemetry.sdk.version", Version.text),
        ]
        return try TraceExporter(
            settings, relation: config.traceRelation,
            facts: facts.map { TraceSettings.Field(name: $0.0, value: $0.1) }, log: log)
    }

    private static func bulkRules(
        _ log: Log, _ metrics: Metrics, _ meter: TenantMeter, _ intake: Intake
    ) -> BulkRules {
        BulkRules {
            Problem($0).kind.code
        } decision: { record in
            guard let request = BulkRequest.readStored(record.body) else { return nil }
            let decision = BulkDecision(
                request: request, tenant: Tenant(ofText: record.createdBy), meter: meter,
                by: OwnedText.shown(record.createdBy), intake: intake)
            return { decision.verdict($0, at: $1) }
        } progressed: { record, results in
            metrics.bulk.note(record, results)
            if record.state == .running { return }
            log.write(.info, "bulk_over") { line in
                line.member("bulk", record.id.description)
                line.member("state", record.state.rawValue)
                line.member("succeeded", Int64(record.done))
                line.member("skipped", Int64(record.skipped))
                line.member("failed", Int64(record.failed))
            }
        }
    }

    private static func makeFront(
        _ config: ServerConfig, door: Door, tls: TLSServerContext?
    ) throws -> [HTTPFront] {
        let count = config.httpLoops ?? max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        var front: [HTTPFront] = []
        if count > 1 { try ListenAddress.tcp(host: config.listenHost, port: config.port).checkIsFree() }
        let census = makeCensus(config)
        if let open = config.publicListen, count > 1, open.port > 0 {
            try ListenAddress.tcp(host: open.host, port: open.port).checkIsFree()
        }
        for index in 0..<count {
            let loop = try EventLoop(name: "http-\(index)")
            let service = LoopDoor(server: door, reader: try door.store.makeReader())
            let port = front.first?.listener.port ?? config.port
            let listener = try HTTPListener(
                loop: loop, address: .tcp(host: config.listenHost, port: port), reusePort: count > 1,
                tls: tls, census: census,
                service: service)
            let publicListener = try config.publicListen.map { open in
                try HTTPListener(
                    loop: loop,
                    address: .tcp(
                        host: open.host, port: front.first?.publicListener?.port ?? open.port),
                    reusePort: count > 1, tls: tls, census: census,
                    service: LoopDoor(
                        server: door, reader: service.reader, publicRouter: RouteTable.publicRouter))
            }
            front.append(HTTPFront(loop: loop, listener: listener, publicListener: publicListener))
        }
        return front
    }

    /// Limits connections to the descriptors that remain after jobs and the store have taken theirs.
    private static func makeCensus(_ config: ServerConfig) -> ConnectionCensus {
        let descriptors = DescriptorLimit.raise()
        let kept = min(64 + max(config.concurrency, CurlLimits().connectionsMax), descriptors / 2)
        let given = config.connectionsPerClient
        return ConnectionCensus(connectionsMax: min(config.connectionsMax, descriptors - kept)) { address in
            // A proxy forwards for many clients.
            given
                ?? (isLocal(address) || config.trustedProxies.contains(address)
                    ? .max : ServerConfig.connectionsPerClientMax)
        }
    }

    /// The control socket. On a file system without sockets the server runs without it.
    private static func makeControl(_ config: ServerConfig, door: Door, loop: EventLoop) -> HTTPListener? {
        do throws(EventIOError) {
            let socket = LocalSocket(folder: config.dataDirectory, name: ControlDoor.socketName)
            return try HTTPListener(
                loop: loop, address: .descriptor(socket.listen()),
                service: ControlDoor(server: door, directory: config.dataDirectory))
        } catch {
            door.log.write(.warning, "control_unavailable", message: error.description)
            return nil
        }
    }

    private static func isLocal(_ address: IPAddress) -> Bool {
        CIDR(address.isIPv4 ? "127.0.0.0/8" : "::1/128")?.contains(address) == true
    }

    private static func backlogGauge(_ store: any CommitFeed, _ ended: EndedJobs) -> BacklogGauge {
        BacklogGauge(
            waiting: { store.counts()[.queued] ?? 0 }, ended: { ended.count.load(ordering: .relaxed) })
    }

    private static func makeGate(_ config: ServerConfig) throws(CommandFailure) -> TokenGate {
        guard let path = config.tokenFile else {
            guard config.isLoopback else {
                throw CommandFailure(
                    code: .configuration,
                    text: """
                        \(config.host) can be reached by others, and there are no tokens: everybody could run jobs.
                        Either stay on this machine: --host 127.0.0.1
                        or make a token and ask for it:
                            jobserver token create --token-file tokens --name me
                            jobserver serve --host \(config.host) --token-file tokens
                        """)
            }
            return TokenGate()
        }
        do throws(TokenFileError) { return try TokenGate(file: TokenFile(path: path)) } catch {
            throw CommandFailure(code: .configuration, text: error.description)
        }
    }

    private static func makeTLS(_ config: ServerConfig) throws(CommandFailure) -> TLSServerContext? {
        guard let certificate = config.tlsCertificate, let key = config.tlsKey else { return nil }
        do throws(EventIOError) {
            return try TLSServerContext(certificateFile: certificate, keyFile: key)
        } catch {
            throw CommandFailure(code: .configuration, text: error.description)
        }
    }

    private static func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as EventIOError: CommandFailure(code: .address, text: error.description)
        case let error as JobStoreError: CommandFailure(error)
        case let error as EngineSetupError: CommandFailure(error)
        case let error as CommandFailure: error
        default: CommandFailure(code: .failure, text: String(describing: error))
        }
    }
}

/// An HTTP loop with its listener.
struct HTTPFront: Sendable {
    let loop: EventLoop
    /// The listener of this loop; all loops share the port.
    let listener: HTTPListener
    /// The listener of this loop with what strangers may reach.
    let publicListener: HTTPListener?

    var listeners: [HTTPListener] { [listener] + (publicListener.map { [$0] } ?? []) }
}

/// Number of jobs that have ended since the process started, on all servers of the store.
final class EndedJobs: Sendable {
    let count = Atomic<Int>(0)

    /// Counts the ends in a commit.
    func note(_ changes: [JobChange]) {
        let ends = changes.count { $0.state?.isFinal == true && !$0.hasOnlyEntries }
        if ends > 0 { count.wrappingAdd(ends, ordering: .relaxed) }
    }
}
