import EventIO
import JobJournal
import JobKit
@testable import JobRunner
import JobSpec
@testable import JobStore
import MemoryStore
import StrictJSON
import Synchronization
import Testing

/// An engine on a store in memory, with a scripted outside world.
final class Bench: Sendable {
    let store: any JobStore
    let loop: EventLoop
    let watch = JobWatch()
    let runner: JobRunner
    let transport: ScriptedTransport
    private let history: ChangeLog
    private let time: ManualClock?
    private let ownsStore: Bool

    /// - Parameter time: the clock of the engine; nil is that of the machine.
    init(
        store: (any JobStore)? = nil, settings: RunnerSettings = RunnerSettings(), time: ManualClock? = nil,
        _ script: @escaping ScriptedTransport.Script = { call, _ in .json(200, "{}") }
    ) async throws {
        (store as? MemoryJobStore)?.reopen()
        ownsStore = store == nil
        let store = store ?? MemoryJobStore(clock: time ?? SystemClock() as any OperationClock)
        self.store = store
        self.time = time
        loop = try EventLoop(name: "engine")
        loop.start()
        transport = ScriptedTransport(script)
        let engineLoop: any EngineLoop = time.map { [loop] in SteppedLoop(on: loop, time: $0) } ?? loop
        runner = JobRunner(store: store, transport: transport, loop: engineLoop, settings: settings)
        let (watch, runner, history) = (watch, runner, ChangeLog())
        self.history = history
        store.observeCommits { changes in
            history.append(changes)
            watch.observe(changes)
            runner.notice(changes)
        }
        store.observeOpenings { runner.noticeOpening(at: $0) }
        try await runner.start()
    }

    // Otherwise the thread and the descriptors of the loop stay until the end of the process.
    deinit {
        loop.stopSoon()
        guard ownsStore else { return }
        store.observeCommits { _ in }
        store.observeOpenings { _ in }
    }

    /// The time of the engine.
    var now: Timestamp { runner.environment.clock.now }

    /// Submits a spec, as a tenant's if one is given, and returns its id.
    func submit(_ text: String, of tenant: Tenant? = nil) async throws -> JobID {
        let now = now
        let spec = try JobSpecReader.read(Array(text.utf8), now: now, kinds: runner.settings.kinds).get()
        var random = SystemRandomNumberGenerator()
        var record = JobRecord(
            id: JobID(at: now, using: &random), name: spec.operation.name, type: spec.operation.kind.type,
            queue: tenant?.stored(spec.queue) ?? spec.queue, priority: spec.priority, labels: [],
            state: .queued, attemptsMax: 1,
            createdAt: now,
            keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000)
        if case .after(let delay) = spec.operation.runAt {
            record.state = .scheduled
            record.runAt = now.advanced(by: delay)
            record.dueAt = record.runAt
        }
        var job = NewJob(record: record, spec: Array(text.utf8))
        for callback in spec.callbacks { job.callbackEnds.formUnion(callback.states) }
        _ = try await reply { [job] in self.store.submit(job, reply: $0) }
        return record.id
    }

    /// Waits until the job satisfies `condition`.
    func wait(for id: JobID, until condition: @escaping @Sendable (JobState) -> Bool) async throws
        -> JobRecord
    {
        try await wait(for: id, behind: 0, until: condition)
    }

