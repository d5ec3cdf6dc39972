import StrictJSON
import Testing
import TestOperations

@testable import JobKit

@Suite struct `A unique operation` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `is refused while another has its key, with the holder's name`() async {
        let queue = queue
        let latch = Latch()
        let holder = queue.add(ClosureOperation("holder") { _ in await latch.wait() }.unique("k"))
        let second = queue.add(Giving(1, name: "second").unique("k"))
        #expect(second.ending?.state == .failed)
        #expect(second.ending?.errors.first?.code == .uniqueTaken)
        #expect(second.ending?.errors.first?.detail.contains("holder") == true)
        #expect(second.ending?.errors.first?.publishedError?.info["holder"] == .string("holder"))
        #expect(second.ending?.errors.first?.publishedError?.info["key"] == .string("k"))
        let dependant = queue.add(Giving(1).after(second))
        let skipped = await dependant.waitUntilFinished()
        #expect(skipped.state == .skipped)
        #expect(skipped.errors.first?.causes.first?.code == .uniqueTaken)
        #expect(skipped.errors.first?.causes.first?.publishedError?.info["holder"] == .string("holder"))
        latch.open()
        _ = await holder.waitUntilFinished()
        #expect(await queue.add(Giving(1).unique("k")).waitUntilFinished().state == .succeeded)
        #expect(await queue.add(Giving(1).unique("k")).waitUntilFinished().state == .succeeded)
    }

    @Test func `joins the one that is there`() async throws {
        let queue = queue
        let latch = Latch()
        let runs = Record<Int>()
        let finals = Record<String>()
        let holder = queue.add(
            ClosureOperation("holder") { _ -> Int in
                runs.append(1)
                await latch.wait()
                return 7
            }.unique("k"))
        let observer = ClosureObserver { info, event in
            if case .finished = event.kind { finals.append(info.name) }
        }
        let joined = queue.add(
            ClosureOperation("joiner") { _ -> Int in
                runs.append(2)
                return 8
            }.observer(observer).unique("k", onConflict: .join))
        #expect(joined.name == "holder")
        let other = queue.add(Giving("text").unique("k", onConflict: .join))
        #expect(other.ending?.errors.first?.code == .uniqueTaken)
        latch.open()
        #expect(try await joined.value == 7)
        _ = await holder.waitUntilFinished()
        while finals.all.isEmpty { await Task.yield() }
        #expect(runs.all == [1])
        #expect(finals.all == ["holder"])
    }

    @Test func `keeps nothing of a group that joined another one`() async {
        final class Captured: Sendable {}
        let queue = queue
        let latch = Latch()
        func sync(_ captured: Captured) -> GroupOperation {
            GroupOperation("sync") { group in
                _ = captured
                group.add(ClosureOperation { _ in await latch.wait() })
            }
        }
        let holder = queue.add(sync(Captured()).unique("sync", onConflict: .join))
        weak var joining: Captured?
        do {
            let captured = Captured()
            joining = captured
            _ = queue.add(sync(captured).unique("sync", onConflict: .join))
        }
        #expect(joining == nil)
        latch.open()
        _ = await holder.waitUntilFinished()
    }

    @Test func `replaces the one that is there, and runs when that is over`() async {
        let queue = queue
        let order = Record<String>()
        let stopped = Latch()
        let started = Latch()
        let holder = queue.add(
            ClosureOperation("holder") { _ in
                started.open()
                await stopped.wait()
                order.append("holder")
                throw CancellationError()
            }.unique("k"))
        await started.wait()
        let queued = queue.add(Giving(1, name: "queued").unique("k", onConflict: .wait))
        let next = queue.add(
            ClosureOperation("next") { _ in order.append("next") }.unique("k", onConflict: .replace))
        #expect(queued.ending?.errors.first?.code == .cancelledReplaced)
        for _ in 0..<50 { await Task.yield() }
        #expect(next.ending == nil)
        stopped.open()
        #expect(await holder.waitUntilFinished().errors.first?.code == .cancelledReplaced)
        #expect(await next.waitUntilFinished().state == .succeeded)
        #expect(order.all == ["holder", "next"])
    }

    @Test func `waits for its turn without being overtaken`() async {
        let queue = queue
        let gauge = Gauge()
        let order = Record<Int>()
        let isCancelled = Latch()
        var handles: [OperationHandle<Void>] = []
        for index in 0..<20 {
            handles.append(
                queue.add(
                    ClosureOperation("m\(index)") { _ in
                        gauge.enter()
                        if index == 0 { await isCancelled.wait() }
                        for _ in 0..<5 { await Task.yield() }
                        order.append(index)
                        gauge.leave()
                    }.unique("k", onConflict: .wait)))
        }
        handles[7].cancel()
        isCancelled.open()
        for handle in handles { _ = await handle.waitUntilFinished() }
        #expect(gauge.most == 1)
        #expect(order.all == (0..<20).filter { $0 != 7 })
        #expect(!queue.core.environment.uniqueness.isTaken("k"))
    }

    @Test func `is one of those that are added at the same time`() async {
        let queue = queue
        for round in 0..<500 {
            let latch = Latch()
            let handles = await withTaskGroup(of: OperationHandle<Void>.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        queue.add(
                            ClosureOperation("m\(index)") { _ in await latch.wait() }.unique("k\(round)"))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(handles.count { $0.ending?.errors.first?.code == .uniqueTaken } == 3)
            latch.open()
            for handle in handles { _ = await handle.waitUntilFinished() }
        }
    }

    @Test func `keeps its key over its attempts`() async {
        let queue = queue
        let handle = queue.add(
            Failing().retry(attempts: 2, backoff: .fixed(.seconds(5))).unique("k"))
        await clock.waitForSleepers()
        #expect(queue.add(Giving(1).unique("k")).ending?.errors.first?.code == .uniqueTaken)
        clock.advance(by: .seconds(5))
        #expect(await handle.waitUntilFinished().state == .failed)
        #expect(await queue.add(Giving(1).unique("k")).waitUntilFinished().state == .succeeded)
    }
}
