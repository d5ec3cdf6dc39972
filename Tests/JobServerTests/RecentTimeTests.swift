import Dispatch
import Glibc
import HTTPMessage
import JobStore
import MemoryStore
import StoreThreads
import Testing

@testable import JobServer

@Suite struct `A tenant that has used much processor time` {
    private let start = ContinuousClock.now
    private let client = Client.token("some")
    private let flood = Tenant("flood")
    private let other = Tenant("other")
    /// Held by work until it is opened.
    private let gate = DispatchSemaphore(value: 0)

    private static func useMuch() {
        let end = OSThread.spent + RecentTime.much + .milliseconds(50)
        while OSThread.spent < end {}
    }

    private static var nice: CInt { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test func `is one for as many seconds as its time was doubled`() {
        var times = RecentTime()
        times.add(.milliseconds(90), of: "a", at: start)
        #expect(!times.isMuch(of: "a", at: start))
        times.add(.milliseconds(400), of: "a", at: start)
        times.add(.milliseconds(101), of: "b", at: start)
        #expect(times.isMuch(of: "a", at: start + .seconds(2)))
        #expect(times.isMuch(of: "b", at: start + .milliseconds(900)))
        #expect(!times.isMuch(of: "b", at: start + .seconds(1)))
        #expect(!times.isMuch(of: "a", at: start + .seconds(3)))
        #expect(!times.isMuch(of: "c", at: start))
        #expect(!times.isMuch(of: "a", at: start + .seconds(100_000)))
    }

    @Test func `is known among thousands of others`() {
        var times = RecentTime()
        times.add(.seconds(10), of: "much", at: start)
        for number in 0..<5_000 { times.add(.milliseconds(2), of: "t\(number)", at: start + .seconds(3)) }
        #expect(times.isMuch(of: "much", at: start + .seconds(3)))
        #expect(!times.isMuch(of: "t4999", at: start + .seconds(3)))
    }

    @Test func `reads on threads of its own, which give way to others`() async throws {
        let pool = try ReaderPool(store: MemoryJobStore(), count: 2)
        let before = await nice(in: pool, flood) { Self.useMuch() }
        await settle { await nice(in: pool, flood) {} == before + 10 }
        let others = await nice(in: pool, other) {}
        #expect(others == before)
        for _ in 0..<20 {
            let isAccepted = pool.run(for: flood) { [gate] _ in gate.wait() }
            #expect(isAccepted)
        }
        // Both threads of the others are free: each of these reads waits for the end of the next one.
        let met = DispatchSemaphore(value: 0)
        let isMet = await withCheckedContinuation { continuation in
            _ = pool.run { _ in continuation.resume(returning: met.wait(timeout: .now() + 60) == .success) }
            _ = pool.run { _ in met.signal() }
        }
        #expect(isMet)
        for _ in 0..<20 { gate.signal() }
    }

    /// Looks until the time of what was answered is counted, a moment later.
    private func settle(_ isSettled: () async -> Bool) async {
        for _ in 0..<1_000 where await isSettled() { return }
        Issue.record("The time was not counted")
    }

    private func nice(in pool: ReaderPool, _ tenant: Tenant, _ work: @escaping @Sendable () -> Void) async
        -> CInt
    {
        await withCheckedContinuation { continuation in
            _ = pool.run(for: tenant) { _ in
                work()
                continuation.resume(returning: Self.nice)
            }
        }
    }

    @Test func `has its large bodies read where others' do not wait for them`() async throws {
        let bodies = LargeBodies(MemoryJobStore())
        defer { bodies.close() }
        let before = await nice(in: bodies, flood) { Self.useMuch() }
        await settle { await nice(in: bodies, flood) {} == before + 10 }
        let refusal = bodies.run(for: client, of: flood) { [gate] _ in gate.wait() }
        #expect(refusal == nil)
        let others = await nice(in: bodies, other) {}
        #expect(others == before)
        gate.signal()
    }

    private func nice(in bodies: LargeBodies, _ tenant: Tenant, _ work: @escaping @Sendable () -> Void) async
        -> CInt
    {
        await withCheckedContinuation { continuation in
            let refusal = bodies.run(for: client, of: tenant) { _ in
                work()
                continuation.resume(returning: Self.nice)
            }
            if refusal != nil { continuation.resume(returning: -1) }
        }
    }
}
