import Dispatch
import Glibc
import Testing

@testable import EventIO

@Suite struct `A share of a loop` {
    private static func work(microseconds: Int64) {
        let end = SliceMeter.nanoseconds(of: CLOCK_MONOTONIC) + microseconds * 1_000
        while SliceMeter.nanoseconds(of: CLOCK_MONOTONIC) < end {}
    }

    @Test func `keeps others waiting for a turn, however much it has to do`() async throws {
        let order = Log<String>()
        try await withLoop { loop in
            let (greedy, modest) = (LoopShare(of: loop), LoopShare(of: loop))
            // All of them wait when the loop looks at them.
            let isReady = DispatchSemaphore(value: 0)
            loop.execute { isReady.wait() }
            var tasks = (0..<2_000).map { _ in
                Task(executorPreference: greedy) {
                    Self.work(microseconds: 100)
                    order.add("greedy")
                }
            }
            tasks.append(
                Task(executorPreference: modest) {
                    for _ in 0..<5 {
                        order.add("modest")
                        await Task.yield()
                    }
                })
            loop.execute { order.add("loop") }
            isReady.signal()
            for task in tasks { await task.value }
        }
        let all = order.all
        #expect(all.count == 2_006)
        let last = try #require(all.lastIndex(of: "modest"))
        #expect(last < 1_000, "\(last)")
        #expect(try #require(all.firstIndex(of: "loop")) < 200)
    }

    @Test func `is known to the loop while it has its turn`() async throws {
        try await withLoop { loop in
            let (one, other) = (LoopShare(of: loop), LoopShare(of: loop))
            for share in [one, other, one] {
                let current = await Task(executorPreference: share) {
                    await Task.yield()
                    return loop.currentShare
                }.value
                #expect(current == ObjectIdentifier(share))
                #expect(await Task(executorPreference: loop) { loop.currentShare }.value == nil)
            }
        }
    }

    @Test func `runs what its tasks begin, in order, and leaves the loop asleep`() async throws {
        let order = Log<Int>()
        try await withLoop { loop in
            let share = LoopShare(of: loop)
            for number in 0..<10_000 { Task(executorPreference: share) { order.add(number) } }
            await Task(executorPreference: share) {
                await Task(executorPreference: share) { order.add(10_000) }.value
            }.value
            // A loop that looked at the share again and again would take all of this time.
            let spent = try await Task(executorPreference: loop) {
                let before = SliceMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
                try await loop.sleep(for: .milliseconds(40))
                return SliceMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - before
            }.value
            #expect(spent < 20_000_000)
        }
        #expect(order.all == Array(0...10_000))
    }
}
