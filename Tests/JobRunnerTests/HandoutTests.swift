import Foundation
import JobKit
import JobStore
import Synchronization
import Testing

@testable import JobRunner

/// The largest of the numbers it was told.
private final class Peak: Sendable {
    private let largest = Mutex(0)

    var value: Int { largest.withLock { $0 } }

    func note(_ number: Int) { largest.withLock { $0 = max($0, number) } }
}

@Suite struct `An engine that is handed jobs` {
    /// Runs `body` with an engine on a store in a directory of its own.
    private func withEngine(
        _ settings: RunnerSettings = RunnerSettings(), script: @escaping ScriptedTransport.Script,
        _ body: (Bench) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "jobrunner-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try SQLiteJobStore(directory: directory)
        let bench = try await Bench(store: store, settings: settings, script)
        try await body(bench)
        bench.kill()
        await store.close()
    }

    @Test func `runs many that come at once, never more than it may at a time`() async throws {
        var settings = RunnerSettings()
        settings.concurrency = 3
        let peak = Peak()
        try await withEngine(settings, script: { _, _ in .json(200, "{}") }) { bench in
            let ids = try await withThrowingTaskGroup(of: JobID.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        let id = try await bench.submit(
                            #"{"type": "network", "request": "https://x.example/"}"#)
                        peak.note(bench.runner.runningCount)
                        return id
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for id in ids { #expect(try await bench.finished(id).state == .succeeded) }
            #expect((1...3).contains(peak.value))
            #expect(bench.transport.calls.count == 60)
        }
    }

    @Test func `takes none while it drains`() async throws {
        try await withEngine(script: { _, _ in .json(200, "{}") }) { bench in
            await bench.runner.drain(within: .milliseconds(10))
            let id = try await bench.submit(#"{"type": "network", "request": "https://x.example/"}"#)
            #expect(try bench.store.makeReader().job(id)?.state == .queued)
            #expect(bench.transport.calls.isEmpty)
        }
    }
}
