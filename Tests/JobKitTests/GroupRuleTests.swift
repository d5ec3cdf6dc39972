import Testing
import TestOperations

@testable import JobKit

@Suite struct `The rules of a group` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private func count(_ succeeded: Int, _ failed: Int, open: Int = 0, skipped: Int = 0) -> GroupCount {
        var count = GroupCount()
        count.succeeded = succeeded
        count.failed = failed
        count.open = open
        count.skipped = skipped
        return count
    }

    @Test func `decide when a group succeeds`() {
        #expect(GroupCompletion(.all).isMet(count(3, 0)))
        #expect(!GroupCompletion(.all).isMet(count(3, 1)))
        #expect(GroupCompletion(.any).isMet(count(1, 5)))
        #expect(GroupCompletion(.any).isMet(count(0, 0)))
        #expect(!GroupCompletion(.any).isMet(count(0, 0, skipped: 2)))
        #expect(GroupCompletion(.atLeast(2)).isMet(count(2, 9)))
        #expect(!GroupCompletion(.atLeast(2)).isMet(count(1, 0)))
        #expect(GroupCompletion(.tolerate(count: 2, percent: nil)).isMet(count(0, 2)))
        #expect(!GroupCompletion(.tolerate(count: 2, percent: nil)).isMet(count(9, 3)))
        #expect(GroupCompletion(.tolerate(count: nil, percent: 10)).isMet(count(9, 1)))
        #expect(!GroupCompletion(.tolerate(count: nil, percent: 10)).isMet(count(8, 1)))
        #expect(!GroupCompletion(.tolerate(count: 5, percent: 10)).isMet(count(1, 1)))
    }

    @Test func `decide when enough succeeded and when the group is hopeless`() {
        #expect(GroupCompletion(.atLeast(2)).isReached(count(2, 0, open: 5)))
        #expect(!GroupCompletion(.all).isReached(count(2, 0, open: 1)))
        #expect(GroupCompletion(.atLeast(3)).isHopeless(count(1, 2, open: 1)))
        #expect(!GroupCompletion(.atLeast(3)).isHopeless(count(1, 2, open: 2)))
        #expect(GroupCompletion(.any).isHopeless(count(0, 2)))
        #expect(!GroupCompletion(.any).isHopeless(count(0, 2, open: 1)))
    }

    @Test func `decide when no added member can help`() {
        #expect(GroupCompletion(.all).isLost(count(5, 1)))
        #expect(GroupCompletion(.tolerate(count: 1, percent: nil)).isLost(count(0, 2)))
        #expect(!GroupCompletion(.tolerate(count: 2, percent: nil)).isLost(count(0, 2)))
        #expect(!GroupCompletion(.tolerate(count: nil, percent: 10)).isLost(count(0, 2)))
        #expect(!GroupCompletion(.any).isLost(count(0, 2)))
        #expect(!GroupCompletion(.atLeast(1)).isLost(count(0, 2)))
    }

    @Test func `let the first success stop the others`() async {
        let group = queue.add(
            GroupOperation("g", completion: .firstSuccess) { scope in
                scope.add(Endless(name: "slow"))
                scope.add(Failing(name: "bad"))
                scope.add(Giving(1, name: "good"))
            })
        let ending = await group.waitUntilFinished()
        #expect(ending.state == .succeeded)
        #expect(ending.errors.isEmpty)
    }

    @Test func `stop a group that fails fast only when it cannot succeed any more`() async {
        let names = Record<String>()
        let group = queue.add(
            GroupOperation(
                "g", order: .carriesOn, failsFast: true, completion: .init(.tolerate(count: 1, percent: nil))
            ) { scope in
                scope.add(Failing(name: "one"))
                scope.add(ClosureOperation("two") { _ in names.append("two") })
                scope.add(Failing(name: "three"))
                scope.add(ClosureOperation("four") { _ in names.append("four") })
            })
        let ending = await group.waitUntilFinished()
        #expect(ending.errors.map(\.publisher) == ["one", "three"])
        #expect(names.all == ["two"])
    }

    @Test func `fail a group with too few successes and no own error`() async {
        let group = queue.add(
            GroupOperation("g", completion: .init(.atLeast(2))) { scope in scope.add(Giving(1)) })
        let error = await group.waitUntilFinished().errors.first
        #expect(error?.code == .groupIncomplete)
        #expect(error?.detail.contains("1 of 1") == true)
    }

    @Test func `ignore errors that do not count and change others, which stay among the causes`() async {
        let queue = queue
        let ignoring = queue.add(
            GroupOperation("g", childErrors: [.ignore(.code("test.harmless"))]) { scope in
                scope.add(Failing(name: "bad", code: "test.harmless"))
            })
        #expect(await ignoring.waitUntilFinished().state == .succeeded)
        let mapping = queue.add(
            GroupOperation(
                "g",
                childErrors: [
                    .ignore(.publisher("harmless")),
                    .map(.family("test")) { _ in AOperationError("sync.failed", detail: "mapped") },
                ]
            ) { scope in
                scope.add(Failing(name: "harmless"))
                scope.add(Failing(name: "bad", code: "test.bad"))
            })
        let errors = await mapping.waitUntilFinished().errors
        #expect(errors.map(\.code.description) == ["sync.failed"])
        #expect(errors.first?.causes.map(\.code.description) == ["test.bad"])
        #expect(errors.first?.causes.first?.path == ["g", "bad"])
    }

    @Test func `keep a bounded list of errors and count the rest`() async {
        let group = queue.add(
            GroupOperation("g") { scope in
                for index in 0..<10_000 { scope.add(Failing(name: "m\(index)")) }
            })
        let errors = await group.waitUntilFinished().errors
        #expect(errors.count == 101)
        #expect(errors.last?.code == .groupErrorsOmitted)
        #expect(errors.last?.detail.contains("9900") == true)
        #expect(errors.first?.code.description == "test.failed")
    }

    @Test func `count the errors of final members that are left out, too`() async {
        let group = queue.add(
            GroupOperation("g") { scope in
                for index in 0..<130 { scope.addFinally(Failing(name: "f\(index)")) }
            })
        let errors = await group.waitUntilFinished().errors
        #expect(errors.count == 101)
        #expect(errors.last?.code == .groupErrorsOmitted)
        #expect(errors.last?.detail == "30 further errors of final members are left out.")
    }

    @Test func `do not count a member that was cancelled alone as an error`() async {
        let members = Record<OperationHandle<Void>>()
        let group = queue.add(
            GroupOperation("g") { scope in
                members.append(scope.add(Endless()))
                scope.add(Giving(1))
            })
        await clock.waitForSleepers()
        members.all[0].cancel()
        #expect(await group.waitUntilFinished().state == .succeeded)
    }

    @Test func `stop no member twice and end a cancelled group with its own error only`() async {
        let started = Record<String>()
        let group = queue.add(
            GroupOperation.ordered("g") { scope in
                scope.add(DelayOperation(.after(.seconds(10))))
                scope.add(ClosureOperation("value") { _ in started.append("value") })
            })
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        group.cancel()
        let ending = await group.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.errors.map(\.code) == [.cancelledUser])
        #expect(started.all.isEmpty)
    }
}
