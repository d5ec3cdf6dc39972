import EventIO
import JobKit
import StrictJSON
import Synchronization

@testable import JobRunner
@testable import JobStore

/// An engine on a store in memory, with a scripted outside world.
final class Bench: Sendable {
    let store: any JobStore
    let loop: EventLoop
    let watch = JobWatch()
    let runner: JobRunner
    let transport: ScriptedTransport
    private let history: ChangeLog

    init(
        store: any JobStore = MemoryJobStore(), settings: RunnerSettings = RunnerSettings(),
        _ script: @escaping ScriptedTransport.Script = { call, _ in .json(200, "{}") }
    ) async throws {
        self.store = store
        loop = try EventLoop(name: "engine")
        loop.start()
        transport = ScriptedTransport(script)
        runner = JobRunner(store: store, transport: transport, loop: loop, settings: settings)
        let (watch, runner, history) = (watch, runner, ChangeLog())
        self.history = history
        store.observeCommits { changes in
            history.append(changes)
            watch.observe(changes)
            runner.notice(changes)
        }
        try await runner.start()
    }

    /// Submits a spec and returns its id.
    func submit(_ text: String) async throws -> JobID {
        let now = SystemClock().now
        let spec = try JobSpecReader.read(Array(text.utf8), now: now, kinds: runner.settings.kinds).get()
        var random = SystemRandomNumberGenerator()
        var record = JobRecord(
            id: JobID(at: now, using: &random), name: spec.operation.name, type: spec.operation.kind.type,
            queue: spec.queue, priority: spec.priority, labels: [], state: .queued, attemptsMax: 1,
            createdAt: now,
            keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000)
        if case .after(let delay) = spec.start {
            record.state = .scheduled
            record.dueAt = now.advanced(by: delay)
        }
        var job = NewJob(record: record, spec: Array(text.utf8))
        job.hasCallbacks = !spec.callbacks.isEmpty
        _ = try await reply { [job] in self.store.submit(job, reply: $0) }
        return record.id
    }

    /// Waits until the job satisfies `condition`.
    func wait(for id: JobID, until condition: @escaping @Sendable (JobState) -> Bool) async throws
        -> JobRecord
    {
        let reader = try store.makeReader()
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                let waiter = watch.wait(
                    for: id, on: loop, atMost: .seconds(20), until: { $0.state.map(condition) ?? true },
                    then: { _ in continuation.resume() })
                if let state = try? reader.job(id)?.state, condition(state) { waiter.end(.timedOut) }
            }
        }
        guard let record = try reader.job(id) else { throw JobStoreError(.notFound, "gone") }
        return record
    }

    /// All changes of a job so far, in their order.
    func changes(of id: JobID) -> [JobChange] { history.all(of: id) }

    func finished(_ id: JobID) async throws -> JobRecord { try await wait(for: id) { $0.isFinal } }

    /// The operations of a job as they are shown.
    func views(_ id: JobID) throws -> [String: OperationView] {
        let reader = try store.makeReader()
        guard let record = try reader.job(id), let bytes = try reader.spec(id) else { return [:] }
        let spec = try JobSpecReader.readStored(bytes, now: record.createdAt).get()
        let fold = JournalFold(try reader.journal(id, after: 0, limit: 10_000).map(\.entry))
        let views = fold.views(spec: spec, jobState: record.state)
        return Dictionary(uniqueKeysWithValues: views.map { ($0.path.joined(separator: "/"), $0) })
    }

    func cancel(_ id: JobID) async throws -> CancelOutcome {
        let now = SystemClock().now
        let request = CancelRequest(
            id: id, at: now, detail: [],
            journal: JournalEntry(at: now, path: [], event: .cancelRequested(by: "test", reason: nil)))
        let outcome = try await reply { self.store.cancel(request, reply: $0) }
        if case .cancelling = outcome { runner.stopRun(of: id, as: .cancelledUser) }
        return outcome
    }

    /// The detail of a record as JSON.
    func detail(_ record: JobRecord) throws -> JSONValue {
        try JSONParser.parse(Array("{".utf8) + record.detail + Array("}".utf8))
    }

    /// Ends like a process that is killed: nothing more is said to the store.
    func kill() {
        store.observeCommits { _ in }
        loop.stop()
    }

    func reply<Value: Sendable>(
        _ call: (@escaping @Sendable (Result<Value, JobStoreError>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }.get()
    }
}

/// What the store told about each job.
private final class ChangeLog: Sendable {
    private let changes = Mutex<[JobID: [JobChange]]>([:])

    func append(_ changes: [JobChange]) {
        self.changes.withLock { all in
            for change in changes { all[change.id, default: []].append(change) }
        }
    }

    func all(of id: JobID) -> [JobChange] { changes.withLock { $0[id] ?? [] } }
}
