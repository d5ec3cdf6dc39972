import Synchronization
import Testing
import TestOperations

@testable import JobKit

@Suite struct `The members of a group` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `are all cancelled with a group that was never executed`() async {
        let queue = queue
        queue.isSuspended = true
        let group = queue.add(GroupOperation("g"))
        let one = group.members?.add(Giving(1, name: "one"))
        let two = group.members?.add(Giving(2, name: "two"))
        group.cancel()
        #expect(group.ending?.state == .cancelled)
        for member in [one, two] {
            #expect(member?.ending?.state == .cancelled)
            #expect(member?.ending?.errors.first?.code == .cancelledParent)
        }
    }

    @Test func `are skipped with a skipped group, and so are their dependants`() async {
        let queue = queue
        queue.isSuspended = true
        let upstream = queue.add(Failing(name: "upstream"))
        let group = queue.add(GroupOperation("g").after(upstream))
        let member = group.members?.add(Giving(1, name: "member"))
        guard let member else { Issue.record("a group has members"); return }
        let dependant = queue.add(Giving(2, name: "dependant").after(member))
        queue.isSuspended = false
        #expect(await group.waitUntilFinished().state == .skipped)
        #expect(await member.waitUntilFinished().state == .skipped)
        #expect(await dependant.waitUntilFinished().state == .skipped)
    }

    @Test func `wait for the group, their conditions too`() async {
        let queue = queue
        queue.isSuspended = true
        let asked = Record<String>()
        let group = queue.add(GroupOperation("g"))
        let condition = ClosureCondition("asked") { _ in
            asked.append("asked")
            return .satisfied
        }
        let member = group.members?.add(Giving(1, name: "member").condition(condition))
        for _ in 0..<100 { await Task.yield() }
        #expect(asked.all.isEmpty)
        queue.isSuspended = false
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(member?.ending?.state == .succeeded)
        #expect(asked.all == ["asked"])
    }

    @Test func `can be added from outside, by members and by observers while it runs`() async {
        let queue = queue
        let latch = Latch()
        let names = Record<String>()
        let group = queue.add(
            GroupOperation("g") { scope in
                let observer = ClosureObserver { _, event in
                    if case .finished = event.kind {
                        scope.add(ClosureOperation("by observer") { _ in names.append("observer") })
                    }
                }
                scope.add(
                    ClosureOperation("first") { _ in
                        await latch.wait()
                        scope.add(ClosureOperation("by member") { _ in names.append("member") })
                    }.observer(observer))
            })
        while group.members?.count.open != 1 { await Task.yield() }
        group.members?.add(ClosureOperation("from outside") { _ in names.append("outside") })
        latch.open()
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(Set(names.all) == ["observer", "member", "outside"])
    }

    @Test func `are refused when the group is over, and cancelled while it is being stopped`() async {
        let queue = queue
        let scopes = Record<GroupScope>()
        let begun = Latch()
        let stopped = Latch()
        let group = queue.add(
            GroupOperation("g") { scope in
                scopes.append(scope)
                scope.add(
                    ClosureOperation("slow to stop") { _ in
                        begun.open()
                        await stopped.wait()
                        throw CancellationError()
                    })
            })
        await begun.wait()
        group.cancel()
        let late = scopes.all[0].add(Giving(1, name: "late"))
        #expect(late.ending?.state == .cancelled)
        stopped.open()
        #expect(await group.waitUntilFinished().state == .cancelled)
        let tooLate = scopes.all[0].add(Giving(1, name: "too late"))
        #expect(tooLate.ending?.state == .failed)
        #expect(tooLate.ending?.errors.first?.code == .groupClosed)
        #expect(group.members == nil)
    }

    @Test func `begin when the group has added all its members`() async {
        let queue = queue
        let causes = Record<OperationExplanation.Cause>()
        let group = queue.add(
            GroupOperation("g") { scope in
                let first = scope.add(Giving(1, name: "first"))
                for cause in first.explain().causes { causes.append(cause) }
            })
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(causes.all == [.group(name: "g")])
    }

    @Test func `run one after the other, late ones last, and not after a failure`() async {
        let queue = queue
        let order = Record<String>()
        let skipped = Record<OperationHandle<Void>>()
        let group = queue.add(
            GroupOperation.ordered("g") { scope in
                scope.add(
                    ClosureOperation("1") { _ in
                        order.append("1")
                        skipped.append(scope.add(ClosureOperation("4") { _ in order.append("4") }))
                    })
                scope.add(Failing(name: "2"))
                skipped.append(scope.add(ClosureOperation("3") { _ in order.append("3") }))
            })
        let ending = await group.waitUntilFinished()
        #expect(ending.errors.map(\.publisher) == ["2"])
        #expect(order.all == ["1"])
        #expect(skipped.all.map { $0.ending?.state } == [.skipped, .skipped])
        #expect(skipped.all.first?.ending?.errors.first?.code == .dependencyFailed)
    }

    @Test func `run one after the other even after a failure, when the order carries on`() async {
        let queue = queue
        let order = Record<String>()
        let group = queue.add(
            GroupOperation.ordered("g", stopsAtFailure: false) { scope in
                scope.add(
                    ClosureOperation("1") { _ in
                        order.append("1")
                        scope.add(ClosureOperation("4") { _ in order.append("4") })
                    })
                scope.add(Failing(name: "2"))
                scope.add(ClosureOperation("3") { _ in order.append("3") })
            })
        let ending = await group.waitUntilFinished()
        #expect(ending.errors.map(\.publisher) == ["2"])
        #expect(order.all == ["1", "3", "4"])
    }

    @Test func `in execution end when the group is suspended, and none begins`() async {
        let queue = queue
        let begun = Record<Int>()
        let latches = (0..<6).map { _ in Latch() }
        let group = queue.add(
            GroupOperation("g", concurrency: 2) { scope in
                for index in 0..<6 {
                    scope.add(
                        ClosureOperation("m\(index)") { _ in
                            begun.append(index)
                            await latches[index].wait()
                        })
                }
            })
        while begun.all.count < 2 { await Task.yield() }
        guard let members = group.members else { Issue.record("a group has members"); return }
        members.isSuspended = true
        for latch in latches { latch.open() }
        while members.count.succeeded < 2 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(begun.all.count == 2)
        members.isSuspended = false
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(begun.all.count == 6)
    }

    @Test func `may be more at once when the limit is raised`() async {
        let queue = queue
        let gauge = Gauge()
        let latch = Latch()
        let group = queue.add(
            GroupOperation("g", concurrency: 1) { scope in
                for index in 0..<6 {
                    scope.add(
                        ClosureOperation("m\(index)") { _ in
                            gauge.enter()
                            await latch.wait()
                            gauge.leave()
                        })
                }
            })
        while gauge.most < 1 { await Task.yield() }
        group.members?.concurrency = 3
        while gauge.most < 3 { await Task.yield() }
        latch.open()
        _ = await group.waitUntilFinished()
        #expect(gauge.most == 3)
    }

    @Test func `at the end run after all others, also when the group is cancelled`() async {
        let queue = queue
        let order = Record<String>()
        let scope = Record<GroupScope>()
        let ended = queue.add(
            GroupOperation("ended") { group in
                group.addFinally(ClosureOperation("clean up") { _ in order.append("clean up") })
                group.add(ClosureOperation("work") { _ in order.append("work") })
            })
        #expect(await ended.waitUntilFinished().state == .succeeded)
        #expect(order.all == ["work", "clean up"])
        let stopped = queue.add(
            GroupOperation("stopped") { group in
                scope.append(group)
                group.add(Endless())
                group.addFinally(ClosureOperation("clean up") { _ in order.append("after stop") })
            })
        await clock.waitForSleepers()
        stopped.cancel()
        #expect(await stopped.waitUntilFinished().state == .cancelled)
        #expect(order.all == ["work", "clean up", "after stop"])
        let late = scope.all[0].addFinally(Giving(1))
        #expect(late.ending?.errors.first?.code == .groupClosed)
    }

    @Test func `at the end are not held up when the group is cancelled`() async {
        let hold = TreeHold()
        let order = Record<String>()
        var environment = OperationEnvironment(clock: clock)
        environment.hold = hold
        let group = AOperationQueue(environment: environment).add(
            GroupOperation("held") { group in
                group.add(ClosureOperation("work") { _ in hold.isHeld = true })
                group.addFinally(ClosureOperation("clean up") { _ in order.append("clean up") })
            })
        while group.core.allWaits().isEmpty { await Task.yield() }
        group.cancel()
        #expect(await group.waitUntilFinished().state == .cancelled)
        #expect(order.all == ["clean up"])
    }

    @Test func `never get lost between an addition and the end of the group`() async {
        let queue = queue
        for round in 0..<500 {
            let scopes = Record<GroupScope>()
            let group = queue.add(
                GroupOperation("g\(round)") { scope in
                    scope.add(Giving(1, name: "only"))
                    scopes.append(scope)
                })
            while scopes.all.isEmpty { await Task.yield() }
            let scope = scopes.all[0]
            async let one = scope.add(Giving(2, name: "a")).waitUntilFinished()
            async let other = scope.add(Giving(3, name: "b")).waitUntilFinished()
            let endings = await [one, other, group.waitUntilFinished()]
            #expect(endings[2].state == .succeeded)
            for ending in endings.dropLast() where ending.state != .succeeded {
                #expect(ending.errors.first?.code == .groupClosed)
            }
            let count = scope.count
            #expect(count.open == 0)
            #expect(count.succeeded == 1 + endings.dropLast().count { $0.state == .succeeded })
        }
    }

    @Test func `that an operation produces join its group`() async {
        let queue = queue
        let done = Record<String>()
        let group = queue.add(
            GroupOperation("g") { scope in
                scope.add(
                    ClosureOperation("parent") { context in
                        context.produce(ClosureOperation("child") { _ in done.append("child") })
                    })
            })
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(done.all == ["child"])
        let alone = queue.add(
            ClosureOperation("alone") { context in
                context.produce(ClosureOperation("produced") { _ in done.append("produced") })
            })
        _ = await alone.waitUntilFinished()
        await queue.waitUntilDrained()
        #expect(done.all == ["child", "produced"])
    }
}
