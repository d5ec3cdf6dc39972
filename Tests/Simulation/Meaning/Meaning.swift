import HTTPMessage
import JobJournal
import JobKit
import JobRunner
import JobSpec
import JobStore
import MemoryStore
import SpecModel
import StrictJSON

// DESIGN
// One random spec at a time, run by the engine in a world of its own and read by the model. A spec whose outcome is a
// matter of chance has several outcomes in the model, and the engine's must be one of them. Delays are multiples of
// 40 s and cancellations come between, so that it does not matter how long everything else takes.

/// One random spec in the engine and in the model.
// Safe because everything of a simulation happens on one thread.
final class Meaning: @unchecked Sendable {
    private static let turnsMax = 3_000_000
    private static let queueName = "meaning"
    /// The number of ways in which the model runs a spec at first, and when it does not find the engine's outcome: some
    /// outcomes of three tries of a group that fails fast are one in ten thousand.
    private static let ways = (few: 3, each: 1_000, many: 2_000, most: 100_000)

    /// One try, from the submission or `:retry` to the end.
    struct Try {
        /// The tick after which it is cancelled.
        var cancelAfter: Int?
    }

    private let seed: UInt64
    private let world: World
    private let disk: Disk
    private let cases = CaseBook([])
    private let server: SimulatedServer
    private let spec: ModelSpec
    private let tries: [Try]
    private let bytes: [UInt8]
    private let misreading: ModelMisreading?
    private let hasKills: Bool
    private var kills: Int
    private var modelDice: Dice
    private var id: JobID?
    /// The try that runs, from 0, and its calls by path.
    private var tryNumber = 0
    private var calls: [[String]: Int] = [:]
    private var found: [ModelRun.Outcome] = []

    /// - Parameters:
    ///   - kills: how often the server is killed.
    ///   - misreading: what the model reads wrong.
    init(seed: UInt64, kills: Int, misreading: ModelMisreading? = nil, isShown: Bool = false) {
        self.seed = seed
        self.misreading = misreading
        hasKills = kills > 0
        world = World(seed: seed, isShown: isShown)
        var maker = MeaningMaker(seed: seed, dice: world.dice.fork())
        spec = maker.root()
        modelDice = world.dice.fork()
        self.kills = kills
        disk = Disk(clock: WallClock(world: world), isShared: false)
        var settings = RunnerSettings()
        settings.limits.concurrency = 512
        settings.chance = { [world] in world.dice.share() }
        settings.origins.rules = .none
        settings.times.suspectsAfter = .seconds(1)
        let faults = StoreFaults(dice: world.dice.fork(), endsAt: 0, isOff: true, isShared: false)
        let machine = Machine("", skew: .zero, world: world)
        server = SimulatedServer(
            WorldParts(world: world, disk: disk, cases: cases, faults: faults, plant: nil),
            machine: machine, settings: settings, faultsEnd: 0, pauses: [1_000, 100_000, 3_000_000])
        var tries: [Try] = []
        for _ in 0..<world.dice.pick([1, 1, 2, 3]) {
            let cancelAfter = world.dice.hits(20) ? world.dice.among(0...6) : nil
            tries.append(Try(cancelAfter: cancelAfter))
        }
        self.tries = tries
        var object = spec.json.object ?? JSONObject()
        object["priority"] = 5
        object["labels"] = ["team": "red"]
        bytes = JSONValue.object(object).encoded()
        _ = disk.takeChanges()
        _ = disk.takeOpening()
    }

    /// The numbers of crashes and of calls.
    var crashes: Int { server.crashes }
    var callCount: Int { server.calls }

    /// The spec, with the cancellations of its tries.
    var text: String {
        let cancellations = tries.map { $0.cancelAfter.map { "cancelled after \($0) ticks" } ?? "run" }
        return String(decoding: bytes, as: UTF8.self) + "  " + cancellations.joined(separator: ", ")
    }

    /// Runs it. Returns what disagrees; nil when nothing does.
    func run() -> String? {
        if world.trace.isShown { print(text) }
        cases.stranger = { [weak self] in self?.answer($0) ?? (500, "") }
        server.begin()
        turn()
        server.end()
        server.drop()
        defer { disk.end() }
        if let violation = world.violation { return violation }
        return disagreement()
    }

    // MARK: The engine

    private func turn() {
        submit()
        if kills > 0 { planKill() }
        for _ in 0..<Self.turnsMax where world.violation == nil {
            world.runDue()
            if server.runNext() {
                world.spend()
            } else if found.count == tries.count {
                return
            } else if !world.jump() {
                return world.fail("nothing will ever happen any more")
            }
        }
        world.fail("there is no end")
    }

