import FaultyDisk
import Foundation
import HTTPMessage
import JobKit
@testable import SQLiteStore
import Testing

@testable import JobRunner
@testable import JobStore

@Suite(.serialized) struct `The last word about a job` {
    /// An engine on a disk that begins to refuse everything when a job is claimed.
    private func withBench(
        refusing code: faulty_code = FAULTY_FULL,
        _ script: @escaping ScriptedTransport.Script = { _, _ in .json(200, "{}") },
        _ body: (Bench, any JobStore) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "jobrunner-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(faulty_register() == 0)
        unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_MAIN, FAULTY_NOT)
        defer { faulty_heal() }
        var options = SQLiteOptions()
        options.fileAccess = "faulty"
        options.retryMilliseconds = 5
        var settings = RunnerSettings()
        settings.times.storeRetry = .milliseconds(5)
        let store = try DataDirectory(directory).open(options)
        let bench = try await Bench(store: store, settings: settings, script)
        store.observeCommits { changes in
            if changes.contains(where: { $0.state == .running }) {
                unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_LOG, code)
            }
            bench.watch.observe(changes)
            bench.runner.notice(changes)
        }
        do { try await body(bench, store) } catch {
            faulty_heal()
            bench.kill()
            await store.close()
            throw error
        }
        faulty_heal()
        bench.kill()
        await store.close()
    }

    @Test func `is repeated even when the store refused it permanently`() async throws {
        try await withBench(refusing: FAULTY_CORRUPT) { bench, store in
            let id = try await bench.submit(#"{"type": "value", "value": 1}"#)
            while store.condition == .sound { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try store.makeReader().job(id)?.state == .running)
            faulty_heal()
            #expect(try await bench.finished(id).state == .succeeded)
        }
    }

    @Test(arguments: [true, false])
    func `is repeated until the disk takes it, also for an unreadable job`(
        isReadable: Bool
    ) async throws {
        try await withBench { bench, store in
            let spec = isReadable ? #"{"type": "value", "value": 1}"# : "{"
            var random = SystemRandomNumberGenerator()
            let record = JobRecord(
                id: JobID(at: bench.now, using: &random), name: "late", type: "value", queue: "default",
                priority: 5, labels: [], state: .queued, attemptsMax: 1, createdAt: bench.now,
                keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000)
            _ = try await bench.reply {
                store.submit(NewJob(record: record, spec: Array(spec.utf8)), reply: $0)
            }
            while store.condition == .sound { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try store.makeReader().job(record.id)?.state == .running)
            faulty_heal()
            #expect(try await bench.finished(record.id).state == (isReadable ? .succeeded : .failed))
        }
    }

    @Test func `is that a run was cancelled on a full disk, as soon as there is room`() async throws {
        let hangs: ScriptedTransport.Script = { _, _ throws(HTTPCallFailure) in
            try? await Task.sleep(for: .seconds(60))
            throw HTTPCallFailure(
                code: "connect.refused", detail: "It was cut.", phase: .connect, delivery: .notSent)
        }
        try await withBench(hangs) { bench, store in
            let id = try await bench.submit(#"{"type": "network", "request": "http://a.example/"}"#)
            while bench.transport.calls.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            while store.condition == .sound { try await Task.sleep(for: .milliseconds(1)) }
            let entry = JournalEntry(
                at: bench.now, path: [], event: .cancelRequested(by: "test", reason: nil))
            bench.runner.take([RunRequest(id: id, journal: entry)])
            faulty_heal()
            let job = try await bench.finished(id)
            #expect(job.state == .cancelled, "\(job)")
        }
    }
}
