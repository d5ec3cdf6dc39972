import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

// DESIGN
// Simulated people follow scripts: they submit, repeat a request without an answer, and now and then cancel, hold,
// release, signal or retry a job. They act like the server's endpoints: a write to the store, then a call of the
// engine. An answer after the crash of its server never arrives.

/// The simulated users of the server.
// Safe because everything of a simulation happens on one thread.
final class People: @unchecked Sendable {
    /// The time until they repeat a request.
    private static let patience: Int64 = 700_000

    private let world: World
    private let cases: CaseBook
    private var dice: Dice
    /// The current life of the server; nil while it is down.
    var life: () -> ServerLife? = { nil }
    /// Whether they only help the remaining jobs to their end.
    var isClosing = false

    init(world: World, cases: CaseBook, dice: Dice) {
        self.world = world
        self.cases = cases
        self.dice = dice
    }

    /// Plans their actions until `end`, in microseconds.
    func plan(until end: Int64) {
        for job in cases.all {
            world.after(Int64(dice.below(Int(end) / 2))) { [weak self] in self?.submit(job) }
            if dice.hits(25) { visit(job, before: end) { $0.cancel($1) } }
            if dice.hits(15) {
                visit(job, before: end) { $0.post($1, .hold(reason: nil), .hold) }
                visit(job, before: end) { $0.post($1, .release, .release) }
            }
            if dice.hits(35) { visit(job, before: end) { $0.retry($1) } }
            if job.wantsSignal, dice.hits(70) { visit(job, before: end) { $0.signal($1) } }
            if dice.hits(5) { visit(job, before: end) { $0.erase($1) } }
        }
    }

    /// Plans cancellations of jobs that run at the time.
    func planStops(until end: Int64) {
        for _ in 0..<dice.pick([0, 0, 2, 6]) {
            world.after(Int64(dice.below(Int(end)))) { [weak self] in
                guard let self else { return }
                let running = cases.all.filter { $0.state == .running }
                if !running.isEmpty { cancel(dice.pick(running)) }
            }
        }
    }

    private func visit(_ job: JobCase, before end: Int64, _ what: @escaping (People, JobCase) -> Void) {
        world.after(Int64(dice.below(Int(end)))) { [weak self] in if let self { what(self, job) } }
    }

    /// Ends the faults, and gives waiting jobs what they need.
    func close() {
        isClosing = true
        help()
    }

    private func help() {
        for job in cases.all where job.state?.isFinal == false {
            if job.state == .held { post(job, .release, .release) }
            if job.wantsSignal { signal(job) }
        }
        world.after(People.patience * 3) { [weak self] in self?.help() }
    }

    // MARK: Submitting

    private func submit(_ job: JobCase) {
        guard let life = life() else { return later { $0.submit(job) } }
        let now = life.machine.now
        guard case .success(let spec) = JobSpecReader.read(job.spec, now: now) else {
            return world.fail(
                "the spec of \(job.name) is refused: \(String(decoding: job.spec, as: UTF8.self))")
        }
        let record = record(of: job, spec, now)
        cases.enter(record.id, of: job)
        var new = NewJob(record: record, spec: job.spec)
        for callback in spec.callbacks { new.callbackEnds.formUnion(callback.states) }
        if let key = job.key {
            new.idempotency = IdempotencyClaim(
                key: key, fingerprint: job.spec, expiresAt: now.advanced(by: .seconds(86_400)))
        }
        new.unique = spec.unique.map { claim($0, of: record) }
        watchAnswer { [self] in
            if job.acknowledged == nil && job.key != nil { submit(job) }
        }
        life.store.submit(new) { [self] result in
            guard life.phase != .dead else { return }
            submitted(job, result, by: life)
        }
    }

    private func submitted(
        _ job: JobCase, _ result: Result<SubmitOutcome, JobStoreError>, by life: ServerLife
    ) {
        switch result {
        case .success(.created(let record)), .success(.replayed(let record)),
            .success(.replacing(let record, _)):
            // Other servers hear of it from the store.
            if case .success(.replacing(_, let stopping)) = result { life.runner?.take(stopping) }
            if let before = job.acknowledged, before != record.id {
                world.fail("\(job.name) was acknowledged under two ids")
            }
            job.acknowledged = record.id
            world.note(7, job.number, 0, "\(job.name) is acknowledged")
        case .success(.joined): world.fail("\(job.name) joined another job and did not want to")
        case .success(.keyReused): world.fail("the key of \(job.name) is said to belong to another")
        case .success(.replayedGone):
            if !job.isErased { world.fail("\(job.name) is reported as removed without having been erased") }
        // Of servers that share a store it may have been made although the answer says that this is unknown.
        case .failure(let error):
            if job.key == nil, error != SimulatedStore.inDoubt { later { $0.submit(job) } }
        }
    }

