import Testing
import TestOperations

@testable import JobKit

@Suite(.serialized) struct `Very many operations` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `are all run by one queue`() async {
        let queue = queue
        let gauge = Gauge()
        queue.capacity = 4
        for _ in 0..<100_000 {
            queue.add(
                ClosureOperation { _ in
                    gauge.enter()
                    gauge.leave()
                })
        }
        await queue.waitUntilDrained()
        #expect(queue.unfinishedCount == 0)
        #expect(gauge.most <= 4)
    }

    @Test func `may depend on each other in one long chain, and deliver along it`() async throws {
        let queue = queue
        var last = queue.add(Giving(0))
        for _ in 1..<100_000 { last = queue.add(last.map { $0 + 1 }) }
        #expect(try await last.value == 99_999)
    }

    @Test func `in a chain all end when the first is cancelled`() async {
        let queue = queue
        let first = queue.add(Endless())
        var last = first
        for _ in 0..<100_000 { last = queue.add(Endless().after(last)) }
        await clock.waitForSleepers()
        first.cancel()
        let ending = await last.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.errors.first?.causes.map(\.code) == [.cancelledUser])
        await queue.waitUntilDrained()
    }

    @Test func `in a group are stopped within a second`() async {
        let queue = queue
        let group = queue.add(
            GroupOperation("g") { scope in
                for index in 0..<10_000 { scope.add(Endless(name: "m\(index)")) }
            })
        await clock.waitForSleepers(10_000)
        let begin = ContinuousClock.now
        group.cancel()
        #expect(await group.waitUntilFinished().state == .cancelled)
        // A debug build with other tests beside it; alone and in release it is a few milliseconds.
        #expect(ContinuousClock.now - begin < .seconds(10))
    }

    @Test func `with one unique key keep their order`() async {
        let queue = queue
        let order = Record<Int>()
        for index in 0..<1_000 {
            queue.add(
                ClosureOperation { _ in order.append(index) }.unique("k", onConflict: .wait))
        }
        await queue.waitUntilDrained()
        #expect(order.all == Array(0..<1_000))
    }
}