    private func planKill() {
        guard kills > 0 else { return }
        // Mostly while something happens, at times while everything waits.
        let pause =
            world.dice.hits(85) ? world.dice.among(100...400_000) : world.dice.among(1...2_000_000) * 1_000
        world.after(Int64(pause)) { [weak self] in
            guard let self, found.count < tries.count else { return }
            if id != nil, server.answering != nil {
                kills -= 1
                server.crash()
            }
            planKill()
        }
    }

    private func submit() {
        guard let life = server.answering else { return later { $0.submit() } }
        let now = life.machine.now
        guard case .success(let read) = JobSpecReader.read(bytes, now: now) else {
            return world.fail("the spec is refused")
        }
        var record = JobRecord(
            id: JobID(at: now, using: &world.dice), name: read.operation.name, type: read.operation.kind.type,
            queue: read.queue, priority: read.priority, labels: read.labels, state: .queued,
            attemptsMax: read.operation.retry?.attemptsMax ?? 1, createdAt: now,
            keepSucceededMilliseconds: 864_000_000_000, keepFailedMilliseconds: 864_000_000_000)
        record.queueKey = read.queueKey
        let (new, id) = (NewJob(record: record, spec: bytes), record.id)
        life.store.submit(new) { [self] result in
            guard case .success = result else { return world.fail("the job was not taken") }
            self.id = id
            begin()
        }
    }

    /// A try has begun.
    private func begin() {
        if let ticks = tries[tryNumber].cancelAfter {
            let number = tryNumber
            let seconds = Int64(ticks * ModelRun.secondsOfTick + ModelRun.secondsOfTick / 2)
            world.after(seconds * 1_000_000) { [weak self] in self?.cancel(number) }
        }
        watch()
    }

    private func cancel(_ number: Int) {
        guard number == tryNumber, let id, found.count == number else { return }
        guard let life = server.answering else { return later { $0.cancel(number) } }
        if (try? disk.truth.makeReader().job(id))?.state.isFinal == true { return }
        let now = life.machine.now
        let entry = JournalEntry(at: now, path: [], event: .cancelRequested(by: "people", reason: nil))
        let request = CancelRequest(id: id, at: now, journal: entry)
        life.store.perform(request) { [self] result in
            guard life.phase != .dead else { return later { $0.cancel(number) } }
            if case .success(.cancelling) = result { life.runner?.take([RunRequest(request)]) }
        }
    }

    /// Looks whether the try is over.
    private func watch() {
        world.after(7_000_000) { [weak self] in
            guard let self, let id else { return }
            guard let job = try? disk.truth.makeReader().job(id), job.state.isFinal else { return watch() }
            note(job)
        }
    }

    private func note(_ job: JobRecord) {
        do {
            found.append(try outcome(of: job))
        } catch { return world.fail("the disk cannot be read: \(error)") }
        if found.count < tries.count, job.state == .failed || job.state == .cancelled { return retry(job.id) }
        while found.count < tries.count { found.append(found[found.count - 1]) }
    }

    private func retry(_ id: JobID) {
        guard let life = server.answering else { return later { $0.retry(id) } }
        tryNumber += 1
        calls = [:]
        let entry = JournalEntry(at: life.machine.now, path: [], event: .retried(by: "people"))
        life.store.perform(JobRetry(id, journal: entry)) { [self] _ in
            // After a crash there is no answer, but the write may have been made.
            if let job = try? disk.truth.makeReader().job(id), job.state.isFinal {
                tryNumber -= 1
                later { $0.retry(id) }
            } else {
                begin()
            }
        }
    }

    private func later(_ what: @escaping (Meaning) -> Void) {
        world.after(700_000) { [weak self] in if let self { what(self) } }
    }

    // MARK: The upstream

    private func answer(_ call: HTTPCall) -> (status: Int, body: String) {
        let path = self.path(of: call.url)
        let number = calls[path, default: 0]
        calls[path] = number + 1
        let answers = answers(path, tryNumber)
        return (answers.status(ofCall: number), "{\"ok\":\(answers.isOK(ofCall: number))}")
    }

    private func path(of url: String) -> [String] {
        let text = url.split(separator: "/").last.map(String.init) ?? ""
        let path = text.replacing("%2F", with: "/")
        return path == "_root" ? [] : path.split(separator: "/").map(String.init)
    }

