import HTTPMessage
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Answers every call with 204.
private struct Answering: Transport {
    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        HTTPCallAnswer(status: 204, fields: [], body: [], exchange: HTTPCallExchange())
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}

/// Records the calls of a queue, and refuses operations with a certain name.
private final class Clerk: OperationQueueDelegate {
    let words = Record<String>()

    func queue(_ queue: String, willAdd operation: OperationInfo) -> AOperationError? {
        words.append("will add \(operation.name)")
        return operation.name == "unwanted" ? AOperationError(.queueRefused, detail: "not here") : nil
    }
    func queue(_ queue: String, didAdd operation: OperationInfo) {
        words.append("did add \(operation.name)")
    }
    func queue(_ queue: String, willFinish operation: OperationInfo, as ending: OperationEnding) {
        words.append("will finish \(operation.name) \(ending.state.rawValue)")
    }
    func queue(_ queue: String, didFinish operation: OperationInfo, as ending: OperationEnding) {
        words.append("did finish \(operation.name) \(ending.state.rawValue)")
    }
}

@Suite struct `A queue` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `informs its delegate about additions and ends, and lets it refuse`() async {
        let clerk = Clerk()
        let queue = AOperationQueue(environment: OperationEnvironment(clock: clock), delegate: clerk)
        let held = queue.add(Giving(1, name: "a").held())
        let refused = queue.add(Giving(1, name: "unwanted"))
        #expect(refused.ending?.errors.first?.code == .queueRefused)
        #expect(refused.ending?.errors.first?.publisher == "unwanted")
        held.release()
        _ = await held.waitUntilFinished()
        while clerk.words.all.count < 7 { await Task.yield() }
        #expect(
            clerk.words.all == [
                "will add a", "did add a", "will add unwanted", "will finish unwanted failed",
                "did finish unwanted failed", "will finish a succeeded", "did finish a succeeded",
            ])
    }

    @Test func `begins more when its capacity is raised`() async {
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let gauge = Gauge()
        let latch = Latch()
        for _ in 0..<5 {
            queue.add(
                ClosureOperation { _ in
                    gauge.enter()
                    await latch.wait()
                    gauge.leave()
                })
        }
        while gauge.most < 1 { await Task.yield() }
        #expect(queue.capacity == 1)
        queue.capacity = nil
        while gauge.most < 5 { await Task.yield() }
        latch.open()
        await queue.waitUntilDrained()
        #expect(queue.unfinishedCount == 0)
    }

    @Test func `begins the important first when it is resumed`() async {
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let order = Record<Int>()
        let latch = Latch()
        let first = queue.add(ClosureOperation("first") { _ in await latch.wait() })
        while first.state != .executing { await Task.yield() }
        let others = [1, 9, 5].map { priority in
            queue.add(ClosureOperation { _ in order.append(priority) }.priority(priority))
        }
        while others.contains(where: { $0.state != .ready }) { await Task.yield() }
        while queue.core.slots.ahead(of: others[0].core) != 2 { await Task.yield() }
        latch.open()
        await queue.waitUntilDrained()
        #expect(order.all == [9, 5, 1])
    }

    @Test(arguments: [false, true])
    func `without a place keeps no exclusive key from others`(isSuspended: Bool) async {
        let environment = OperationEnvironment(clock: clock)
        let queue = AOperationQueue(name: "main", capacity: 1, environment: environment)
        let other = AOperationQueue(environment: environment)
        let latch = Latch()
        let busy = queue.add(ClosureOperation("busy") { _ in await latch.wait() })
        while busy.state != .executing { await Task.yield() }
        let waiting = queue.add(Giving(1, name: "waiting").condition(MutualExclusion("k")))
        while waiting.explain().causes.isEmpty { await Task.yield() }
        queue.isSuspended = isSuspended
        #expect(
            await other.add(Giving(2).condition(MutualExclusion("k"))).waitUntilFinished().state == .succeeded
        )
        #expect(waiting.ending == nil)
        queue.isSuspended = false
        latch.open()
        #expect(await waiting.waitUntilFinished().state == .succeeded)
        #expect(environment.exclusion.holder(of: "k") == nil)
    }

    @Test func `with one slot gives it to the operation that can use its key`() async {
        let environment = OperationEnvironment(clock: clock)
        let queue = AOperationQueue(capacity: 1, environment: environment)
        let isWanted = Latch()
        // The group has the slot; its member needs the key that the operation after the group needs, too.
        let group = queue.add(
            GroupOperation("group") { scope in
                let first = scope.add(ClosureOperation("first") { _ in await isWanted.wait() })
                scope.add(Giving(1, name: "second").condition(MutualExclusion("k")).after(first))
            })
        while group.state != .executing { await Task.yield() }
        let behind = queue.add(Giving(2, name: "behind").condition(MutualExclusion("k")))
        while behind.explain().causes.isEmpty { await Task.yield() }
        isWanted.open()
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(await behind.waitUntilFinished().state == .succeeded)
        #expect(environment.exclusion.isIdle)
    }

    @Test(.timeLimit(.minutes(1)))
    func `gives its only slot to others while the next in line waits for a key`() async {
        let environment = OperationEnvironment(clock: clock)
        let queue = AOperationQueue(capacity: 1, environment: environment)
        let other = AOperationQueue(environment: environment)
        let (latch, isWanted) = (Latch(), Latch())
        let busy = queue.add(ClosureOperation("busy") { _ in await latch.wait() })
        while busy.state != .executing { await Task.yield() }
        let next = queue.add(Giving(1, name: "next").condition(MutualExclusion("k")))
        while queue.core.slots.ahead(of: next.core) != 0 { await Task.yield() }
        // Has the key and needs the slot, for an operation that it waits for.
        let holder = other.add(
            ClosureOperation("holder") { _ in
                await isWanted.wait()
                _ = await queue.add(Giving(2)).waitUntilFinished()
            }.condition(MutualExclusion("k")))
        while holder.state != .executing { await Task.yield() }
        latch.open()
        _ = await busy.waitUntilFinished()
        isWanted.open()
        #expect(await holder.waitUntilFinished().state == .succeeded)
        #expect(await next.waitUntilFinished().state == .succeeded)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `has released its slot and keys when an operation is seen to be finished`() async {
        let environment = OperationEnvironment(clock: clock)
        let queue = AOperationQueue(capacity: 1, environment: environment)
        var held = 0
        for round in 0..<2_000 {
            let operation = queue.add(Giving(round).condition(MutualExclusion("k")))
            while operation.ending == nil { await Task.yield() }
            _ = await operation.waitUntilFinished()
            if !environment.exclusion.isIdle { held += 1 }
        }
        #expect(held == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `runs operations after it was suspended and resumed from several threads`() async {
        let queue = queue
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 {
                        queue.isSuspended = true
                        queue.isSuspended = false
                    }
                }
            }
        }
        #expect(!queue.isSuspended)
        #expect(await queue.add(Giving(1)).waitUntilFinished().state == .succeeded)
    }

    @Test func `has a shared instance`() async throws {
        #expect(AOperationQueue.shared === AOperationQueue.shared)
        #expect(try await Giving(4).add(to: AOperationQueue.shared).value == 4)
        let own = AOperationQueue(environment: OperationEnvironment(transport: Answering()))
        let previous = AOperationQueue.shared
        AOperationQueue.shared = own
        defer { AOperationQueue.shared = previous }
        let call = ClosureOperation { context in
            try await context.send(HTTPCall(method: "GET", url: "http://a.example/")).status
        }
        #expect(try await AOperationQueue.shared.add(call).value == 204)
    }

    @Test func `does not run a held operation until it is released`() async {
        let queue = queue
        let held = queue.add(Giving(1).held())
        let latch = Latch()
        let before = queue.add(ClosureOperation("before") { _ in await latch.wait() })
        let after = queue.add(Giving(2).after(before))
        #expect(after.hold())
        latch.open()
        _ = await before.waitUntilFinished()
        for _ in 0..<100 { await Task.yield() }
        #expect(held.state == .pending)
        #expect(after.state == .pending)
        #expect(held.release())
        #expect(!held.release())
        #expect(after.release())
        #expect(await held.waitUntilFinished().state == .succeeded)
        #expect(await after.waitUntilFinished().state == .succeeded)
        #expect(!after.hold())
    }

    @Test func `holds a waiter for a slot, too, and frees the slot for others`() async {
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let latch = Latch()
        let busy = queue.add(ClosureOperation("busy") { _ in await latch.wait() })
        while busy.state != .executing { await Task.yield() }
        let held = queue.add(Giving(1).priority(9))
        while queue.core.slots.ahead(of: held.core) == nil { await Task.yield() }
        #expect(held.hold())
        let other = queue.add(Giving(2))
        latch.open()
        #expect(await other.waitUntilFinished().state == .succeeded)
        #expect(held.state == .ready)
        held.cancel()
        #expect(held.ending?.state == .cancelled)
        await queue.waitUntilDrained()
    }

    @Test func `holds and releases in any order without losing an operation`() async {
        let queue = queue
        for _ in 0..<500 {
            let handle = queue.add(Giving(1))
            async let one = handle.hold()
            async let other = handle.release()
            _ = await (one, other)
            handle.release()
            #expect(await handle.waitUntilFinished().state == .succeeded)
        }
    }

    @Test func `explains the wait of each operation`() async {
        let environment = OperationEnvironment(clock: clock)
        let queue = AOperationQueue(name: "main", capacity: 1, environment: environment)
        let latch = Latch()
        let busy = queue.add(
            ClosureOperation("busy") { _ in await latch.wait() }.condition(MutualExclusion("k")).unique("u"))
        while busy.state != .executing { await Task.yield() }
        let place = queue.add(Giving(1, name: "place"))
        while queue.core.slots.ahead(of: place.core) != 0 { await Task.yield() }
        let key = queue.add(Giving(1, name: "key").condition(MutualExclusion("k")))
        while environment.exclusion.position(of: key.core.keys.owner) == nil { await Task.yield() }
        let behind = queue.add(Giving(1, name: "behind").after(busy))
        let unique = queue.add(Giving(1, name: "unique").unique("u", onConflict: .wait))
        let held = queue.add(Giving(1, name: "held").held())
        #expect(busy.explain().causes == [.itself])
        #expect(place.explain().causes == [.capacity(1, ahead: 0)])
        #expect(key.explain().causes == [.exclusiveKeys(["k"], holder: "busy", ahead: 0)])
        #expect(behind.explain().causes == [.dependency(name: "busy", state: .executing)])
        #expect(unique.explain().causes == [.uniqueKey("u", holder: "busy", ahead: 1)])
        #expect(held.explain().causes == [.hold])
        #expect("\(behind.explain())" == "behind: pending, waits for busy (executing)")
        queue.isSuspended = true
        let suspended = queue.add(Giving(1, name: "suspended"))
        #expect(suspended.explain().causes == [.suspendedQueue(name: "main")])
        #expect(queue.explain().count == 7)
        held.cancel()
        queue.isSuspended = false
        latch.open()
        await queue.waitUntilDrained()
        #expect(behind.explain().causes.isEmpty)
    }

    @Test func `explains itself while keys change owners`() async {
        let environment = OperationEnvironment(clock: clock)
        let queue = AOperationQueue(environment: environment)
        let waiting = (0..<300).map { queue.add(Giving($0).condition(MutualExclusion("k"))) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while waiting.contains(where: { $0.ending == nil }) {
                    for handle in waiting where handle.ending == nil { _ = handle.explain() }
                    await Task.yield()
                }
            }
            for handle in waiting {
                group.addTask { #expect(await handle.waitUntilFinished().state == .succeeded) }
            }
        }
    }

    @Test func `explains delays, conditions and groups, and since when`() async {
        let queue = queue
        let begin = clock.now
        let asked = Latch()
        let answer = Latch()
        let delay = queue.add(DelayOperation(.after(.seconds(60)), name: "delay"))
        await clock.waitForSleepers()
        let group = queue.add(GroupOperation("group") { $0.add(Endless(name: "member")) })
        await clock.waitForSleepers(2)
        let asking = queue.add(
            Giving(1).condition(
                ClosureCondition("slow") { _ in
                    asked.open()
                    await answer.wait()
                    return .satisfied
                }))
        await asked.wait()
        clock.advance(by: .seconds(5))
        let wait = OperationWait(until: begin.advanced(by: .seconds(60)), reason: .delay)
        #expect(delay.explain().causes == [.lasting(wait)])
        #expect(delay.explain().since == begin)
        #expect(group.explain().causes == [.members(["member"], more: 0)])
        #expect(asking.explain().causes == [.conditions(["slow"])])
        #expect(asking.explain().since == begin)
        answer.open()
        queue.cancelAll()
        await queue.waitUntilDrained()
    }
}