    /// The holder of a replacing job's key, and those in line for it, may be cancelled.
    private func claim(_ unique: JobSpec.Unique, of record: JobRecord) -> UniqueClaim {
        if unique.onConflict == .replace {
            for other in cases.all where other.unique?.key == unique.key { other.wasCancelled = true }
        }
        let (id, now) = (record.id, record.createdAt)
        return UniqueClaim(
            key: unique.key, onConflict: unique.onConflict,
            stopping: { other in
                CancelRequest(
                    id: other.id, at: now,
                    journal: JournalEntry(
                        at: now, path: [],
                        event: .cancelRequested(by: "\(id)", reason: nil, code: .cancelledReplaced)))
            })
    }

    private func record(of job: JobCase, _ spec: JobSpec, _ now: Timestamp) -> JobRecord {
        var record = JobRecord(
            id: JobID(at: now, using: &dice), name: spec.operation.name, type: spec.operation.kind.type,
            queue: spec.queue, priority: spec.priority, labels: [], state: .queued,
            attemptsMax: spec.operation.retry?.attemptsMax ?? 1, createdAt: now,
            keepSucceededMilliseconds: 864_000_000, keepFailedMilliseconds: 864_000_000)
        record.queueKey = spec.queueKey
        if let delay = job.startDelay {
            record.runAt = now.advanced(by: delay)
            record.state = .scheduled
            record.dueAt = record.runAt
        }
        record.expiresAt = job.queueTimeout.map { now.advanced(by: $0) }
        return record
    }

    // MARK: What is done to jobs

    private func cancel(_ job: JobCase) {
        guard !isClosing, let (life, id) = reach(job) else { return }
        let now = life.machine.now
        job.wasCancelled = true
        let entry = JournalEntry(at: now, path: [], event: .cancelRequested(by: "people", reason: nil))
        let request = CancelRequest(id: id, at: now, journal: entry)
        life.store.perform(request) { result in
            if life.phase != .dead, case .success(.cancelling) = result {
                life.runner?.take([RunRequest(request)])
            }
        }
    }

    private func retry(_ job: JobCase) {
        guard !isClosing, let (life, id) = reach(job), job.state?.isFinal == true else { return }
        job.wasRetried = true
        let entry = JournalEntry(at: life.machine.now, path: [], event: .retried(by: "people"))
        life.store.perform(JobRetry(id, journal: entry)) { _ in }
    }

    private func erase(_ job: JobCase) {
        guard !isClosing, let (life, id) = reach(job), job.state?.isFinal == true else { return }
        life.store.perform(JobErasure(id)) { _ in }
    }

    private func signal(_ job: JobCase) {
        guard !job.hasSignal else { return }
        post(job, .signal(name: "go", value: .null), .wake)
    }

    private func post(_ job: JobCase, _ content: JobMessage.Content, _ effect: JobPost.Effect) {
        guard let (life, id) = reach(job), job.state?.isFinal == false else { return }
        if isClosing, effect == .hold { return }
        let message = JobMessage(by: "people", content: content)
        let entry = JournalEntry(at: life.machine.now, path: [], event: .message(message))
        life.store.perform(JobPost(id: id, journal: entry, effect: effect)) { result in
            guard life.phase != .dead, case .success(let receipt) = result, receipt.isRunning else { return }
            life.runner?.deliver(message, number: receipt.number, to: id)
        }
    }

    private func reach(_ job: JobCase) -> (ServerLife, JobID)? {
        guard let life = life(), !job.isErased else { return nil }
        // At the end, jobs whose acknowledgement was lost are found, too.
        guard let id = job.acknowledged ?? (isClosing ? job.candidates.last : nil) else { return nil }
        return (life, id)
    }

    private func later(_ what: @escaping (People) -> Void) {
        world.after(People.patience) { [weak self] in if let self { what(self) } }
    }

    /// Runs `then` when the answer should have come.
    private func watchAnswer(_ then: @escaping () -> Void) { world.after(People.patience * 2, then) }
}
