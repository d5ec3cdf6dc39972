import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Synchronization
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `An exclusive key` {
    private static let group = #"""
        {"type": "group", "name": "holder", "ordered": true,
         "conditions": [{"type": "lock", "key": "k"}], "operations": [
            {"type": "await", "name": "pause", "signal": "go"},
            {"type": "network", "name": "call", "request": "https://x.example/first"}]}
        """#
    private static let other = #"""
        {"type": "network", "name": "other", "conditions": [{"type": "lock", "key": "k"}],
         "request": "https://x.example/second"}
        """#

    @Test func `stays with a suspended job, and a job that waits for it needs no memory`() async throws {
        let bench = try await Bench()
        let holder = try await bench.submit(Self.group)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let other = try await bench.submit(Self.other)
        let parked = try await bench.wait(for: other) { $0 == .pending }
        #expect(parked.startedAt == nil)
        #expect(parked.detail.values.waits.first?.wait.reason == .exclusion)
        try await settle(while: bench.runner.runningCount > 0)
        try await bench.signal(holder, "go", 1)
        #expect(try await bench.finished(holder).state == .succeeded)
        #expect(try await bench.finished(other).state == .succeeded)
        #expect(bench.transport.calls.map(\.url) == ["https://x.example/first", "https://x.example/second"])
        #expect(try bench.store.makeReader().holds().isEmpty)
    }

    @Test func `stays with its job over a restart`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        let holder = try await first.submit(Self.group)
        _ = try await first.wait(for: holder) { $0 == .waiting }
        let other = try await first.submit(Self.other)
        _ = try await first.wait(for: other) { $0 == .pending }
        first.kill()
        let next = try await Bench(store: store)
        _ = try await next.wait(for: other) { $0 == .pending }
        try await next.signal(holder, "go", 1)
        #expect(try await next.finished(other).state == .succeeded)
        #expect(try await next.finished(holder).state == .succeeded)
        #expect(next.transport.calls.map(\.url) == ["https://x.example/first", "https://x.example/second"])
    }

    @Test func `is free again when the job that holds it is cancelled while suspended`() async throws {
        let bench = try await Bench()
        let holder = try await bench.submit(Self.group)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let other = try await bench.submit(Self.other)
        _ = try await bench.wait(for: other) { $0 == .pending }
        _ = try await bench.cancel(holder)
        #expect(try await bench.finished(other).state == .succeeded)
    }

    @Test func `is not kept by an operation whose deadline passes while its job is suspended`() async throws {
        let time = ManualClock()
        let bench = try await Bench(time: time)
        let job = try await bench.submit(
            #"""
            {"type": "group", "operations": [
               {"type": "await", "name": "holder", "signal": "never", "finish_by": "1500ms",
                "conditions": [{"type": "lock", "key": "alone"}]},
               {"type": "group", "name": "around", "finish_by": "1500ms", "operations": [
                 {"type": "await", "signal": "never", "conditions": [{"type": "lock", "key": "inside"}]}]},
               {"type": "await", "name": "rest", "signal": "go"}]}
            """#)
        _ = try await bench.wait(for: job) { $0 == .waiting }
        #expect(Set(try bench.store.makeReader().holds().map(\.key)) == ["alone", "inside"])
        await bench.letPass(.milliseconds(1_500))
        for name in ["holder", "around"] {
            try await settle(while: bench.views(job)[name]?.state != .failed)
        }
        _ = try await bench.wait(for: job) { $0 == .waiting }
        #expect(try bench.store.makeReader().holds().isEmpty)
    }

    @Test func `is not kept by an operation cancelled in the line`() async throws {
        let bench = try await Bench()
        let holder = try await bench.submit(Self.group)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let second = try await bench.submit(Self.other)
        let third = try await bench.submit(Self.other)
        for id in [second, third] { _ = try await bench.wait(for: id) { $0 == .pending } }
        _ = try await bench.cancel(second)
        try await bench.signal(holder, "go", 1)
        #expect(try await bench.finished(third).state == .succeeded)
        #expect(try await bench.finished(second).state == .cancelled)
    }

    @Test func `is passed on by a job that is over or held, and by no other`() throws {
        var job = JobRecord(
            id: try #require(JobID("job_01m7yr33rnfy4s6x65ys1a56d2")), name: "a", type: "value",
            queue: "default",
            priority: 5, labels: [], state: .queued, attemptsMax: 1, createdAt: Timestamp(milliseconds: 0),
            keepSucceededMilliseconds: 0, keepFailedMilliseconds: 0)
        for state in JobState.allCases {
            job.state = state
            #expect(TurnWaker.passesKeysOn(.success(job)) == (state.isFinal || state == .held))
        }
        #expect(TurnWaker.passesKeysOn(.success(nil)))
        #expect(!TurnWaker.passesKeysOn(.failure(JobStoreError(.unavailable, "the disk is gone"))))
    }

    @Test func `separates many jobs that need it, whatever their outcomes`() async throws {
        let meter = OverlapMeter()
        let bench = try await Bench { _, _ in
            meter.enter()
            await Task.yield()
            meter.leave()
            return .json(200, "{}")
        }
        let count = 300
        var ids: [JobID] = []
        for _ in 0..<count { ids.append(try await bench.submit(Self.other)) }
        for id in ids where Int.random(in: 0..<5) == 0 { _ = try await bench.cancel(id) }
        for id in ids { #expect([.succeeded, .cancelled].contains(try await bench.finished(id).state)) }
        #expect(meter.most == 1)
        #expect(try bench.store.makeReader().holds().isEmpty)
    }
}

/// Counts the operations inside at the same time.
private final class OverlapMeter: Sendable {
    private let state = Mutex<(now: Int, most: Int)>((0, 0))

    var most: Int { state.withLock { $0.most } }

    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}
