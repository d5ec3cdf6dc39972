import JobKit
import JobRunner
import JobStore
import MemoryStore

/// The outcome of a run.
struct RunReport {
    var seed: UInt64
    var violation: String?
    var hash: UInt64 = 0
    var microseconds: Int64 = 0
    var jobs = 0
    var calls = 0
    var crashes = 0
    var drains = 0
    var faults = 0
    var worstLateness: Int64 = 0
}

/// The shape of the worlds.
struct Shape {
    /// The number of servers that share the store.
    var servers = 1
    var plant: PlantedFault?

    /// The arguments of `make simulate` for it.
    var words: String {
        (servers > 1 ? " SERVERS=\(servers)" : "") + (plant.map { " PLANT=\($0.rawValue)" } ?? "")
    }
}

/// One run of a seed.
// Safe because everything of a simulation happens on one thread.
final class Simulation: @unchecked Sendable {
    private static let turnsMax = 3_000_000
    /// The time limit for everything after the last fault, in microseconds.
    private static let recoveryMax: Int64 = 900_000_000

    private let world: World
    private let disk: Disk
    private let cases: CaseBook
    private let watch: Watch
    private let narrow: NarrowQueue
    private let people: People
    private let schedules: Schedules
    private let bulks: BulkActions
    private let faults: StoreFaults
    private let servers: [SimulatedServer]
    private let faultsEnd: Int64
    private let lease: Duration
    private var report: RunReport

    init(seed: UInt64, shape: Shape, isShown: Bool) {
        report = RunReport(seed: seed)
        let world = World(seed: seed, isShown: isShown)
        self.world = world
        let isShared = shape.servers > 1
        disk = Disk(clock: WallClock(world: world), isShared: isShared)
        let faultsEnd = Int64(world.dice.among(1_000_000...40_000_000))
        self.faultsEnd = faultsEnd
        let count = world.dice.among(1...8)
        var list: [JobCase] = []
        for number in 1...count {
            var maker = PlanMaker(dice: world.dice.fork(), job: number)
            list.append(JobCase(number: number, root: maker.root(), dice: &world.dice))
        }
        cases = CaseBook(list)
        var settings = RunnerSettings()
        settings.limits.concurrency = world.dice.pick([1, 2, 3, 512])
        settings.times.flushEvery = world.dice.pick([.milliseconds(50), .milliseconds(400)])
        settings.chance = { world.dice.share() }
        settings.callbacks = { job, _ in [Callbacks.make(for: job, in: world)] }
        schedules = Schedules(
            world: world, disk: disk, until: World.start.advanced(by: .microseconds(faultsEnd)))
        settings.schedules = schedules.jobs
        faults = StoreFaults(
            dice: world.dice.fork(), endsAt: faultsEnd, isOff: world.dice.hits(30), isShared: isShared)
        narrow = NarrowQueue(world: world, disk: disk, dice: &world.dice)
        let skews = isShared ? [0, 0, -5, 80, -700, 2_000] : [0]
        watch = Watch(
            world: world, disk: disk, cases: cases, narrow: narrow, slots: settings.limits.concurrency,
            skewMax: .milliseconds(isShared ? 2_000 : 0))
        people = People(world: world, cases: cases, dice: world.dice.fork())
        bulks = BulkActions(world: world, disk: disk, cases: cases, dice: world.dice.fork())
        settings.bulk = bulks.rules
        disk.watch(watch)
        settings.limits.summaryMin = world.dice.pick([1, 6, 64])
        if isShared { settings.times.lease = .seconds(world.dice.pick([3, 6, 15])) }
        lease = settings.times.lease
        let parts = WorldParts(
            world: world, disk: disk, cases: cases, faults: faults, plant: shape.plant)
        // With schedules also so long that planned times are missed.
        let pauses = [1_000, 100_000, 3_000_000] + (schedules.isEmpty ? [] : [15_000_000])
        servers = (0..<shape.servers).map { place in
            let name = isShared ? String(UnicodeScalar(UInt8(65 + place))) : ""
            let machine = Machine(name, skew: .milliseconds(world.dice.pick(skews)), world: world)
            return SimulatedServer(
                parts, machine: machine, settings: settings, faultsEnd: faultsEnd, pauses: pauses)
        }
        _ = disk.takeChanges()
        _ = disk.takeOpening()
        report.jobs = count
    }

    private var isShared: Bool { servers.count > 1 }

    /// Runs the world to its end.
    func run() -> RunReport {
        for job in cases.all where world.trace.isShown {
            print("\(job.name)  \(String(decoding: job.spec, as: UTF8.self))")
        }
        people.life = { [weak self] in self?.anyLife() }
        bulks.life = people.life
        bulks.plan(until: faultsEnd)
        watch.healthySince = { [weak self] in
            guard let self else { return 0 }
            return max(servers.map(\.healthySince).min() ?? 0, faults.lastAt)
        }
        watch.allHealthySince = { [weak self] in
            guard let self else { return 0 }
            return max(servers.map(\.healthySince).max() ?? 0, faults.lastAt)
        }
        watch.isLiving = { [servers, isShared] owner in
            !isShared || servers.contains { $0.answering?.runner?.server?.id == owner }
        }
        people.plan(until: faultsEnd)
        if isShared { people.planStops(until: faultsEnd) }
        planTrouble()
        world.after(faultsEnd) { [weak self] in self?.people.close() }
        for server in servers { begin(server) }
        turn()
        if world.violation == nil { finish() }
        end()
        return report
    }

