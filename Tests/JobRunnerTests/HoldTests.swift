import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A held job` {
    static let steps = #"""
        {"type": "group", "ordered": true, "operations": [
            {"type": "await", "name": "go", "signal": "go"},
            {"type": "network", "name": "call", "request": "https://x.example/call"}]}
        """#

    @Test func `begins nothing further until it is released`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(Self.steps)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try await bench.hold(id, "closed").state == .held)
        try await bench.signal(id, "go", 1)
        #expect(try bench.store.makeReader().job(id)?.state == .held)
        #expect(bench.transport.calls.isEmpty)
        try await bench.release(id)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.calls.count == 1)
    }

    @Test func `finishes the operations in flight and is paused then, also across a restart`() async throws {
        let store = MemoryJobStore()
        let gate = Gate()
        let first = try await Bench(store: store) { call, _ in
            if call.url.hasSuffix("/a") { await gate.passed() }
            return .json(200, "{}")
        }
        let id = try await first.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "a", "request": "https://x.example/a"},
                {"type": "network", "name": "b", "request": "https://x.example/b", "after": ["a"]}]}
            """#)
        try await settle(while: first.transport.calls.isEmpty)
        #expect(try await first.hold(id, "closed").state == .running)
        gate.open()
        let paused = try await first.wait(for: id) { $0 == .held }
        let hold = paused.detail.values.hold
        #expect(hold?.by == "ada" && hold?.reason == "closed")
        #expect(try first.views(id)["a"]?.state == .succeeded)
        #expect(first.transport.calls.count == 1)
        first.kill()
        let next = try await Bench(store: store)
        #expect(try store.makeReader().job(id)?.state == .held)
        try await next.release(id)
        #expect(try await next.finished(id).state == .succeeded)
        #expect(next.transport.calls.map(\.url) == ["https://x.example/b"])
    }

    @Test func `makes no further attempt, and reports the last error`() async throws {
        let gate = Gate()
        let time = ManualClock()
        let bench = try await Bench(time: time) { _, before in
            if before == 0 { await gate.passed() }
            return .json(before == 0 ? 503 : 200, "{}")
        }
        let id = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "retry": {"max_attempts": 2, "#
                + #""backoff": "PT0.5S", "jitter": "none"}}"#)
        try await settle(while: bench.transport.calls.isEmpty)
        _ = try await bench.hold(id, nil)
        gate.open()
        // Its time passes: it is claimed again, and stays paused without a date.
        let reader = try bench.store.makeReader()
        while true {
            let record = try #require(try reader.job(id))
            if record.state == .held && record.dueAt == nil {
                #expect(record.detail.values.lastError?.code.description == "http.status")
                break
            }
            try #require(!record.state.isFinal)
            if let due = record.dueAt, due > time.now { await bench.letPass(due.since(time.now)) }
            await Task.yield()
        }
        #expect(bench.transport.calls.count == 1)
        try await bench.release(id)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.calls.count == 2)
    }

    @Test(arguments: [false, true])
    func `makes no attempt for which it is too late when it is released`(isLate: Bool) async throws {
        let bench = try await Bench(time: ManualClock()) { _, before in
            .json(before == 0 ? 503 : 200, "{}")
        }
        let id = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "retry": {"max_elapsed": "1m", "#
                + #""backoff": "PT10S", "jitter": "none"}}"#)
        _ = try await bench.wait(for: id) { $0 == .retrying }
        #expect(try await bench.hold(id, nil).state == .held)
        await bench.letPass(.seconds(isLate ? 62 : 60))
        try await bench.release(id)
        let ended = try await bench.finished(id)
        #expect(ended.state == (isLate ? .failed : .succeeded))
        #expect(bench.transport.calls.count == (isLate ? 1 : 2))
        guard isLate else { return }
        #expect(ended.error?.code == .httpStatus)
        #expect(ended.error?.retryStoppedBy == "budget")
        // A person's retry begins another series.
        try await bench.retry(id)
        let again = try await bench.wait(for: id, behind: ended.revision) { $0.isFinal }
        #expect(again.state == .succeeded)
        #expect(bench.transport.calls.count == 2)
    }

    @Test(arguments: [
        (#"{"type": "await", "signal": "never", "finish_by": "PT2S"}"#, "timeout.finish_by"),
        (#"{"type": "delay", "for": "PT1H", "timeouts": {"total": "PT2S"}}"#, "timeout.total"),
        (#"{"type": "await", "signal": "never", "timeouts": {"total": "PT2S"}}"#, "timeout.total"),
        (
            #"{"type": "group", "operations": [{"type": "await", "name": "a", "signal": "never", "#
                + #""timeouts": {"total": "PT2S"}}]}"#, "timeout.total"
        ),
    ])
    func `fails anyway when its time is over`(spec: String, code: String) async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(spec)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try await bench.hold(id, nil).state == .held)
        let failed = try await bench.finishedInTime(id)
        #expect(failed.state == .failed)
        #expect(failed.error?.code.description == code)
    }

    @Test func `continues without a late signal, and begins nothing then`() async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "await", "name": "go", "signal": "go", "timeouts": {"total": "PT2S"},
                 "on_timeout": "continue"},
                {"type": "network", "name": "call", "request": "https://x.example/call"}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        let held = try await bench.hold(id, nil)
        await bench.letPass(.seconds(3))
        let paused = try await bench.wait(for: id, behind: held.revision) { $0 == .held }
        #expect(paused.dueAt == nil)
        #expect(try bench.views(id)["go"]?.state == .succeeded)
        #expect(bench.transport.calls.isEmpty)
        try await bench.release(id)
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `can be cancelled at once, and tried again without the hold`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(Self.steps)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        _ = try await bench.hold(id, nil)
        guard case .cancelled = try await bench.cancel(id) else {
            Issue.record("a paused job was not cancelled at once")
            return
        }
        let entry = JournalEntry(at: bench.now, path: [], event: .retried(by: "ada"))
        try await bench.store.perform(JobRetry(id, journal: entry))
        try await bench.signal(id, "go", 1)
        #expect(try await bench.finished(id).state == .succeeded)
    }
}

/// A gate that is opened once.
final class Gate: Sendable {
    private let door = AsyncStream<Void>.makeStream()

    func open() { door.continuation.finish() }

    func passed() async { for await _ in door.stream {} }
}

/// Work that ends only when cancelled.
func untilCancelled() async { await Gate().passed() }

extension Bench {
    func hold(_ id: JobID, _ reason: String?) async throws -> JobRecord {
        try await post(id, .hold(reason: reason), .hold)
    }

    func release(_ id: JobID) async throws { _ = try await post(id, .release, .release) }

    private func post(
        _ id: JobID, _ content: JobMessage.Content, _ effect: JobPost.Effect
    ) async throws -> JobRecord {
        let message = JobMessage(by: "ada", content: content)
        let entry = JournalEntry(at: now, path: [], event: .message(message))
        let receipt = try await store.perform(JobPost(id: id, journal: entry, effect: effect))
        if receipt.isRunning { runner.deliver(message, number: receipt.number, to: id) }
        await turn()
        return receipt.job
    }
}
