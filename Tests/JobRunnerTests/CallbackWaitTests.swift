import JobJournal
import JobKit
import JobSpec
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A wait for a request to a callback URL` {
    private let place = CallbackPlace(path: ["printed"], round: 0)
    private let alone = #"{"type": "await", "name": "printed", "callback": {"heartbeat": "20s"}}"#

    private var settings: RunnerSettings {
        var settings = RunnerSettings()
        settings.callbackURL = { _, place in "https://jobs.example/callbacks/\(place.round)" }
        return settings
    }

    private func call(
        _ id: JobID, _ place: CallbackPlace, _ bench: Bench, retries: Int = 0, failure: String? = nil
    ) async throws -> CallbackOutcome {
        let report = JobReport(
            place: place, failure: failure.map { .init(code: $0, detail: nil) }, content: .empty)
        let outcome = try await bench.store.perform(
            CallbackCall(
                id, place, at: bench.now, retries: retries,
                content: .report(report, by: "callback URL", digest: Array("\(retries)".utf8), nil)))
        if case .taken(let receipt) = outcome, receipt.isRunning {
            let message = JobMessage(by: "callback URL", content: .report(report))
            bench.runner.deliver(message, number: receipt.number, to: id)
        }
        return outcome
    }

    @Test func `does not take an outage of the server for silence of the sender`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, settings: settings, time: time)
        let id = try await first.submit(alone)
        let parked = try await first.wait(for: id) { $0 == .waiting }
        first.kill()
        time.advance(by: .seconds(3_600))
        let next = try await Bench(store: store, settings: settings, time: time)
        let began = next.now
        let resumed = try await next.wait(for: id, behind: parked.revision) { $0 == .waiting }
        #expect(try #require(resumed.dueAt) >= began.advanced(by: .seconds(20)))
        // The server is there, and still there is no sign of life.
        try await next.letPass(until: .failed, id)
        let ended = try #require(try store.makeReader().job(id))
        #expect(ended.error?.code == .callbackSilent)
    }

    @Test func `does not take a sleep of the machine for silence while another member runs`() async throws {
        let time = ManualClock()
        let bench = try await Bench(settings: settings, time: time) { _, _ in
            await untilCancelled()
            return .json(200, "{}")
        }
        let call = #"{"type": "network", "name": "call", "request": "https://x.example/hang"}"#
        let id = try await bench.submit(#"{"type": "group", "operations": [\#(call), \#(alone)]}"#)
        try await settle(while: bench.transport.calls.isEmpty)
        for _ in 0..<10 { await bench.letPass(.milliseconds(500)) }
        await bench.letPass(.seconds(3_600))
        for _ in 0..<75 { await bench.letPass(.milliseconds(200)) }
        #expect(try bench.views(id)["printed"]?.state.isFinal == false)
        try await bench.letPass(inStepsOf: .milliseconds(200)) {
            (try? bench.views(id))?["printed"]?.state == .failed
        }
    }

    @Test func `counts silence from the last sign of life, whenever its run began`() async throws {
        let time = ManualClock()
        let bench = try await Bench(settings: settings, time: time)
        let id = try await bench.submit(#"{"type": "group", "operations": [\#(alone)]}"#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        for _ in 0..<3 {
            for _ in 0..<15 { await bench.letPass(.seconds(1)) }
            let beat = CallbackCall(id, place, at: bench.now, content: .heartbeat(progress: nil))
            guard case .noted = try await bench.store.perform(beat) else { return #expect(Bool(false)) }
        }
        let last = bench.now
        try await bench.letPass(until: .failed, id)
        let ended = try #require(try bench.store.makeReader().job(id))
        #expect(ended.error?.code == .callbackSilent)
        #expect(try #require(ended.finishedAt) >= last.advanced(by: .seconds(20)))
    }

    @Test func `is not ended by a failure that was reported in an earlier try`() async throws {
        let bench = try await Bench(settings: settings, time: ManualClock())
        let id = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "network", "name": "order", "request": {"method": "POST", "url": "https://x.example/",
                "json": {"to": {"$callback": "printed"}}}},
              {"type": "await", "name": "go", "signal": "go", "timeouts": {"total": "5s"}},
              {"type": "await", "name": "printed", "callback": {}}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        guard case .taken = try await call(id, place, bench, failure: "jam") else {
            return #expect(Bool(false))
        }
        try await bench.letPass(until: .failed, id)
        #expect(try bench.views(id)["go"]?.state == .failed)
        try await bench.retry(id)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        try await bench.signal(id, "go", .null)
        try await bench.letPass(inStepsOf: .milliseconds(200)) {
            (try? bench.views(id))?["printed"]?.wait?.reason == .callback
        }
        guard case .taken = try await call(id, place, bench, retries: 1) else { return #expect(Bool(false)) }
        #expect(try await bench.finished(id).state == .succeeded)
    }
}
