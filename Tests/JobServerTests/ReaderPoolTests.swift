import Dispatch
import Glibc
import JobKit
import JobStore
import MemoryStore
import Synchronization
import Testing

@testable import JobServer

@Suite struct `Reads on threads` {
    private let pool: ReaderPool
    /// Held by reads until it is opened.
    private let gate = DispatchSemaphore(value: 0)
    private let flood = Tenant("flood")
    private let other = Tenant("other")

    init() throws { pool = try ReaderPool(store: MemoryJobStore(), count: 4) }

    /// Adds a read that lasts until the gate opens; returns whether it was accepted.
    private func hold(for tenant: Tenant?) -> Bool {
        pool.run(inTurnOf: tenant) { [gate] _ in gate.wait() }
    }

    private func open(_ count: Int) { for _ in 0..<count { gate.signal() } }

    @Test func `of one tenant leave a thread to others, however long they last`() async {
        for _ in 0..<20 { #expect(hold(for: flood)) }
        for _ in 0..<3 {
            let isMade = await withCheckedContinuation { continuation in
                let isAccepted = pool.run(for: other) { _ in continuation.resume(returning: true) }
                if !isAccepted { continuation.resume(returning: false) }
            }
            #expect(isMade)
        }
        open(20)
    }

    @Test func `are made when they have waited for threads that were all busy`() async {
        for _ in 0..<6 { #expect(hold(for: flood)) }
        #expect(hold(for: nil))
        let made = Mutex(0)
        await withCheckedContinuation { continuation in
            for _ in 1...3 {
                _ = pool.run(inTurnOf: other) { _ in
                    let count = made.withLock { count in
                        count += 1
                        return count
                    }
                    if count == 3 { continuation.resume() }
                }
            }
            #expect(made.withLock(\.self) == 0)
            open(7)
        }
        #expect(made.withLock(\.self) == 3)
    }

    @Test func `are refused to a tenant that fills half of the places, and not to others`() {
        var accepted = 0
        while accepted < 1_000, hold(for: flood) { accepted += 1 }
        #expect(accepted == 3 + 128)
        let isAccepted = pool.run(for: other) { _ in }
        #expect(isAccepted)
        #expect(hold(for: nil))
        open(accepted + 1)
    }

    @Test func `of the states of jobs wait beside full lists, and turn by turn with them`() async {
        for _ in 0..<4 + 256 { #expect(hold(for: nil)) }
        #expect(!hold(for: nil))
        let made = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<1_000 {
                let isAccepted = pool.run(of: JobID(high: 1, low: UInt64(number))) { _ in
                    let count = made.withLock { made in
                        made.append(number)
                        return made.count
                    }
                    if count == 1_000 { continuation.resume() }
                }
                #expect(isAccepted)
            }
            // Each of so many lists gives way to thirty-two.
            open(4 + 40)
        }
        #expect(made.withLock { $0.sorted() } == Array(0..<1_000))
        open(256)
    }

    @Test func `of the states of jobs are refused when thousands wait, first to the tenant that sends them`()
    {
        for _ in 0..<4 { #expect(hold(for: nil)) }
        func read(for tenant: Tenant) -> Bool {
            pool.run(inTurnOf: tenant, of: JobID(high: 1, low: 1)) { _ in }
        }
        var accepted = 0
        while accepted < 10_000, read(for: flood) { accepted += 1 }
        #expect(accepted == 2_048)
        #expect(read(for: other))
        open(4)
    }

    @Test func `are made by no more threads than there are readers`() async {
        let threads = Mutex<Set<pthread_t>>([])
        for _ in 0..<2_000 {
            let isAccepted = await withCheckedContinuation { continuation in
                let isAccepted = pool.run { _ in
                    threads.withLock { _ = $0.insert(pthread_self()) }
                    continuation.resume(returning: true)
                }
                if !isAccepted { continuation.resume(returning: false) }
            }
            #expect(isAccepted)
        }
        #expect(threads.withLock(\.count) <= 4)
    }
}