    /// Chance that is the same for the engine and the model. With crashes an answer may be lost and the call repeated,
    /// so that all answers to an operation are the same.
    private func answers(_ path: [String], _ number: Int) -> ModelAnswers {
        var mixed = seed &+ UInt64(number) &* 0x9E37_79B9
        for byte in path.joined(separator: "/").utf8 {
            mixed = (mixed ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        var dice = Dice(seed: mixed)
        let isOK = dice.hits(60)
        switch dice.below(100) {
        case 0..<50: return ModelAnswers(then: 200, isOK: isOK)
        case 50..<70: return ModelAnswers(then: dice.pick([404, 400]), isOK: isOK)
        case 70..<85: return ModelAnswers(then: dice.pick([500, 503]), isOK: isOK)
        default: return ModelAnswers(first: hasKills ? [] : [503], then: 200, isOK: isOK)
        }
    }

    // MARK: Comparing

    private func outcome(of job: JobRecord) throws -> ModelRun.Outcome {
        let reader = try disk.truth.makeReader()
        let journal = JournalFold(try reader.journal(job.id, after: 0, limit: 100_000).map(\.entry))
        guard case .success(let read) = JobSpecReader.readStored(bytes, adding: [], now: job.createdAt) else {
            throw JobStoreError(.corrupt, "The stored spec cannot be read.")
        }
        var outcome = ModelRun.Outcome()
        for view in journal.views(spec: read, jobState: job.state) {
            var end = ModelRun.End(state: view.state.rawValue)
            let result = view.path.isEmpty ? try reader.result(job.id) : view.result
            if view.state == .succeeded { end.result = result?.bodyValue ?? .null }
            if view.state == .skipped, let code = view.errors.first?.code { end.codes = [code.description] }
            outcome.ends[view.path] = end
        }
        outcome.called = Set(calls.keys)
        return outcome
    }

    private func disagreement() -> String? {
        if let difference = edgeDifference() { return difference }
        // The difference of the way that comes closest.
        var closest: (number: Int, agreed: Int, text: String)?
        // Where the dice began in the tries that agree: the search goes on in the next one.
        var agreeing: [UInt64] = []
        // What a planted misreading shows need not be looked for so long.
        for way in 0..<(misreading == nil ? Self.ways.most : Self.ways.many) {
            // The same outcome of an earlier try, reached in another way, may lead to another one of the next.
            if way % Self.ways.each == Self.ways.each - 1 { _ = agreeing.popLast() }
            var run = ModelRun(spec, misreading: misreading, answers: answers)
            for (number, begin) in agreeing.enumerated() { _ = outcome(of: number, in: &run, begin) }
            var difference: ModelRun.Outcome.Difference?
            while difference == nil, agreeing.count < tries.count {
                let (number, begin) = (agreeing.count, modelDice.next())
                let model = outcome(of: number, in: &run, begin)
                difference = model.difference(from: found[number])
                if let difference {
                    let known = closest.map { ($0.number, $0.agreed) } ?? (-1, 0)
                    if (number, difference.agreed) > known {
                        closest = (number, difference.agreed, difference.text)
                    }
                    break
                }
                agreeing.append(begin)
                let root = model.ends[[]]?.state
                if root == "succeeded" || root == "skipped" { break }
            }
            if difference == nil { return nil }
            // Without any chance the model ends in one way only.
            if way == Self.ways.few, !spec.hasRaces { break }
        }
        return closest.map { "try \($0.number + 1): \($0.text)" }
    }

    /// The outcome of a try in a model that has made those before it.
    private func outcome(of number: Int, in run: inout ModelRun, _ begin: UInt64) -> ModelRun.Outcome {
        var dice = Dice(seed: begin)
        return run.run(cancelAfter: tries[number].cancelAfter, towards: found[number], &dice)
    }

    /// The plan's edges are those of the model.
    private func edgeDifference() -> String? {
        guard case .success(let read) = JobSpecReader.read(bytes, now: World.start) else { return nil }
        var planned: [[String]: [OperationSpec.AfterEdge]] = [:]
        for entry in SpecPlan(read).operations { planned[Array(entry.path.dropFirst())] = entry.after }
        for (path, edges) in spec.plan(misreading: misreading) {
            let shown = (planned[path] ?? []).map { "\($0.operation) \(need($0.states)) \($0.isImplied)" }
            if Set(shown) != Set(edges) { return "the plan of \(path) has \(shown), not \(edges)" }
        }
        return nil
    }

    private func need(_ states: EdgeStates) -> String {
        states == .any ? "any" : states.list.map(\.rawValue).joined(separator: ",")
    }
}
