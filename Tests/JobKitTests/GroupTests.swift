import Synchronization
import Testing
import TestOperations

@testable import JobKit

@Suite struct `A group` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `is over after all its members, and at once when it has none`() async {
        let order = Record<String>()
        let queue = queue
        let handle = queue.add(
            GroupOperation("g") { group in
                for name in ["a", "b", "c"] { group.add(ClosureOperation(name) { _ in order.append(name) }) }
            })
        let empty = queue.add(GroupOperation("empty") { _ in })
        #expect(await handle.waitUntilFinished().state == .succeeded)
        #expect(Set(order.all) == ["a", "b", "c"])
        #expect(await empty.waitUntilFinished().state == .succeeded)
    }

    @Test func `carries on after a failure and reports all errors in order of arrival`() async {
        let handle = queue.add(
            GroupOperation("g") { group in
                let slow = group.add(DelayOperation(.after(.milliseconds(50)), name: "slow"))
                group.add(Failing(name: "first", code: "test.one"))
                group.add(Failing(name: "second", code: "test.two").after(slow))
            })
        await clock.waitForSleepers()
        while handle.core.parts.withLock({ $0.links.children.count { $0.ending != nil } }) < 1 {
            await Task.yield()
        }
        clock.advance(by: .milliseconds(50))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code.description) == ["test.one", "test.two"])
        #expect(ending.errors.map(\.path) == [["g", "first"], ["g", "second"]])
        #expect(ending.errors.map(\.publisher) == ["first", "second"])
    }

    @Test func `that fails fast stops the rest`() async {
        let handle = queue.add(
            GroupOperation("g", failsFast: true) { group in
                group.add(Endless(name: "endless"))
                group.add(Failing(name: "bad"))
            })
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.publisher) == ["bad"])
    }

    @Test func `that is cancelled takes all its members with it`() async {
        let members = Record<OperationHandle<Void>>()
        let handle = queue.add(
            GroupOperation("g") { group in
                let first = group.add(Endless(name: "a"))
                members.append(first)
                members.append(group.add(Endless(name: "b").after(first)))
            })
        await clock.waitForSleepers()
        handle.cancel()
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.errors.count == 1)
        for member in members.all {
            #expect(member.ending?.state == .cancelled)
            #expect(member.ending?.errors.first?.code == .cancelledParent)
        }
    }

    @Test func `that is cancelled asks all members to stop before the first one ends`() async {
        let later = Record<OperationHandle<Void>>()
        let seen = Record<Bool?>()
        let handle = queue.add(
            GroupOperation("g", concurrency: 1) { group in
                group.add(Endless(name: "first"))
                let waiting = group.add(Endless(name: "waiting"))
                later.append(group.add(Endless(name: "later").after(waiting)))
                waiting.core.whenFinished { _ in seen.append(later.all.first?.core.isStopRequested) }
            })
        await clock.waitForSleepers()
        handle.cancel()
        _ = await handle.waitUntilFinished()
        #expect(seen.all == [true])
        #expect(later.all.first?.ending?.errors.first?.code == .cancelledParent)
    }

    @Test func `runs no more members at once than it may`() async {
        let gauge = Gauge()
        let handle = queue.add(
            GroupOperation("g", concurrency: 2) { group in
                for _ in 0..<6 {
                    group.add(
                        ClosureOperation { _ in await gauge.visit(with: 2) })
                }
            })
        _ = await handle.waitUntilFinished()
        #expect(gauge.most == 2)
    }

    @Test func `whose members run one at a time begins them in the order of their addition`() async {
        let queue = queue
        for _ in 0..<100 {
            let order = Record<Int>()
            let handle = queue.add(
                GroupOperation("g", concurrency: 1) { group in
                    for place in 0..<20 { group.add(ClosureOperation("m") { _ in order.append(place) }) }
                })
            _ = await handle.waitUntilFinished()
            #expect(order.all == Array(0..<20))
        }
    }

    @Test func `lets others pass a member that is held or cancelled before its turn`() async {
        let queue = queue
        for _ in 0..<100 {
            let order = Record<Int>()
            let later = Record<OperationHandle<Void>>()
            let handle = queue.add(
                GroupOperation("g", concurrency: 1) { group in
                    group.add(
                        ClosureOperation("first") { _ in
                            #expect(later.all[0].core.holdGate.hold())
                            later.all[1].cancel()
                            order.append(0)
                        })
                    for place in 1...4 {
                        later.append(group.add(ClosureOperation("m") { _ in order.append(place) }))
                    }
                    later.all[3].core.whenFinished { _ in _ = later.all[0].core.holdGate.release() }
                })
            _ = await handle.waitUntilFinished()
            #expect(order.all == [0, 3, 4, 1])
        }
    }

    @Test func `of ten thousand members is cancelled at once without exhausting the stack`() async {
        let handle = queue.add(
            GroupOperation("g", concurrency: 1) { group in
                var before = group.add(Endless(name: "first"))
                for index in 0..<10_000 { before = group.add(Endless(name: "m\(index)").after(before)) }
            })
        await clock.waitForSleepers()
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
    }

    @Test func `skips a long chain after a failure without exhausting the stack`() async {
        let handle = queue.add(
            GroupOperation("g") { group in
                var before = group.add(Failing(name: "first"))
                for index in 0..<10_000 { before = group.add(Failing(name: "m\(index)").after(before)) }
            })
        let ending = await handle.waitUntilFinished()
        #expect(ending.errors.map(\.publisher) == ["first"])
    }

    @Test func `nests, and errors keep the whole path`() async {
        let handle = queue.add(
            GroupOperation("outer") { outer in
                outer.add(GroupOperation("inner") { inner in inner.add(Failing(name: "leaf")) })
            })
        #expect(await handle.waitUntilFinished().errors.map(\.path) == [["outer", "inner", "leaf"]])
    }
}

