import CurlHTTP
import EventIO
import Glibc
import JobHTTP
import JobKit
import JobRunner
import JobSpec
import JobStore
import SQLiteStore
import Synchronization

/// A store with an engine, to which jobs are submitted in batches.
final class EngineBench: Sendable {
    private static let batch = 200

    private let store: any JobStore
    private let loop: EventLoop
    private let runner: JobRunner
    private let spec: [UInt8]
    private let finished: FinishedCount

    init(directory: String, spec: String) throws {
        self.spec = Array(spec.utf8)
        store = try DataDirectory(directory).open()
        loop = try EventLoop(name: "engine")
        loop.start()
        let client = CurlClient(loop: loop, allows: { _, _ in true })
        runner = JobRunner(store: store, transport: client, loop: loop)
        let finished = FinishedCount()
        self.finished = finished
        store.observeCommits { [runner] changes in
            runner.notice(changes)
            finished.value.wrappingAdd(changes.count { $0.state == .succeeded }, ordering: .relaxed)
        }
        Task(executorPreference: loop) { [runner] in try await runner.start() }
    }

    /// Submits jobs, not too many ahead of the engine, and returns when all have succeeded.
    func run(_ count: Int) {
        let goal = finished.value.load(ordering: .relaxed) + count
        var left = count
        while finished.value.load(ordering: .relaxed) < goal {
            let done = finished.value.load(ordering: .relaxed)
            if left > 0, goal - left - done < 800 {
                let size = min(left, Self.batch)
                submit(size)
                left -= size
            } else {
                usleep(200)
            }
        }
    }

    private func submit(_ count: Int) {
        let now = SystemClock().now
        var random = SystemRandomNumberGenerator()
        var jobs: [NewJob] = []
        for _ in 0..<count {
            guard case .success(let spec) = JobSpecReader.read(self.spec, now: now) else { return }
            let record = JobRecord(
                id: JobID(at: now, using: &random), name: spec.operation.name,
                type: spec.operation.kind.type, queue: spec.queue, priority: spec.priority, labels: [],
                state: .queued, attemptsMax: 1, createdAt: now, keepSucceededMilliseconds: 604_800_000,
                keepFailedMilliseconds: 2_592_000_000)
            var job = NewJob(record: record, spec: self.spec)
            job.reading = KnownSpec(spec)
            jobs.append(job)
        }
        store.submit(jobs, isAtomic: false, isFollowed: false) { _ in }
    }
}

/// The number of jobs that have succeeded.
final class FinishedCount: Sendable {
    let value = Atomic<Int>(0)
}
