import Synchronization
import Testing
import TestOperations

@testable import JobKit

@Suite struct `Waiting for another operation` {
    private func queue(_ capacity: Int?, name: String = "queue") -> AOperationQueue {
        AOperationQueue(
            name: name, capacity: capacity, environment: OperationEnvironment(clock: ManualClock()))
    }

    // MARK: The task that waits is cancelled

    @Test func `is over as soon as the waiting task is cancelled, and the operation goes on`() async throws {
        let mayEnd = Latch()
        let handle = queue(nil).add(
            ClosureOperation("slow") { _ in
                await mayEnd.wait()
                return 1
            })
        let waiting = Task { try await handle.value }
        waiting.cancel()
        let error = await #expect(throws: AOperationError.self) { try await waiting.value }
        #expect(error?.code == .cancelledWaiting)
        #expect(handle.ending == nil)
        mayEnd.open()
        #expect(try await handle.value == 1)
        let late = Task { () -> Int in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await handle.value
        }
        #expect(try await late.value == 1)
    }

    @Test func `for its end or its events is over as soon as the waiting task is cancelled`() async {
        let handle = queue(nil).add(Endless())
        let ending = Task { await handle.waitUntilFinishedOrCancelled() }
        ending.cancel()
        #expect(await ending.value == nil)
        let events = Task {
            for await event in handle.events { if case .finished = event.kind { return false } }
            return true
        }
        events.cancel()
        #expect(await events.value)
        #expect(handle.ending == nil)
        handle.cancel()
        #expect(await handle.waitUntilFinishedOrCancelled()?.state == .cancelled)
    }

    @Test func `for all of a queue is over as soon as the task that waits is cancelled`() async {
        let queue = queue(nil)
        let handle = queue.add(Endless())
        let waiting = Task { await queue.waitUntilDrained() }
        waiting.cancel()
        await waiting.value
        #expect(handle.ending == nil)
        handle.cancel()
        await queue.waitUntilDrained()
    }

    @Test func `inside of work that is stopped ends with the work`() async {
        let queue = queue(nil)
        let other = queue.add(Endless())
        let started = Latch()
        let handle = queue.add(
            ClosureOperation("waiting") { _ in
                started.open()
                try await other.value
            })
        await started.wait()
        handle.cancel()
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(!ending.abandoned)
        #expect(other.ending == nil)
        other.cancel()
    }

    // MARK: The work that waits holds the only place

    @Test func `needs no slot`() async throws {
        let queue = queue(1)
        let outer = queue.add(ClosureOperation("outer") { _ in try await queue.add(Giving(7)).value + 1 })
        #expect(try await outer.value == 8)
        let kind = queue.add(
            ClosureOperation("outer") { _ in await queue.add(Failing()).outcome.state })
        #expect(try await kind.value == .failed)
    }

    @Test func `leaves the slot to dependencies of the other one, on other queues, too`() async throws {
        let (queue, beside) = (queue(1), queue(1, name: "beside"))
        let outer = queue.add(
            ClosureOperation("outer") { _ in
                let first = queue.add(Giving(1, name: "first"))
                let second = queue.add(ClosureOperation("second") { _ in 2 }.after(first))
                let there = beside.add(
                    ClosureOperation("there") { _ in try await queue.add(Giving(3, name: "back")).value })
                let group = queue.add(
                    GroupOperation("group") {
                        $0.add(ClosureOperation("member") { _ in try await second.value })
                    })
                try await group.value
                return try await there.value
            })
        #expect(try await outer.value == 3)
    }

    @Test func `releases the slot of the work around it`() async throws {
        let queue = queue(1)
        let group = queue.add(
            GroupOperation("group", concurrency: 1) { group in
                group.add(
                    ClosureOperation("member") { context in
                        let sibling = group.add(Giving(1, name: "sibling"))
                        let inner = ClosureOperation("inner") { _ in try await queue.add(Giving(2)).value }
                        let sum = try await sibling.value + context.run(inner)
                        #expect(sum == 3)
                    })
            })
        try await group.value
    }

