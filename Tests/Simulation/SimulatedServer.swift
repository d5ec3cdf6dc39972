import JobKit
import JobRunner
import JobStore
import MemoryStore

/// One of the servers: its lives, one after the other, and what happens to it.
// Safe because everything of a simulation happens on one thread.
final class SimulatedServer: @unchecked Sendable {
    let machine: Machine
    private(set) var life: ServerLife?
    /// The numbers of calls, crashes and stops of all lives.
    private(set) var calls = 0
    private(set) var crashes = 0
    private(set) var drains = 0
    private(set) var upSince: Int64 = 0
    private let parts: WorldParts
    private let settings: RunnerSettings
    private let faultsEnd: Int64
    /// The pauses between two lives, in microseconds.
    private let pauses: [Int]

    private var world: World { parts.world }
    private var isAlone: Bool { !parts.disk.truth.isShared }

    init(
        _ parts: WorldParts, machine: Machine, settings: RunnerSettings, faultsEnd: Int64, pauses: [Int]
    ) {
        self.parts = parts
        self.machine = machine
        self.settings = settings
        self.faultsEnd = faultsEnd
        self.pauses = pauses
    }

    /// The current life when it takes requests.
    var answering: ServerLife? { life.flatMap { $0.phase == .up ? $0 : nil } }

    /// Whether it has nothing to do.
    var isIdle: Bool {
        guard let life, life.phase == .up, machine.isSound else { return false }
        return life.store.isIdle && life.runner?.runningCount == 0
    }

    /// The time since which it works; now when it does not.
    var healthySince: Int64 {
        answering != nil && machine.isSound ? max(upSince, machine.changedAt) : world.time
    }

    func runNext() -> Bool {
        guard let life, life.phase != .dead else { return false }
        return life.loop.runNext()
    }

    // MARK: Lives

    func begin() {
        machine.begin()
        let next = ServerLife(parts, machine: machine, settings: settings) { [weak self] in
            self?.noteLostLease()
        }
        life = next
        if isAlone { parts.disk.truth.reopen() }
        upSince = world.time
        next.start()
        world.note(8, 0, 0, "\(machine.tag)the server starts")
        look(at: next)
    }

    /// A lease is lost only by a server that was stopped, or that could not reach its store.
    private func noteLostLease() {
        let since = max(upSince, machine.changedAt, parts.faults.lastAt)
        if machine.isSound, world.time - since > 2 * settings.times.lease.microseconds {
            world.fail("\(machine.tag)the lease was lost in good health")
        }
    }

    /// Checks periodically whether a start failed or a stop has finished, and restarts the server.
    private func look(at watched: ServerLife) {
        world.after(50_000) { [weak self, weak watched] in
            guard let self, let watched, life === watched else { return }
            switch watched.phase {
            case .failed: restart()
            case .drained where watched.store.isIdle: restart()
            case .starting: upSince = world.time
            default: break
            }
            if life === watched { look(at: watched) }
        }
    }

    private func restart() {
        guard let dying = life else { return }
        let reached = world.dice.hits(50) ? 0 : world.dice.below(4)
        bury(dying, reached: machine.isSound ? reached : 0)
        // After that, since a write that still reached the store may have been a claim.
        if isAlone { for job in parts.cases.all where job.state == .running { job.deaths += 1 } }
        upSince = world.time
        world.after(Int64(world.dice.pick(pauses))) { [weak self] in self?.begin() }
    }

    private func bury(_ dying: ServerLife, reached: Int) {
        life = nil
        calls += dying.transport.callCount
        dying.die(reached: reached)
        if isAlone { _ = parts.disk.takeChanges() }
    }

    /// Ends its last life.
    func end() {
        if let life { bury(life, reached: 0) }
    }

    /// Drops its last life, in whatever state it is.
    func drop() {
        calls += life?.transport.callCount ?? 0
        life = nil
    }

    // MARK: What happens to it

    func crash() {
        guard let life, life.phase != .dead else { return }
        crashes += 1
        world.note(9, 0, 0, "\(machine.tag)the server crashes")
        restart()
    }

    func stop() {
        guard let life, life.phase == .up else { return }
        drains += 1
        world.note(10, 0, 0, "\(machine.tag)the server is told to stop")
        life.drain(within: .milliseconds(world.dice.pick([0, 200, 5_000])))
        let dying = life
        // A stop that takes too long becomes a crash.
        world.after(20_000_000) { [weak self, weak dying] in
            guard let self, let dying, self.life === dying else { return }
            if world.time < faultsEnd || !isAlone { crash() } else { world.fail("a drain does not end") }
        }
    }

    /// Stops the process for a while, without its notice.
    func freeze(for microseconds: Int64) {
        guard life != nil, !machine.isStopped else { return }
        machine.stop()
        let frozen = life
        world.after(microseconds) { [weak self] in
            if let self, life === frozen { machine.goOn() }
        }
    }

    /// Cuts it off from the store for a while.
    func cutOff(for microseconds: Int64) {
        guard machine.isConnected else { return }
        machine.cut()
        world.after(microseconds) { [weak self] in self?.machine.connect() }
    }
}