    /// Advances the clock, on the loop: never between two readings in one step of the engine.
    func letPass(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            loop.execute { [time] in
                time?.advance(by: duration)
                continuation.resume()
            }
        }
    }

    /// Waits for a turn of the loop: runs have been told then what was told before.
    func turn() async {
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
    }

    /// Advances the clock in steps until a condition holds.
    func letPass(inStepsOf step: Duration, until holds: () -> Bool) async throws {
        // On a busy machine the clock may pass faster than other threads get to what it calls for.
        let end = ContinuousClock.now + .seconds(20)
        var steps = 0
        while !holds(), steps < 2_000 || ContinuousClock.now < end {
            await letPass(step)
            steps += 1
        }
        try #require(holds(), "Nothing came of it.")
    }

    /// Advances the clock in small steps until the job is in a state.
    func letPass(until state: JobState, _ id: JobID) async throws {
        let reader = try store.makeReader()
        try await letPass(inStepsOf: .milliseconds(200)) { (try? reader.job(id))?.state == state }
    }

    /// Advances the clock to the end of each wait of the job, until it ends or waits for something else.
    func finishedInTime(_ id: JobID) async throws -> JobRecord {
        let rests: @Sendable (JobState) -> Bool = { state in
            state.isFinal || state.isSuspended || state == .scheduled || state == .held
        }
        var record = try await wait(for: id, until: rests)
        while !record.state.isFinal, let due = record.dueAt {
            await letPass(due.since(now))
            record = try await wait(for: id, behind: record.revision, until: rests)
        }
        return record
    }

    /// Waits until the job has a later revision and satisfies `condition`.
    func wait(
        for id: JobID, behind revision: Int64, until condition: @escaping @Sendable (JobState) -> Bool
    ) async throws -> JobRecord {
        let reader = try store.makeReader()
        let end = ContinuousClock.now + .seconds(20)
        while true {
            await withCheckedContinuation { continuation in
                loop.execute { [self] in
                    let waiter = watch.wait(
                        for: id, on: loop, atMost: .seconds(20),
                        until: { $0.revision > revision && $0.state.map(condition) ?? true },
                        then: { _ in continuation.resume() })
                    if let job = try? reader.job(id), job.revision > revision, condition(job.state) {
                        waiter.end(.timedOut)
                    }
                }
            }
            guard let record = try reader.job(id) else { throw JobStoreError(.missing(.job), "gone") }
            // It may have moved on since the change that was waited for.
            if record.revision > revision && condition(record.state) { return record }
            try #require(ContinuousClock.now < end, "The wait for the job timed out: it is \(record.state).")
        }
    }

    /// All changes of a job so far, in order.
    func changes(of id: JobID) -> [JobChange] { history.all(of: id) }

    func finished(_ id: JobID) async throws -> JobRecord { try await wait(for: id) { $0.isFinal } }

    /// The operations of a job as shown.
    func views(_ id: JobID) throws -> [String: OperationView] {
        let reader = try store.makeReader()
        guard let record = try reader.job(id), let bytes = try reader.spec(id) else { return [:] }
        let spec = try JobSpecReader.readStored(bytes, now: record.createdAt).get()
        let fold = JournalFold(try reader.journal(id, after: 0, limit: 10_000).map(\.entry))
        let views = fold.views(spec: spec, jobState: record.state)
        return Dictionary(uniqueKeysWithValues: views.map { ($0.path.joined(separator: "/"), $0) })
    }

    func cancel(_ id: JobID, reason: String? = nil) async throws -> CancelOutcome {
        let now = now
        let request = CancelRequest(
            id: id, at: now,
            journal: JournalEntry(at: now, path: [], event: .cancelRequested(by: "test", reason: reason)))
        let outcome = try await store.perform(request)
        if case .cancelling = outcome { runner.take([RunRequest(request)]) }
        return outcome
    }

    /// Retries a job, as a person does.
    func retry(_ id: JobID) async throws {
        let entry = JournalEntry(at: now, path: [], event: .retried(by: "test"))
        try await store.perform(JobRetry(id, journal: entry))
    }

    /// Ends like a process that is killed: nothing more is said to the store.
    func kill() {
        store.observeCommits { _ in }
        store.observeOpenings { _ in }
        loop.stop()
    }

    func reply<Value: Sendable>(
        _ call: (@escaping StoreReply<Value>) -> Void
    ) async throws -> Value {
        try await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }.get()
    }
}

/// The changes of each job that the store reported.
private final class ChangeLog: Sendable {
    private let changes = Mutex<[JobID: [JobChange]]>([:])

    func append(_ changes: [JobChange]) {
        self.changes.withLock { all in
            for change in changes { all[change.id, default: []].append(change) }
        }
    }

    func all(of id: JobID) -> [JobChange] { changes.withLock { $0[id] ?? [] } }
}

/// Lets others run while a condition holds, for a minute at most.
func settle(
    while holds: @autoclosure () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try holds() {
        try #require(ContinuousClock.now < end, "A minute has passed.", sourceLocation: sourceLocation)
        await Task.yield()
    }
}

extension JobRecord {
    /// Why it did not succeed.
    var error: AOperationError? { self.detail.values.errors.first }

    /// The content of a short result.
    func inline() throws -> JSONValue? {
        try self.detail.values.result.map { try JSONParser.parse($0.inline) }
    }
}
