import HTTPMessage
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A job with a date` {
    private static let call = #"{"type": "network", "request": "https://x.example/", "run_at": "PT10S"}"#
    private let time = ManualClock()

    /// A job claimed for its date, which is 40 ms in the future.
    private func claimed(_ bench: Bench) async throws -> JobID {
        let id = try await bench.submit(Self.call)
        await bench.letPass(.milliseconds(9_960))
        let record = try await bench.wait(for: id) { $0 != .scheduled }
        #expect(record.state == .running)
        #expect(record.startedAt == record.runAt)
        return id
    }

    private func startedAt(_ id: JobID, _ bench: Bench) throws -> Timestamp? {
        try bench.store.makeReader().journal(id, after: 0, limit: 100).map(\.entry)
            .first { if case .started = $0.event { true } else { false } }?.at
    }

    @Test func `is claimed before it and begins on it`() async throws {
        let bench = try await Bench(time: time)
        let id = try await claimed(bench)
        #expect(bench.transport.calls.isEmpty)
        await bench.letPass(.milliseconds(40))
        let record = try await bench.finished(id)
        #expect(record.state == .succeeded)
        #expect(try startedAt(id, bench) == record.runAt)
    }

    @Test func `does not begin before it across a restart`() async throws {
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, time: time)
        let id = try await claimed(first)
        first.kill()
        let next = try await Bench(store: store, time: time)
        _ = try await next.wait(for: id) { $0 == .running }
        await next.letPass(.milliseconds(40))
        let record = try await next.finished(id)
        #expect(try startedAt(id, next) == record.runAt)
        #expect(first.transport.calls.isEmpty && next.transport.calls.count == 1)
    }

    @Test func `waits for it across a stop of the server`() async throws {
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, time: time)
        let id = try await claimed(first)
        await first.runner.drain(within: .seconds(20))
        let stored = try #require(try store.makeReader().job(id))
        #expect(stored.state == .scheduled)
        #expect(stored.dueAt == stored.runAt && stored.startedAt == nil)
        first.kill()
        let next = try await Bench(store: store, time: time)
        await next.letPass(.milliseconds(40))
        let record = try await next.finished(id)
        #expect(try startedAt(id, next) == record.runAt)
        #expect(first.transport.calls.isEmpty && next.transport.calls.count == 1)
    }

    @Test func `that is the end of a pause of its origin is not called before it`() async throws {
        let bench = try await Bench(time: time) { call, _ in
            call.url.hasSuffix("/first")
                ? .json(429, "{}", fields: [("Retry-After", "10")]) : .json(200, "{}")
        }
        let first = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/first", "retry": {"max_attempts": 1}}"#)
        _ = try await bench.finished(first)
        let id = try await bench.submit(#"{"type": "network", "request": "https://a.example/second"}"#)
        let rest = try await bench.wait(for: id) { $0.isSuspended }
        let date = try #require(rest.dueAt)
        await bench.letPass(date.since(time.now) - .milliseconds(40))
        #expect(try await bench.wait(for: id) { !$0.isSuspended }.state == .running)
        await bench.letPass(.milliseconds(40))
        #expect(try await bench.finished(id).state == .succeeded)
        let journal = try bench.store.makeReader().journal(id, after: 0, limit: 100).map(\.entry)
        #expect(journal.allSatisfy { $0.at <= rest.createdAt || $0.at >= date })
    }

    @Test func `that is only the latest end may be preceded by the awaited event`() async throws {
        let bench = try await Bench(time: time)
        let id = try await bench.submit(
            #"{"type": "await", "signal": "go", "timeouts": {"total": "PT10S"}}"#)
        _ = try await bench.wait(for: id) { $0.isSuspended }
        await bench.letPass(.milliseconds(9_960))
        _ = try await bench.wait(for: id) { $0 == .running }
        try await bench.signal(id, "go", 1)
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `can be stopped until it begins`() async throws {
        let bench = try await Bench(time: time)
        let id = try await claimed(bench)
        _ = try await bench.cancel(id)
        let record = try await bench.finished(id)
        #expect(record.state == .cancelled)
        #expect(record.startedAt == nil)
        await bench.letPass(.milliseconds(40))
        #expect(bench.transport.calls.isEmpty)
    }

    @Test func `can be held until it begins`() async throws {
        let bench = try await Bench(time: time)
        let id = try await claimed(bench)
        _ = try await bench.hold(id, "closed")
        await bench.letPass(.milliseconds(40))
        #expect(try await bench.wait(for: id) { $0 == .held }.startedAt == nil)
        #expect(bench.transport.calls.isEmpty)
        try await bench.release(id)
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `takes the place of no other job before it`() async throws {
        var settings = RunnerSettings()
        settings.limits.concurrency = 1
        let bench = try await Bench(settings: settings, time: time)
        let id = try await bench.submit(Self.call)
        await bench.letPass(.milliseconds(9_960))
        let other = try await bench.submit(#"{"type": "value", "value": 1}"#)
        #expect(try await bench.finished(other).state == .succeeded)
        #expect(try bench.store.makeReader().job(id)?.state == .scheduled)
        await bench.letPass(.milliseconds(40))
        let record = try await bench.finished(id)
        #expect(try startedAt(id, bench) == record.runAt)
    }

    @Test func `begins at once when it is retried after a cancellation`() async throws {
        let bench = try await Bench(time: time)
        let id = try await bench.submit(Self.call)
        _ = try await bench.cancel(id)
        let retried = JournalEntry(at: bench.now, path: [], event: .retried(by: "test"))
        try await bench.store.perform(JobRetry(id, journal: retried))
        #expect(try await bench.finished(id).state == .succeeded)
    }
}
