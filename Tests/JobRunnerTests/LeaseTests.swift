import EventIO
import JobKit
@testable import JobRunner
@testable import JobStore
import MemoryStore
import Synchronization
import Testing

@Suite struct `The lease of a server` {
    /// A server whose calls never answer.
    private func hanging(_ store: MemoryJobStore) async throws -> Bench {
        try await Bench(store: store) { _, _ in
            await untilCancelled()
            return .json(200, "{}")
        }
    }

    @Test func `when lost, ends the runs without a write, and the server continues as a new owner`()
        async throws
    {
        let store = MemoryJobStore()
        let bench = try await hanging(store)
        let owner = bench.runner.owner
        let id = try await bench.submit(#"{"type": "network", "request": "https://x.example/hang"}"#)
        try await settle(while: bench.transport.calls.isEmpty)
        let late = bench.now.advanced(by: .seconds(61))
        let other = OwnerID("other")
        let putBack = try await bench.reply { store.recover(besides: other, now: late, reply: $0) }
        #expect(putBack == 1)
        // The claim of a requeued job tells the server, which claims the job again under its next id.
        try await settle(while: bench.transport.calls.count < 2)
        #expect(bench.runner.owner != owner)
        #expect(bench.runner.runningCount == 1)
        let record = try #require(try store.makeReader().job(id))
        #expect(record.state == .running)
        #expect(record.fence == 2)
    }

    @Test func `is extended as soon as the store can be written again`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let bench = try await Bench(store: store, time: time) { _, _ in
            await untilCancelled()
            return .json(200, "{}")
        }
        _ = try await bench.submit(#"{"type": "network", "request": "https://x.example/hang"}"#)
        try await settle(while: bench.transport.calls.isEmpty)
        store.refuseAll(true)
        for _ in 0..<45 { await bench.letPass(.seconds(1)) }
        store.refuseAll(false)
        for _ in 0..<10 { await bench.letPass(.seconds(1)) }
        let late = bench.now.advanced(by: .seconds(20))
        let putBack = try await bench.reply { store.recover(besides: OwnerID("other"), now: late, reply: $0) }
        #expect(putBack == 0)
    }

    @Test func `is extended while the server waits for its runs to end`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time, isShared: true)
        let bench = try await Bench(store: store, time: time) { _, _ in
            await untilCancelled()
            return .json(200, "{}")
        }
        _ = try await bench.submit(#"{"type": "network", "request": "https://x.example/hang"}"#)
        try await settle(while: bench.transport.calls.isEmpty)
        let isDrained = Mutex(false)
        let drain = Task {
            await bench.runner.drain(within: .seconds(300))
            isDrained.withLock { $0 = true }
        }
        try await settle(while: !bench.runner.state.withLock({ $0.isDraining }))
        // The drain sets its timers on a thread that may have to wait for a processor.
        func pass() async throws {
            await bench.letPass(.seconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        for _ in 0..<100 { try await pass() }
        let now = bench.now
        #expect(try await bench.reply { store.recover(besides: OwnerID("other"), now: now, reply: $0) } == 0)
        for _ in 0..<5_000 where !isDrained.withLock({ $0 }) { try await pass() }
        try #require(isDrained.withLock { $0 }, "The drain has not ended.")
        await drain.value
    }

    @Test(.timeLimit(.minutes(1)))
    func `when lost by a server that stops, leaves jobs that were claimed to others`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time, isShared: true)
        let bench = try await Bench(store: store, time: time)
        let id = try await bench.submit(
            #"{"type": "network", "run_at": "1h", "request": "https://x.example/"}"#)
        let runner = bench.runner
        let owner = runner.owner
        await withCheckedContinuation { continuation in
            bench.loop.execute {
                runner.state.withLock { $0.isDraining = true }
                runner.loseLease(of: owner)
                continuation.resume()
            }
        }
        var request = ClaimRequest(limit: 1, owner: owner, now: bench.now.advanced(by: .seconds(3_600)))
        request.aheadMax = 1
        let claims = try await bench.reply { [request] in store.claim(request, reply: $0) }
        #expect(claims.map(\.record.id) == [id] && runner.slots.take(1) == 1)
        runner.take(claims, of: owner)
        await runner.drain(within: .zero)
        #expect(bench.transport.calls.isEmpty)
        #expect(try store.makeReader().job(id)?.state == .queued)
    }

    @Test(.timeLimit(.minutes(1)))
    func `when begun again before the server has started, lets it stop`() async throws {
        let loop = try EventLoop(name: "engine")
        loop.start()
        let runner = JobRunner(
            store: MemoryJobStore(isShared: true), transport: ScriptedTransport { _, _ in .json(200, "{}") },
            loop: loop)
        #expect(await runner.renewLease())
        await runner.drain(within: .zero)
        #expect(runner.slots.take(1_000) == runner.settings.limits.concurrency)
        loop.stop()
    }

    @Test func `is begun by the next server, which requeues the jobs of a killed one at once`()
        async throws
    {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(#"{"type": "network", "request": "https://x.example/hang"}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()
        let next = try await Bench(store: store)
        #expect(try await next.finished(id).state == .succeeded)
        #expect(next.runner.owner != first.runner.owner)
    }
}
