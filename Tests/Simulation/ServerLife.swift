import JobKit
import JobRunner
import JobStore
import MemoryStore

/// One life of a server, from its start to a crash or a stop.
// Safe because everything of a simulation happens on one thread.
final class ServerLife: @unchecked Sendable {
    enum Phase { case starting, up, failed, draining, drained, dead }

    private static let workMax = 1_000_000

    let store: SimulatedStore
    let loop: SimulatedLoop
    let transport: SimulatedTransport
    let machine: Machine
    private(set) var phase = Phase.starting
    private(set) var runner: JobRunner?
    private let world: World

    /// - Parameter leaseLost: called when the engine finds that its lease is over.
    init(
        _ parts: WorldParts, machine: Machine, settings: RunnerSettings,
        leaseLost: @escaping @Sendable () -> Void = {}
    ) {
        let (world, disk) = (parts.world, parts.disk)
        self.world = world
        self.machine = machine
        let side =
            disk.truth.isShared
            ? SharedSide(machine: machine, plant: parts.plant, world: world, disk: disk) : nil
        store = SimulatedStore(world: world, disk: disk, faults: parts.faults, side: side)
        loop = SimulatedLoop(world: world, machine: machine, mixesTasks: world.dice.hits(30))
        transport = SimulatedTransport(world: world, disk: disk, cases: parts.cases, side: side)
        var settings = settings
        if side != nil {
            settings.server = ServerRecord(
                id: OwnerID(""), host: machine.name, version: "1", startedAt: machine.now)
        }
        let runner = JobRunner(
            store: store, transport: transport, loop: loop, settings: settings,
            trouble: { [world] in
                world.note(6, 0, 0, "\(machine.tag)trouble: \($0.detail)")
                if $0.detail.hasPrefix("The lease of this server was lost") { leaseLost() }
            })
        self.runner = runner
        transport.owner = { [weak runner] in runner?.server?.id }
    }

    /// Starts the engine.
    func start() {
        guard let runner else { return }
        store.observeCommits { [weak runner] in runner?.notice($0) }
        store.observeOpenings { [weak runner] in runner?.noticeOpening(at: $0) }
        store.observeRequests { [weak runner] in runner?.take($0) }
        store.observeMessages { [weak runner] in runner?.link.observe($0) }
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

/// The parts of a world that the servers use.
struct WorldParts {
    var world: World
    var disk: Disk
    var cases: CaseBook
    var faults: StoreFaults
    var plant: PlantedFault?
}

/// A flag that is set once.
// Safe because everything of a simulation happens on one thread.
final class Flag: @unchecked Sendable {
    var isRaised = false
}
