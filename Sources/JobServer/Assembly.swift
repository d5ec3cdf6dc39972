import CurlHTTP
import EventIO
import FoundationEssentials
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON
import Synchronization

/// Builds the object graph of a server. Nothing is created anywhere else.
enum Assembly {
    /// A server by its configuration, ready to start.
    /// - Throws: what a person must change before the server can start.
    static func build(
        _ config: ServerConfig, kinds: OperationKinds, log: Log
    ) async throws(CommandFailure) -> Server {
        let gate = try makeGate(config)
        let tls = try makeTLS(config)
        let store = try StoreOpening.open(config)
        let watch = JobWatch()
        do {
            let settings = try StoredSettings(config, store: store)
            log.hide(what: settings.scrubber)
            let engineLoop = try EventLoop(name: "engine")
            let runner = makeRunner(
                config, kinds: kinds, settings: settings, store: store, loop: engineLoop, log: log)
            let door = Door(
                store: store, readers: try ReaderPool(store: store, count: 2), gate: gate, watch: watch,
                engine: runner, egress: config.egressPolicy, kinds: kinds, settings: settings,
                metrics: Metrics(startedAt: SystemTime.now()),
                log: log)
            store.observeCommits { [cache = door.statusCache] changes in
                cache.forget(changes)
                runner.notice(changes)
                watch.observe(changes)
            }
            let front = try makeFront(config, door: door, tls: tls)
            door.listeners.withLock { $0 = front.map(\.listener) }
            return Server(config: config, door: door, front: front, engineLoop: engineLoop, runner: runner)
        } catch {
            await store.close()
            throw failure(error)
        }
    }

    private static func makeRunner(
        _ config: ServerConfig, kinds: OperationKinds, settings stored: StoredSettings, store: any JobStore,
        loop: EventLoop, log: Log
    ) -> JobRunner {
        let policy = config.egressPolicy
        let client = CurlClient(loop: loop, allows: { address, _ in policy.verdict(for: address).isAllowed })
        var settings = RunnerSettings()
        settings.concurrency = config.concurrency
        settings.originRules = config.originGuards.rules
        settings.kinds = kinds
        settings.vault = stored.secrets
        settings.connections = stored.connections
        settings.digests = OpenSSLDigests()
        settings.scrubber = stored.scrubber
        settings.digest = { "sha256:" + HexText.encode(SHA256.digest(of: $0)) }
        return JobRunner(
            store: store, transport: client, loop: loop, settings: settings, ended: { log.write($0) },
            trouble: { trouble in
                log.write(.error, "store_trouble") { line in
                    if let id = trouble.id { line.member("job", id.description) }
                    line.member("message", trouble.detail)
                }
            })
    }

    private static func makeFront(
        _ config: ServerConfig, door: Door, tls: TLSServerContext?
    ) throws -> [HTTPFront] {
        let count = config.httpLoops ?? max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        var front: [HTTPFront] = []
        if count > 1 { try ListenAddress.tcp(host: config.listenHost, port: config.port).checkIsFree() }
        for index in 0..<count {
            let loop = try EventLoop(name: "http-\(index)")
            let service = LoopDoor(server: door, reader: try door.store.makeReader())
            let port = front.first?.listener.port ?? config.port
            let listener = try HTTPListener(
                loop: loop, address: .tcp(host: config.listenHost, port: port), reusePort: count > 1,
                tls: tls,
                service: service)
            front.append(HTTPFront(loop: loop, listener: listener))
        }
        return front
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
        case let error as JobStoreError: CommandFailure(code: .data, text: error.detail)
        case let error as CommandFailure: error
        default: CommandFailure(code: .failure, text: String(describing: error))
        }
    }
}

/// One HTTP loop with its listener.
struct HTTPFront: Sendable {
    /// Where its connections live.
    let loop: EventLoop
    /// Its share of the port.
    let listener: HTTPListener
}
