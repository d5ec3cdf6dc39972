import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Whether it waits without a task.
private func isParked(_ core: OperationCore) -> Bool {
    core.parts.withLock { $0.tasks.parking != nil && $0.tasks.driver == nil }
}

@Suite struct `An operation that does nothing but wait` {
    private let clock = ManualClock()
    private var environment: OperationEnvironment { OperationEnvironment(clock: clock) }

    private func parked<Output>(_ handle: OperationHandle<Output>) async {
        while !isParked(handle.core) { await Task.yield() }
    }

    @Test func `has no task, and is small`() async {
        let queue = AOperationQueue(environment: environment)
        let delay = queue.add(DelayOperation(.after(.seconds(10))).condition(.exclusive("key")))
        await parked(delay)
        let next = queue.add(Giving(1).condition(.exclusive("key")))
        await parked(next)
        await clock.waitForSleepers()
        #expect(delay.state == .executing && next.state == .ready)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(10))
        #expect(await delay.waitUntilFinished().state == .succeeded)
        #expect(await next.outcome.value == 1)
        // An operation has all of this, however little it uses of it.
        #expect(MemoryLayout<OperationSettings>.size <= 224)
        #expect(MemoryLayout<OperationParts>.size <= 528)
    }

    @Test func `ends as stopped, and leaves the clock and the line`() async {
        let environment = environment
        let queue = AOperationQueue(environment: environment)
        let delay = queue.add(DelayOperation(.after(.seconds(10))).condition(.exclusive("key")))
        await parked(delay)
        let next = queue.add(Giving(1).condition(.exclusive("key")))
        await parked(next)
        let last = queue.add(Giving(2).condition(.exclusive("key")))
        await parked(last)
        next.cancel()
        #expect(next.state == .finished)
        delay.cancel()
        #expect(await delay.waitUntilFinished().state == .cancelled)
        while clock.sleeperCount > 0 { await Task.yield() }
        #expect(await last.outcome.value == 2)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `ends at its timeout`() async {
        let queue = AOperationQueue(environment: environment)
        let delay = queue.add(DelayOperation(.after(.seconds(10))).timeout(.seconds(3)))
        await clock.waitForSleepers(2)
        await parked(delay)
        clock.advance(by: .seconds(3))
        #expect(await delay.waitUntilFinished().errors.first?.code == .timeoutTotal)
        await queue.waitUntilDrained()
        while clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test func `passes its value on after the wait`() async {
        let queue = AOperationQueue(environment: environment)
        let delay = queue.add(DelayOperation.passing(queue.add(Giving(5)), .after(.seconds(10))))
        await parked(delay)
        clock.advance(by: .seconds(10))
        #expect(await delay.outcome.value == 5)
    }

    @Test func `leaves memory when its run is suspended, and keeps its place in line`() async {
        let environment = environment
        let queue = AOperationQueue(environment: environment)
        let delay = queue.add(DelayOperation(.after(.seconds(10))).condition(.exclusive("key")))
        await parked(delay)
        let next = queue.add(Giving(1).condition(.exclusive("key")))
        await parked(next)
        next.core.suspend()
        #expect(next.state == .finished)
        #expect(environment.exclusion.position(of: next.core.keys.owner) == 0)
        delay.core.suspend()
        #expect(delay.state == .finished)
        while clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test func `is traced with its wait`() async {
        var environment = environment
        environment.tracer = Spans()
        let queue = AOperationQueue(environment: environment)
        let delay = queue.add(DelayOperation(.after(.seconds(10))))
        await clock.waitForSleepers()
        #expect(!isParked(delay.core))
        clock.advance(by: .seconds(10))
        #expect(await delay.waitUntilFinished().state == .succeeded)
    }

    @Test func `is in its work only what the recipe says, when another operation calls it`() async {
        let queue = AOperationQueue(environment: environment)
        let outer = queue.add(
            ClosureOperation { context in
                try await DelayOperation(.after(.seconds(10))).execute(in: context)
                return 3
            })
        await clock.waitForSleepers()
        #expect(!isParked(outer.core))
        clock.advance(by: .seconds(10))
        #expect(await outer.outcome.value == 3)
    }

    @Test func `ends once, whether its turn or a stop comes first`() async {
        let environment = OperationEnvironment()
        let queue = AOperationQueue(environment: environment)
        var handles: [OperationHandle<Int>] = []
        var delays: [OperationHandle<Void>] = []
        for index in 0..<400 {
            handles.append(queue.add(Giving(index).condition(.exclusive("key \(index % 3)"))))
            delays.append(queue.add(DelayOperation(.after(.microseconds(index * 7)))))
        }
        await withTaskGroup { group in
            for index in stride(from: 0, to: 400, by: 2) {
                group.addTask { [handle = handles[index], delay = delays[index]] in
                    handle.cancel()
                    delay.cancel()
                }
            }
        }
        await queue.waitUntilDrained()
        for index in 0..<400 {
            let (giving, delay) = (
                await handles[index].waitUntilFinished(), await delays[index].waitUntilFinished()
            )
            #expect(index % 2 == 0 || giving.state == .succeeded && delay.state == .succeeded)
            #expect([.succeeded, .cancelled].contains(giving.state))
            #expect([.succeeded, .cancelled].contains(delay.state))
        }
        #expect(environment.exclusion.isIdle)
    }
}

/// A tracer that adds nothing.
private struct Spans: OperationTracer {
    func surrounding(_ operation: String) -> Surrounding { { _, attempt in try await attempt() } }
}