    @Test func `leaves the slot to the first in line, one at a time`() async throws {
        let queue = queue(1)
        let gauge = Gauge()
        let order = Record<String>()
        @Sendable func step(_ name: String) -> OperationRecipe<Int> {
            ClosureOperation(name) { _ in
                gauge.enter()
                order.append(name)
                for _ in 0..<20 { await Task.yield() }
                gauge.leave()
                return 1
            }.recipe
        }
        let (isInside, mayWait) = (Latch(), Latch())
        let outer = queue.add(
            ClosureOperation("outer") { _ in
                isInside.open()
                await mayWait.wait()
                let handles = (1...5).map { queue.add(step("inner \($0)")) }
                let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                    for handle in handles { group.addTask { try await handle.value } }
                    return try await group.reduce(0, +)
                }
                order.append("outer")
                return sum
            })
        await isInside.wait()
        let stranger = queue.add(step("stranger"))
        while stranger.state != .ready { await Task.yield() }
        mayWait.open()
        #expect(try await outer.value == 5)
        #expect(try await stranger.value == 1)
        #expect(gauge.most == 1)
        #expect(order.all.first == "stranger")
        #expect(order.all.last == "outer")
    }

    @Test func `never exceeds the slots when a wait is cancelled`() async throws {
        let queue = queue(1)
        let (isInside, mayEnd) = (Latch(), Latch())
        let outer = queue.add(
            ClosureOperation("outer") { _ in
                let inner = queue.add(
                    ClosureOperation("inner") { _ in
                        isInside.open()
                        await mayEnd.wait()
                    })
                let waiting = Task { try await inner.value }
                await isInside.wait()
                waiting.cancel()
                _ = try? await waiting.value
                return inner.ending == nil
            })
        #expect(try await outer.value)
        let next = queue.add(Giving(1))
        while queue.core.slots.ahead(of: next.core) == nil, next.ending == nil { await Task.yield() }
        #expect(queue.core.slots.ahead(of: next.core) == 0)
        mayEnd.open()
        #expect(try await next.value == 1)
    }

    @Test func `leaves the slot together with the keys that the other one needs`() async throws {
        let queue = queue(1)
        let outer = queue.add(
            ClosureOperation("outer") { _ in
                try await queue.add(Giving(1).condition(MutualExclusion("pen"))).value
                    + queue.add(Giving(2).unique("one").condition(MutualExclusion("pen"))).value
            })
        #expect(try await outer.value == 3)
    }

    // MARK: Two queues

    /// Without a slot for either: each waits for one that needs the slot of the other.
    @Test(.timeLimit(.minutes(1))) func `on two queues crosswise ends`() async throws {
        let (one, two) = (queue(1), queue(1, name: "two"))
        let bothRun = Crossing()
        let here = one.add(
            ClosureOperation("here") { _ in
                await bothRun.wait()
                return try await two.add(Giving(1)).value
            })
        let there = two.add(
            ClosureOperation("there") { _ in
                await bothRun.wait()
                return try await one.add(Giving(2)).value
            })
        #expect(try await here.value + there.value == 3)
    }

    @Test(.timeLimit(.minutes(1))) func `in members of two groups crosswise ends`() async throws {
        let queue = queue(nil)
        let bothRun = Crossing()
        let (one, two) = (Box<GroupScope>(), Box<GroupScope>())
        let groups = [(one, two), (two, one)].map { own, other in
            queue.add(
                GroupOperation("group", concurrency: 1) { scope in
                    own.content = scope
                    scope.add(
                        ClosureOperation("member") { _ in
                            await bothRun.wait()
                            _ = try await other.content?.add(Giving(1)).value
                        })
                })
        }
        for group in groups { try await group.value }
    }

    @Test(.timeLimit(.minutes(1))) func `behind a group that waits for it ends`() async throws {
        let queue = queue(1)
        let (isBuilt, mayEnd) = (Latch(), Latch())
        let first = queue.add(ClosureOperation("first") { _ in await mayEnd.wait() })
        let last = Box<OperationHandle<Int>>()
        let group = queue.add(
            GroupOperation("group", concurrency: 1) { scope in
                guard let last = last.content else { return }
                scope.add(ClosureOperation("member") { _ in }.after(last))
                isBuilt.open()
            })
        let late = queue.add(Giving(1, name: "late"))
        last.content = late
        mayEnd.open()
        try await first.value
        await isBuilt.wait()
        try await group.value
    }

    @Test(.timeLimit(.minutes(1))) func `takes the slot again before others in line`() async throws {
        let queue = queue(1)
        let order = Record<String>()
        let own = Box<OperationHandle<Void>>()
        let outer = queue.add(
            ClosureOperation("outer") { _ in
                let other = queue.add(Giving(1).priority(9))
                queue.add(
                    ClosureOperation("one") { _ in
                        while own.content == nil { try await Task.sleep(for: .milliseconds(1)) }
                        // It has the slot, and the work whose wait is over queues for it or has had it before.
                        // A loop of yields may keep work of a lower priority from its thread.
                        while let outer = own.content, outer.state != .finished,
                            queue.core.slots.ahead(of: outer.core) != 0
                        {
                            try await Task.sleep(for: .milliseconds(1))
                        }
                    }.priority(8))
                queue.add(ClosureOperation("two") { _ in order.append("two") }.priority(7))
                _ = try await other.value
                order.append("outer")
            })
        own.content = outer
        try await outer.value
        await queue.waitUntilDrained()
        #expect(order.all == ["outer", "two"])
    }

    // MARK: For itself

    @Test(.timeLimit(.minutes(1))) func `for itself is refused with the path`() async throws {
        let queue = queue(nil)
        let own = Box<OperationHandle<Void>>()
        let isKnown = Latch()
        let handle = queue.add(
            ClosureOperation("narcissus") { _ in
                await isKnown.wait()
                try await own.content?.value
            })
        own.content = handle
        isKnown.open()
        let ending = await handle.waitUntilFinished()
        #expect(ending.errors.first?.code == .dependencyCycle)
        #expect(ending.errors.first?.detail.contains("narcissus → narcissus") == true)
    }

    @Test(.timeLimit(.minutes(1))) func `in a cycle is refused with the path`() async throws {
        let queue = queue(1)
        let second = Box<OperationHandle<Void>>()
        let isKnown = Latch()
        let one = queue.add(
            ClosureOperation("one") { context in
                await isKnown.wait()
                let inner = ClosureOperation("inner") { _ in try await second.content?.value }
                try await context.run(inner)
            })
        let two = queue.add(ClosureOperation("two") { _ in try await one.value })
        let three = queue.add(ClosureOperation("three") { _ in }.after(two))
        second.content = three
        isKnown.open()
        let codes = await [one, two].concurrentlyFinished().compactMap { $0.errors.first?.code }
        #expect(codes.count == 2)
        #expect(codes.contains(.dependencyCycle))
    }

    @Test(.timeLimit(.minutes(1))) func `of a member for its own group is refused`() async throws {
        let queue = queue(nil)
        let group = queue.add(GroupOperation("group") { _ in }.held())
        let member = group.members?.add(ClosureOperation("member") { _ in }.after(group))
        #expect(member?.ending?.errors.first?.code == .dependencyCycle)
        group.release()
        #expect(await group.waitUntilFinished().state == .failed)
    }

    @Test(.timeLimit(.minutes(1)))
    func `for all of its own queue leaves out itself and those that wait for it`() async throws {
        let queue = queue(1)
        let order = Record<String>()
        let first = queue.add(
            ClosureOperation("first") { _ in
                queue.add(ClosureOperation("beside") { _ in order.append("beside") })
                await queue.waitUntilDrained()
                order.append("first")
            })
        queue.add(ClosureOperation("after") { _ in order.append("after") }.after(first))
        await queue.waitUntilDrained()
        #expect(order.all == ["beside", "first", "after"])
    }

    @Test func `is explained`() async throws {
        let queue = queue(1)
        let held = queue.add(Giving(1, name: "report").held())
        let outer = queue.add(ClosureOperation("outer") { _ in try await held.value })
        while outer.state != .executing || outer.explain().causes == [.itself] { await Task.yield() }
        #expect(outer.explain().description == "outer: executing, waits for report (pending)")
        held.release()
        #expect(try await outer.value == 1)
    }
}

/// Lets two tasks go on once both have come.
private final class Crossing: Sendable {
    private let count = Mutex(0)
    private let isComplete = Latch()

    func wait() async {
        let isLast = count.withLock { count in
            count += 1
            return count == 2
        }
        if isLast { isComplete.open() }
        await isComplete.wait()
    }
}

extension [OperationHandle<Void>] {
    fileprivate func concurrentlyFinished() async -> [OperationEnding] {
        var endings: [OperationEnding] = []
        for handle in self { endings.append(await handle.waitUntilFinished()) }
        return endings
    }
}

/// Content that work learns after it was made.
private final class Box<Content: Sendable>: Sendable {
    private let state = Mutex<Content?>(nil)

    var content: Content? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
