import EventIO
import JobKit
import MemoryStore
import StrictJSON
import Synchronization
import Testing

@testable import JobRunner
import JobSpec
@testable import JobStore

/// Makes one job per end: a value with the job's id.
private final class Teller: Sendable {
    private let failures: Mutex<[JobStoreError.Code]>

    /// - Parameter failures: the first failures, one call at a time.
    init(failing failures: [JobStoreError.Code] = []) { self.failures = Mutex(failures) }

    var settings: RunnerSettings {
        var settings = RunnerSettings()
        settings.times.sweepEvery = .milliseconds(5)
        settings.callbacks = { [self] job, reader throws(JobStoreError) in
            let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let failure { throw JobStoreError(failure, "It cannot be read.") }
            return [Teller.callback(of: job)]
        }
        return settings
    }

    private static func callback(of job: JobRecord) -> NewJob {
        var random = SystemRandomNumberGenerator()
        let now = SystemClock().now
        let record = JobRecord(
            id: JobID(at: now, using: &random), name: "callback", type: "value", queue: "callbacks",
            priority: 5,
            labels: [
                .init(key: "of", value: job.id.description), .init(key: "state", value: job.state.rawValue),
            ],
            state: .queued, attemptsMax: 1, createdAt: now, keepSucceededMilliseconds: 60_000,
            keepFailedMilliseconds: 60_000)
        return NewJob(record: record, spec: Array(#"{"type": "value", "value": 1}"#.utf8))
    }
}

@Suite struct `Callbacks of the engine` {
    /// The callbacks of a job once there are this many, all finished.
    private func callbacks(of id: JobID, in bench: Bench, count: Int = 1) async throws -> [JobRecord] {
        let reader = try bench.store.makeReader()
        while true {
            var query = JobListQuery()
            query.labels = [.init(key: "of", value: id.description)]
            let found = try reader.list(query).jobs
            if found.count >= count && found.allSatisfy(\.state.isFinal) { return found }
            await Task.yield()
        }
    }

    private let job = #"{"type": "value", "value": 1, "callbacks": ["https://x.example/"]}"#

    @Test func `are made and run for a job that has ended`() async throws {
        let bench = try await Bench(settings: Teller().settings)
        let id = try await bench.submit(job)
        let told = try await callbacks(of: id, in: bench)
        #expect(told.map(\.state) == [.succeeded])
        #expect(told.first?.labels.last?.value == "succeeded")
    }

    @Test func `are made for a job that a person stopped before it began`() async throws {
        let bench = try await Bench(settings: Teller().settings)
        let id = try await bench.submit(
            #"{"type": "value", "value": 1, "run_at": "1h", "callbacks": ["https://x.example/"]}"#)
        _ = try await bench.cancel(id)
        #expect(try await callbacks(of: id, in: bench).first?.labels.last?.value == "cancelled")
    }

    @Test func `are made for many that end at once, for each once`() async throws {
        let bench = try await Bench(settings: Teller().settings)
        var ids: [JobID] = []
        for _ in 0..<200 { ids.append(try await bench.submit(job)) }
        for id in ids { #expect(try await callbacks(of: id, in: bench).count == 1) }
        #expect(try bench.store.makeReader().endsToTell(limit: 9).isEmpty)
    }

    @Test func `are made after a restart when the server was killed before`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        let id = try await first.submit(
            #"{"type": "value", "value": 1, "run_at": "1h", "callbacks": ["https://x.example/"]}"#)
        first.kill()
        _ = try await first.cancel(id)
        #expect(try store.makeReader().endsToTell(limit: 9).map(\.id) == [id])
        let next = try await Bench(store: store, settings: Teller().settings)
        #expect(try await callbacks(of: id, in: next).count == 1)
    }

    @Test func `are tried again when the store cannot be read at the moment`() async throws {
        let bench = try await Bench(settings: Teller(failing: [.unavailable, .unavailable]).settings)
        let id = try await bench.submit(job)
        #expect(try await callbacks(of: id, in: bench).count == 1)
    }

    @Test func `of a job that cannot be read are given up, and stop no other`() async throws {
        let bench = try await Bench(settings: Teller(failing: [.corrupt]).settings)
        let broken = try await bench.finished(try await bench.submit(job))
        let id = try await bench.submit(job)
        #expect(try await callbacks(of: id, in: bench).count == 1)
        var query = JobListQuery()
        query.labels = [.init(key: "of", value: broken.id.description)]
        #expect(try bench.store.makeReader().list(query).jobs.isEmpty)
        #expect(try bench.store.makeReader().endsToTell(limit: 9).isEmpty)
    }
}
