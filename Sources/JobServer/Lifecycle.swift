import Commands
import DurableJobs
import EventIO
import Glibc
import JobKit
import JobRunner
import JobStore
import SQLiteStore
import StrictJSON
import Synchronization

// DESIGN
// Start: the loops run first, then the engine resumes the jobs of an earlier process, then the port accepts
// connections. Stop, on SIGTERM or SIGINT: new jobs are refused and /readyz answers 503 while the engine finishes or
// suspends its runs and all other requests are served. Then long polls are answered with the current state, connections
// close after their answers, the store flushes and unlocks the directory, and the loops end. A second signal ends the
// process at once. SIGHUP reloads the token file and the certificate; the token file is also looked at twice a second.

/// A server from start to stop.
final class Server: Sendable {
    private let config: ServerConfig
    private let door: Door
    private let front: [HTTPFront]
    private let control: HTTPListener?
    private let engine: JobEngine
    /// The lock on the data directory when the store is elsewhere.
    private let lock: DirectoryLock?
    private let signals = Mutex<[SignalWatcher]>([])
    private let tokenTimer = Mutex<LoopTimer?>(nil)
    private let checkTimer = Mutex<LoopTimer?>(nil)
    private let watchdogTimer = Mutex<LoopTimer?>(nil)
    /// The service manager that wants to know how the server is.
    private let manager: ServiceManager?
    private let stopSignals = AsyncStream<Void>.makeStream()

    /// Time for answers in flight when the drain has used up its timeout.
    private static let answersTimeout = Duration.seconds(1)

    /// Creates a server that has not started.
    init(
        config: ServerConfig, door: Door, front: [HTTPFront], control: HTTPListener?, engine: JobEngine,
        lock: DirectoryLock?, manager: ServiceManager?
    ) {
        self.lock = lock
        self.manager = manager
        self.control = control
        self.config = config
        self.door = door
        self.front = front
        self.engine = engine
    }

    /// The port that the listeners are bound to.
    var port: Int { front[0].listener.port }

    /// The port of the public listeners; nil without any.
    var publicPort: Int? { front[0].publicListener?.port }

    /// - Parameter heedsSignals: whether signals to the process are for this server, which one server of a process can
    ///   have.
    func start(heedsSignals: Bool = true) async throws(CommandFailure) {
        door.traces?.start()
        do throws(JobStoreError) {
            try await engine.begin()
        } catch {
            throw CommandFailure(error)
        }
        for part in front { part.loop.start() }
        await withCheckedContinuation { continuation in
            front[0].loop.execute {
                if heedsSignals { self.watchSignals(on: self.front[0].loop) }
                self.watchTokens(on: self.front[0].loop)
                self.checkSoon(on: self.front[0].loop)
                self.reportLife(on: self.front[0].loop)
                continuation.resume()
            }
        }
        door.log.write(.info, "server_started") { line in
            line.member("port", self.port)
            if let port = self.publicPort { line.member("public_port", Int64(port)) }
            line.member("version", Version.text)
        }
    }

    /// Returns when the server has received a stop signal and has stopped.
    func runUntilStopped() async {
        for await _ in stopSignals.stream { break }
        door.log.write(.info, "server_stopping")
        manager?.tell(.stopping)
        await stop()
        door.log.write(.info, "server_stopped")
    }

    /// Stops as on a stop signal. Once only.
    func stop() async {
        let end = ContinuousClock.now + config.drainTimeout
        door.process.drain()
        control?.close()
        await engine.runner.drain(within: config.drainTimeout)
        for listener in front.flatMap(\.listeners) { listener.stopAccepting() }
        door.news.close()
        let left = max(Self.answersTimeout, ContinuousClock.now.duration(to: end))
        await withTaskGroup(of: Void.self) { group in
            for listener in front.flatMap(\.listeners) {
                group.addTask { await listener.drain(within: left) }
            }
        }
        await door.traces?.finish()
        signals.withLock { $0 = [] }
        tokenTimer.withLock { $0 = nil }
        checkTimer.withLock { $0 = nil }
        watchdogTimer.withLock { $0 = nil }
        door.reads.largeBodies.close()
        await engine.close()
        lock?.release()
        for part in front { part.loop.stop() }
        door.process.release()
    }

