import Testing
import TestOperations

@testable import JobKit

@Suite struct `Stopping an operation` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `ends a waiting operation immediately, and not its dependencies`() async {
        let queue = queue
        let a = queue.add(Endless(name: "a"))
        let b = queue.add(Giving(1, name: "b").after(a))
        b.cancel(reason: "not needed")
        #expect(b.state == .finished)
        #expect(b.ending?.state == .cancelled)
        #expect(b.ending?.errors.first?.code == .cancelledUser)
        #expect(b.ending?.errors.first?.detail.contains("not needed") == true)
        #expect(a.ending == nil)
        a.cancel()
        #expect(await a.waitUntilFinished().state == .cancelled)
    }

    @Test func `ends a waiter for a slot immediately`() async {
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let a = queue.add(Endless(name: "a"))
        await clock.waitForSleepers()
        let b = queue.add(Giving(1, name: "b"))
        while b.state != .ready { await Task.yield() }
        b.cancel()
        #expect(b.ending?.state == .cancelled)
        a.cancel()
        _ = await a.waitUntilFinished()
        let c = queue.add(Giving(3))
        #expect(await c.waitUntilFinished().state == .succeeded)
    }

    @Test func `keeps the value of work that was completed nevertheless`() async throws {
        let (started, mayEnd) = (Latch(), Latch())
        let handle = queue.add(
            ClosureOperation("letter") { _ in
                started.open()
                await mayEnd.wait()
                return "sent"
            })
        await started.wait()
        handle.cancel()
        mayEnd.open()
        #expect(try await handle.value == "sent")
        #expect(handle.ending?.state == .succeeded)
    }

    @Test func `lets running work stop by itself`() async {
        let handle = queue.add(Endless())
        await clock.waitForSleepers()
        handle.cancel()
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(!ending.abandoned)
    }

    @Test func `reaches work that begins while it is being queued`() async {
        let queue = AOperationQueue(
            environment: OperationEnvironment(clock: clock, executor: HastyExecutor()))
        let isAdded = Latch()
        let handle = queue.add(
            ClosureOperation("hasty") { _ in
                queue.cancelAll()
                await isAdded.wait()
                try Task.checkCancellation()
            })
        isAdded.open()
        #expect(await handle.waitUntilFinished().state == .cancelled)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `abandons work that does not stop within its grace period, and discards its result`()
        async
    {
        let gate = Latch()
        let started = Latch()
        let stubborn = ClosureOperation("stubborn") { _ -> Int in
            started.open()
            await gate.wait()
            return 7
        }
        let handle = queue.add(stubborn.grace(.seconds(1)))
        await started.wait()
        handle.cancel()
        await clock.waitForSleepers()
        #expect(handle.ending == nil)
        clock.advance(by: .seconds(1))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.abandoned)
        gate.open()
        await Task.yield()
        #expect(handle.ending == ending)
    }

    @Test func `twice is the same as once`() async {
        let handle = queue.add(Endless())
        await clock.waitForSleepers()
        handle.cancel(reason: "first")
        handle.cancel(reason: "second")
        let ending = await handle.waitUntilFinished()
        handle.cancel(reason: "third")
        #expect(ending.errors.count == 1)
        #expect(handle.ending == ending)
    }

    @Test func `by its timeout does not come early when the wall clock is set forward`() async {
        let wall = SetClock(clock)
        let queue = AOperationQueue(environment: OperationEnvironment(clock: wall))
        let handle = queue.add(Endless().timeout(.seconds(60)))
        await clock.waitForSleepers(2)
        wall.setForward(by: .seconds(120))
        clock.advance(by: .seconds(31))
        #expect(clock.nextWake == clock.now.advanced(by: .seconds(29)))
        clock.advance(by: .seconds(29))
        #expect(await handle.waitUntilFinished().errors.first?.code == .timeoutTotal)
    }

    @Test func `by its timeout fails it, counted from its execution`() async {
        let handle = queue.add(Endless().timeout(.seconds(5)))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.code == .timeoutTotal)
        #expect(ending.errors.first?.detail.contains(" Raise its timeout if ") == true)
    }

    @Test func `by its deadline fails it in any state`() async {
        let queue = queue
        let a = queue.add(Endless(name: "a"))
        await clock.waitForSleepers()
        let b = queue.add(Giving(1, name: "b").after(a).deadline(after: .seconds(3)))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(3))
        let ending = await b.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.code == .timeoutFinishBy)
        a.cancel()
    }

    @Test func `by a past deadline happens at once and nothing is executed`() async {
        let ran = Record<Int>()
        let handle = queue.add(
            ClosureOperation { _ in ran.append(1) }.deadline(Timestamp(milliseconds: 1_000)))
        #expect(await handle.waitUntilFinished().errors.first?.code == .timeoutFinishBy)
        #expect(ran.all.isEmpty)
    }
}
