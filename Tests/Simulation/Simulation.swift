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
    private var settings = RunnerSettings()
    private var life: ServerLife?
    private var upSince: Int64 = 0
    private let faultsEnd: Int64
    private var report: RunReport

    init(seed: UInt64, isShown: Bool) {
        report = RunReport(seed: seed)
        world = World(seed: seed, isShown: isShown)
        disk = Disk(clock: WallClock(world: world))
        faultsEnd = Int64(world.dice.among(1_000_000...40_000_000))
        let count = world.dice.among(1...8)
        var list: [JobCase] = []
        for number in 1...count {
            var maker = PlanMaker(dice: world.dice.fork(), job: number)
            list.append(JobCase(number: number, root: maker.root(), dice: &world.dice))
        }
        cases = CaseBook(list)
        settings.concurrency = world.dice.pick([1, 2, 3, 512])
        settings.flushEvery = world.dice.pick([.milliseconds(50), .milliseconds(400)])
        settings.chance = { [world] in world.dice.share() }
        settings.callbacks = { [world] job, _ in [Callbacks.make(for: job, in: world)] }
        schedules = Schedules(
            world: world, disk: disk, until: World.start.advanced(by: .microseconds(faultsEnd)))
        settings.schedules = schedules.jobs
        faults = StoreFaults(dice: world.dice.fork(), endsAt: faultsEnd, isOff: world.dice.hits(30))
        narrow = NarrowQueue(world: world, disk: disk, dice: &world.dice)
        watch = Watch(world: world, cases: cases, narrow: narrow, slots: settings.concurrency)
        people = People(world: world, cases: cases, dice: world.dice.fork())
        bulks = BulkActions(world: world, disk: disk, cases: cases, dice: world.dice.fork())
        settings.bulk = bulks.rules
        disk.watch(watch)
        settings.summaryMin = world.dice.pick([1, 6, 64])
        report.jobs = count
    }

    /// Runs the world to its end.
    func run() -> RunReport {
        for job in cases.all where world.trace.isShown {
            print("\(job.name)  \(String(decoding: job.spec, as: UTF8.self))")
        }
        people.life = { [weak self] in self?.life.flatMap { $0.phase == .up ? $0 : nil } }
        bulks.life = people.life
        bulks.plan(until: faultsEnd)
        watch.healthySince = { [weak self] in max(self?.upSince ?? 0, self?.faults.lastAt ?? 0) }
        people.plan(until: faultsEnd)
        planTrouble()
        world.after(faultsEnd) { [weak self] in self?.people.close() }
        begin()
        turn()
        if world.violation == nil { finish() }
        end()
        return report
    }

    private func turn() {
        for _ in 0..<Simulation.turnsMax where world.violation == nil {
            world.runDue()
            if let life, life.phase != .dead, life.loop.runNext() {
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
            world.after(Int64(world.dice.below(Int(faultsEnd)))) { [weak self] in
                self?.narrow.pause(for: length)
            }
        }
        for _ in 0..<world.dice.pick([0, 1, 1, 2, 3, 5]) {
            world.after(Int64(world.dice.below(Int(faultsEnd)))) { [weak self] in self?.crash() }
        }
        for _ in 0..<world.dice.pick([0, 0, 1, 2]) {
            world.after(Int64(world.dice.below(Int(faultsEnd)))) { [weak self] in self?.stop() }
        }
    }

    private func begin() {
        let next = ServerLife(
            world: world, disk: disk, cases: cases, faults: faults, settings: settings)
        life = next
        disk.truth.reopen()
        upSince = world.time
        next.start()
        world.note(8, 0, 0, "the server starts")
        look(at: next)
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

    private func crash() {
        guard let life, life.phase != .dead else { return }
        report.crashes += 1
        world.note(9, 0, 0, "the server crashes")
        restart()
    }

    private func stop() {
        guard let life, life.phase == .up else { return }
        report.drains += 1
        world.note(10, 0, 0, "the server is told to stop")
        life.drain(within: .milliseconds(world.dice.pick([0, 200, 5_000])))
        let dying = life
        // A stop that takes too long becomes a crash.
        world.after(20_000_000) { [weak self, weak dying] in
            guard let self, let dying, self.life === dying else { return }
            if world.time < faultsEnd { crash() } else { world.fail("a drain does not end") }
        }
    }

    private func restart() {
        guard let dying = life else { return }
        let reached = world.dice.hits(50) ? 0 : world.dice.below(4)
        life = nil
        bury(dying, reached: reached)
        // After that, since a write that still reached the store may have been a claim.
        for job in cases.all where job.state == .running { job.deaths += 1 }
        // With schedules also so long that planned times are missed.
        let pause = world.dice.pick([1_000, 100_000, 3_000_000] + (schedules.isEmpty ? [] : [15_000_000]))
        world.after(Int64(pause)) { [weak self] in self?.begin() }
    }

    private func bury(_ dying: ServerLife, reached: Int) {
        report.calls += dying.transport.callCount
        dying.die(reached: reached)
        _ = disk.takeChanges()
    }

    // MARK: The end

    private var isOver: Bool {
        guard world.time > faultsEnd, let life, life.phase == .up, life.store.isIdle else { return false }
        guard life.runner?.runningCount == 0, Callbacks.areOver(disk), schedules.areOver, bulks.areOver
        else { return false }
        return cases.all.allSatisfy { job in
            job.state.map { $0.isFinal } ?? (job.isErased || (job.key == nil && job.acknowledged == nil))
        }
    }

    private func complain() {
        let open = cases.all.filter { $0.state?.isFinal == false || ($0.state == nil && !$0.isErased) }
        let list = open.map { "\($0.name) \($0.state?.rawValue ?? "not accepted")" }
        for job in open where world.trace.isShown { print("\(job.name) waits: \(waits(of: job))") }
        let untold = (try? disk.truth.makeReader().endsToTell(limit: 100).count) ?? 0
        world.fail(
            "stuck: \(list.joined(separator: ", ")), \(untold) ends to tell of, "
                + "\(life?.runner?.runningCount ?? 0) runs, phase \(String(describing: life?.phase))"
        )
    }

    /// The store's description of an unfinished job.
    private func waits(of job: JobCase) -> String {
        let records = job.candidates.compactMap { try? disk.truth.makeReader().job($0) }
        return records.map { String(decoding: $0.detail.encoded, as: UTF8.self) }.joined(separator: "\n")
    }

    private func finish() {
        if let life {
            self.life = nil
            bury(life, reached: 0)
        }
        Findings(world: world, disk: disk, cases: cases, schedules: schedules, bulks: bulks).check()
    }

    private func end() {
        if let life {
            self.life = nil
            report.calls += life.transport.callCount
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
