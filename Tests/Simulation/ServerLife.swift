import JobRunner
import JobStore

/// One life of the server, from its start to a crash or a stop.
// Safe because everything of a simulation happens on one thread.
final class ServerLife: @unchecked Sendable {
    enum Phase { case starting, up, failed, draining, drained, dead }

    private static let workMax = 1_000_000

    let store: SimulatedStore
    let loop: SimulatedLoop
    let transport: SimulatedTransport
    private(set) var phase = Phase.starting
    private(set) var runner: JobRunner?
    private let world: World
    private let concurrency: Int
    private var troubles = 0

    init(world: World, disk: Disk, cases: CaseBook, faults: StoreFaults, settings: RunnerSettings) {
        self.world = world
        concurrency = settings.concurrency
        store = SimulatedStore(world: world, disk: disk, faults: faults)
        loop = SimulatedLoop(world: world, mixesTasks: world.dice.hits(30))
        transport = SimulatedTransport(world: world, cases: cases)
        runner = JobRunner(
            store: store, transport: transport, loop: loop, settings: settings,
            trouble: { [world] in world.note(6, 0, 0, "trouble: \($0.detail)") })
    }

    var isFull: Bool { (runner?.runningCount ?? 0) >= concurrency }

    /// Starts the engine.
    func start() {
        guard let runner else { return }
        store.observeCommits { [weak runner] in runner?.notice($0) }
        store.observeOpenings { [weak runner] in runner?.noticeOpening(at: $0) }
        Task(executorPreference: loop) { [self] in
            do {
                try await runner.start()
                if phase == .starting { phase = .up }
            } catch {
                if phase == .starting { phase = .failed }
            }
        }
    }

    /// Stops as after SIGTERM: waits for the runs for a while.
    func drain(within limit: Duration) {
        guard phase == .up, let runner else { return }
        phase = .draining
        Task(executorPreference: loop) { [self] in
            await runner.drain(within: limit)
            guard phase == .draining else { return }
            phase = .drained
            transport.isClosed = true
        }
    }

    /// Crashes: nothing of this life reaches the disk or another server any more. Its in-memory state must end, too.
    func die(reached: Int) {
        phase = .dead
        transport.die()
        store.die(reached: reached)
        loop.die()
        guard let runner else { return }
        let outcome = Flag()
        Task(executorPreference: loop) {
            await runner.drain(within: .zero)
            outcome.isRaised = true
        }
        var left = ServerLife.workMax
        while left > 0, loop.runNext() { left -= 1 }
        if left == 0 { world.fail("a dead server does not come to rest") }
        if !outcome.isRaised { world.fail("a dead server's runs do not end") }
        if runner.runningCount > 0 { world.fail("a dead server has \(runner.runningCount) runs") }
        if loop.sleeperCount > 0 { world.fail("\(loop.sleeperCount) tasks of a dead server sleep") }
        if transport.openCalls > 0 { world.fail("\(transport.openCalls) calls of a dead server are open") }
        self.runner = nil
    }
}

/// A flag that is set once.
// Safe because everything of a simulation happens on one thread.
final class Flag: @unchecked Sendable {
    var isRaised = false
}