@Suite struct `Retries and delays` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `try again until it works, and count all attempts`() async throws {
        let attempts = Record<Int>()
        let handle = queue.add(
            ClosureOperation("flaky") { context -> String in
                attempts.append(context.attempt)
                if context.attempt < 3 { throw AOperationError(.unexpected, detail: "not yet") }
                return "done"
            }.retry(attempts: 3))
        #expect(try await handle.value == "done")
        #expect(attempts.all == [1, 2, 3])
        #expect(handle.ending?.errors.isEmpty == true)
    }

    @Test func `pass on their values`() async throws {
        let queue = queue
        let source = queue.add(Giving("ada"))
        let handle = queue.add(DelayOperation.passing(source, .after(.seconds(30))))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        #expect(try await handle.value == "ada")
        let failing = queue.add(Failing())
        #expect(
            await queue.add(DelayOperation.passing(failing, .after(.seconds(30)))).waitUntilFinished().state
                == .skipped)
    }

    @Test func `give up with the last error and the reason`() async {
        let attempts = Record<Int>()
        let queue = queue
        let handle = queue.add(
            ClosureOperation("bad") { context in
                attempts.append(context.attempt)
                throw AOperationError(.unexpected, detail: "\(context.attempt)")
            }.retry(attempts: 3))
        let error = await handle.waitUntilFinished().errors.first
        #expect(attempts.all == [1, 2, 3])
        #expect(error?.detail == "3")
        #expect(error?.retryStoppedBy == "attempts")
        let picky = queue.add(Failing().retry(attempts: 5, when: { _ in false }))
        #expect(await picky.waitUntilFinished().errors.first?.retryStoppedBy == "policy")
    }

    @Test func `wait as long as asked and no longer`() async {
        let queue = queue
        let past = [
            queue.add(DelayOperation(.after(.seconds(-5)))), queue.add(DelayOperation(.after(.zero))),
            queue.add(DelayOperation(.date(Timestamp(milliseconds: 1_000)))),
        ]
        for handle in past { #expect(await handle.waitUntilFinished().state == .succeeded) }
        let handle = queue.add(DelayOperation(.after(.milliseconds(300))))
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(299))
        #expect(handle.ending == nil)
        clock.advance(by: .milliseconds(1))
        #expect(await handle.waitUntilFinished().state == .succeeded)
    }

    @Test func `end a wait at once when stopped`() async {
        let handle = queue.add(DelayOperation(.after(.seconds(30))))
        await clock.waitForSleepers()
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
    }
}