    /// Installs the signal handlers: SIGTERM and SIGINT stop the server, a second one ends the process, and SIGHUP
    /// reloads tokens and certificate.
    private func watchSignals(on loop: EventLoop) {
        let stop = {
            guard !self.door.process.drain() else { exit(130) }
            self.stopSignals.continuation.yield()
        }
        let watchers = [
            SignalWatcher(loop: loop, signal: SIGTERM, handler: stop),
            SignalWatcher(loop: loop, signal: SIGINT, handler: stop),
            SignalWatcher(loop: loop, signal: SIGHUP) {
                if self.door.gate.asksForToken { self.reloadTokens(always: true) }
                self.reloadCertificate()
            },
        ]
        signals.withLock { $0 = watchers }
    }

    private func watchTokens(on loop: EventLoop) {
        guard door.gate.asksForToken else { return }
        let timer = LoopTimer(loop: loop) {
            self.reloadTokens(always: false)
            self.door.gate.reviewExpiries()
        }
        timer.schedule(every: TokenGate.lookEvery)
        tokenTimer.withLock { $0 = timer }
    }

    /// Verifies the whole store when the configuration asks for it: in the background, so that the start does not wait.
    private func checkSoon(on loop: EventLoop) {
        guard config.checksStore(wasLeftOpen: door.store.wasLeftOpen) else { return }
        let timer = LoopTimer(loop: loop) { self.check() }
        timer.schedule(after: .seconds(2))
        checkTimer.withLock { $0 = timer }
    }

    /// Tells the service manager that the server lives, twice in the time that it allows. The message goes through the
    /// loop of the engine, so it says that both loops turn. It is sent during a stop, too.
    private func reportLife(on loop: EventLoop) {
        guard let manager, let time = manager.watchdog else { return }
        let engineLoop = engine.loop
        let timer = LoopTimer(loop: loop) { engineLoop.execute { manager.tell(.alive) } }
        timer.schedule(every: time / 2)
        watchdogTimer.withLock { $0 = timer }
    }

    /// Tells the service manager that the server answers requests.
    func reportReady(_ url: String) { manager?.tell(.ready, status: "listens on \(url)") }

    private func check() {
        let log = door.log
        door.store.checkIntegrity(readsFiles: false) { result in
            guard case .success(let report) = result, report.outcome != .ended else { return }
            // Damage is logged by the observer of the store's condition.
            if report.outcome == .sound {
                log.write(.info, "store_checked") { line in
                    line.member("bytes", report.bytes)
                    line.member("milliseconds", report.duration.wholeMilliseconds)
                }
            }
            if let first = report.firstLost {
                log.write(.error, "files_lost") { line in
                    line.member("files", report.filesLost)
                    line.member("first", first)
                }
            }
        }
    }

    private func reloadTokens(always: Bool) {
        do throws(TokenFileError) {
            let before = door.gate.known
            let changed = always ? true : try door.gate.reloadIfChanged()
            if always { try door.gate.reload() }
            guard changed else { return }
            door.log.write(.info, "tokens_read")
            for record in TokenEntry.changes(from: before, to: door.gate.known, at: SystemTime.now()) {
                door.store.perform(record) { _ in }
            }
        } catch {
            door.log.write(.error, "tokens_unreadable", message: error.description)
        }
    }

    /// Reloads the certificate for new connections. An unreadable or mismatched pair leaves the current one in use.
    private func reloadCertificate() {
        guard let certificate = config.tlsCertificate, let key = config.tlsKey else { return }
        do throws(EventIOError) {
            let tls = try TLSServerContext(certificateFile: certificate, keyFile: key)
            for listener in front.flatMap(\.listeners) { listener.use(tls) }
            door.log.write(.info, "certificate_read")
        } catch {
            door.log.write(
                .error, "certificate_unreadable",
                message: "\(error.description) The current one stays in use.")
        }
    }
}