    private func begin(_ server: SimulatedServer) {
        guard isShared else { return server.begin() }
        world.after(Int64(world.dice.pick([0, 1_000, 200_000, 5_000_000]))) { server.begin() }
    }

    /// A server that takes requests.
    private func anyLife() -> ServerLife? {
        let lives = servers.compactMap(\.answering)
        return lives.isEmpty ? nil : lives.count == 1 ? lives[0] : world.dice.pick(lives)
    }

    private func turn() {
        var first = 0
        for _ in 0..<Simulation.turnsMax where world.violation == nil {
            world.runDue()
            var hasRun = false
            // The servers take turns.
            for place in servers.indices where !hasRun {
                let server = servers[(first + place) % servers.count]
                hasRun = server.runNext()
            }
            if hasRun {
                first += 1
                world.spend()
                continue
            }
            if isOver { return }
            if world.time > faultsEnd + Simulation.recoveryMax { return complain() }
            if !world.jump() { return world.fail("nothing will ever happen any more") }
        }
        world.fail("there is no end")
    }

    // MARK: Crashes and stops

    private func planTrouble() {
        for _ in 0..<world.dice.pick([0, 0, 1, 2]) {
            let length = Int64(world.dice.among(100_000...3_000_000))
            sometime { [narrow] in narrow.pause(for: length) }
        }
        // Nothing may be late while nothing happens.
        if isShared, world.dice.hits(25) { return }
        for server in servers {
            for _ in 0..<world.dice.pick([0, 1, 1, 2, 3, 5]) { sometime { server.crash() } }
            for _ in 0..<world.dice.pick([0, 0, 1, 2]) { sometime { server.stop() } }
            if isShared { planTrouble(of: server) }
        }
    }

    private func planTrouble(of server: SimulatedServer) {
        let lease = Int(self.lease.microseconds)
        for _ in 0..<world.dice.pick([0, 0, 1, 2, 3]) {
            let length = Int64(world.dice.pick([lease / 10, lease * 9 / 10, lease * 2, lease * 4]))
            sometime { server.freeze(for: length) }
        }
        for _ in 0..<world.dice.pick([0, 0, 1, 2, 3]) {
            let length = Int64(world.dice.pick([1_000, 300_000, 2_500_000, lease * 2]))
            sometime { server.cutOff(for: length) }
        }
    }

    /// Does something at any time before the last fault.
    private func sometime(_ action: @escaping () -> Void) {
        world.after(Int64(world.dice.below(Int(faultsEnd))), action)
    }

    // MARK: The end

    private var isOver: Bool {
        guard world.time > faultsEnd, servers.allSatisfy(\.isIdle) else { return false }
        guard Callbacks.areOver(disk), schedules.areOver, bulks.areOver else { return false }
        return cases.all.allSatisfy { job in
            job.state.map { $0.isFinal } ?? (job.isErased || (job.key == nil && job.acknowledged == nil))
        }
    }

    private func complain() {
        let open = cases.all.filter { $0.state?.isFinal == false || ($0.state == nil && !$0.isErased) }
        let list = open.map { "\($0.name) \($0.state?.rawValue ?? "not accepted")" }
        for job in open where world.trace.isShown { print("\(job.name) waits: \(waits(of: job))") }
        let untold = (try? disk.truth.makeReader().endsToTell(limit: 100).count) ?? 0
        let lives = servers.map(\.life)
        world.fail(
            "stuck: \(list.joined(separator: ", ")), \(untold) ends to tell of, "
                + "\(lives.map { $0?.runner?.runningCount ?? 0 }.reduce(0, +)) runs, "
                + "phases \(lives.map { String(describing: $0?.phase) })"
        )
    }

    /// The store's description of an unfinished job.
    private func waits(of job: JobCase) -> String {
        let records = job.candidates.compactMap { try? disk.truth.makeReader().job($0) }
        return records.map { String(decoding: $0.detail.encoded, as: UTF8.self) }.joined(separator: "\n")
    }

    private func finish() {
        for server in servers { server.end() }
        Findings(
            world: world, disk: disk, cases: cases, schedules: schedules, bulks: bulks, ends: watch.ends
        ).check()
    }

    private func end() {
        for server in servers {
            server.drop()
            report.calls += server.calls
            report.crashes += server.crashes
            report.drains += server.drains
        }
        report.violation = world.violation
        world.note(11, Int(truncatingIfNeeded: world.dice.state), 0, "the end")
        report.hash = world.trace.hash
        report.microseconds = world.time
        report.faults = faults.count
        report.worstLateness = watch.worstLateness
        world.end()
        disk.end()
    }
}
