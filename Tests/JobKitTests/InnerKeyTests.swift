import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Needs `ask` to have run before, and has a key, so that it runs once.
private struct Asked: OperationCondition {
    var key = "access"
    let ask: @Sendable () -> [Prerequisite]
    var exclusionKeys: [String] { [key] }
    func prerequisites(in context: ConditionContext) async -> [Prerequisite] { ask() }
    func evaluate(in context: ConditionContext) async -> ConditionVerdict { .satisfied }
}

@Suite struct `An exclusive key` {
    let environment = OperationEnvironment(clock: ManualClock())
    var queue: AOperationQueue { AOperationQueue(environment: environment) }

    /// Is inside of `gauge` for a while.
    private func busy(_ name: String, _ gauge: Gauge) -> ClosureOperation<Void> {
        ClosureOperation(name) { _ in
            gauge.enter()
            for _ in 0..<20 { await Task.yield() }
            gauge.leave()
        }
    }

    @Test func `of a group excludes those outside, and those members from each other that name it`() async {
        let (queue, gauge) = (queue, Gauge())
        let groups = (0..<3).map { number in
            queue.add(
                GroupOperation("group \(number)") { scope in
                    for member in 0..<4 { scope.add(busy("\(member)", gauge).condition(.exclusive("k"))) }
                }.condition(.exclusive("k")))
        }
        for number in 0..<4 { queue.add(busy("single \(number)", gauge).condition(.exclusive("k"))) }
        for group in groups { #expect(await group.waitUntilFinished().state == .succeeded) }
        await queue.waitUntilDrained()
        #expect(gauge.most == 1)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `that is free goes to a member before one that waits for its group`() async {
        let (queue, latch) = (queue, Latch())
        let group = queue.add(
            GroupOperation("group") { scope in
                let first = scope.add(ClosureOperation("waits") { _ in await latch.wait() })
                scope.add(ClosureOperation("member") { _ in }.after(first).condition(.exclusive("free")))
            }.condition(.exclusive("held")))
        while group.state != .executing { await Task.yield() }
        let other = queue.add(
            ClosureOperation("other") { _ in }.condition(.exclusive("held")).condition(.exclusive("free")))
        while other.state != .ready { await Task.yield() }
        latch.open()
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(await other.waitUntilFinished().state == .succeeded)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `that is free goes to a prerequisite before one that waits for the operation that needs it`()
        async
    {
        let (queue, latch) = (queue, Latch())
        let first = ClosureOperation("first") { _ in await latch.wait() }
        let needing = queue.add(
            ClosureOperation("needing") { _ in }.condition(
                Asked(key: "held") {
                    [
                        Prerequisite(
                            ClosureOperation("ask") { _ in }.after(queue.add(first)).condition(
                                .exclusive("free")))
                    ]
                }))
        while environment.exclusion.holder(of: "held") == nil { await Task.yield() }
        let other = queue.add(
            ClosureOperation("other") { _ in }.condition(.exclusive("held")).condition(.exclusive("free")))
        while other.state != .ready { await Task.yield() }
        latch.open()
        #expect(await needing.waitUntilFinished().state == .succeeded)
        #expect(await other.waitUntilFinished().state == .succeeded)
    }

    @Test func `counts on each level of groups that name it`() async {
        let (queue, members, deep) = (queue, Gauge(), Gauge())
        let group = queue.add(
            GroupOperation("outer") { scope in
                scope.add(busy("beside", members).condition(.exclusive("k")))
                scope.add(
                    GroupOperation("unnamed") { scope in
                        for number in 0..<3 {
                            scope.add(busy("\(number)", members).condition(.exclusive("k")))
                        }
                    })
                scope.add(
                    GroupOperation("named") { scope in
                        for number in 0..<3 { scope.add(busy("\(number)", deep).condition(.exclusive("k"))) }
                    }.condition(.exclusive("k")))
            }.condition(.exclusive("k")))
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(members.most == 1)
        #expect(deep.most == 1)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `is held while an operation inside that names it runs alone`() async throws {
        let outer = queue.add(
            ClosureOperation("outer") { context in
                try await context.run(Giving(1).condition(.exclusive("k")))
            }.condition(.exclusive("k")))
        #expect(try await outer.value == 1)
    }

    @Test func `is its bytes: composed and decomposed are two`() async throws {
        let (queue, latch) = (queue, Latch())
        let holder = queue.add(
            ClosureOperation("holder") { _ in await latch.wait() }.condition(.exclusive("caf\u{e9}")))
        while holder.state != .executing { await Task.yield() }
        let both = queue.add(
            Giving(1, name: "both").condition(.exclusive("caf\u{e9}")).condition(.exclusive("cafe\u{301}")))
        while both.state != .ready { await Task.yield() }
        let other = queue.add(Giving(2, name: "other").condition(.exclusive("e\u{301}")))
        #expect(try await other.value == 2)
        #expect(environment.exclusion.holder(of: "caf\u{e9}") != nil)
        #expect(environment.exclusion.holder(of: "cafe\u{301}") == nil)
        latch.open()
        #expect(try await both.value == 1)
    }

    @Test func `is taken before a condition that names it asks for what comes first`() async {
        let (queue, asking) = (queue, Gauge())
        let asked = Mutex(0)
        let done = Mutex(false)
        let condition = Asked {
            if done.withLock({ $0 }) { return [] }
            return [
                Prerequisite(
                    ClosureOperation("ask") { _ in
                        asking.enter()
                        for _ in 0..<20 { await Task.yield() }
                        asking.leave()
                        asked.withLock { $0 += 1 }
                        done.withLock { $0 = true }
                    })
            ]
        }
        let both = (0..<4).map { queue.add(Giving($0).condition(.all(condition, MutualExclusion("other")))) }
        for operation in both { #expect(await operation.waitUntilFinished().state == .succeeded) }
        #expect(asked.withLock { $0 } == 1)
        #expect(asking.most == 1)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `does not keep a prerequisite waiting that names it, too`() async throws {
        let condition = Asked { [Prerequisite(Giving(1, name: "ask").condition(.exclusive("access")))] }
        #expect(try await queue.add(Giving(2).condition(condition)).value == 2)
        #expect(environment.exclusion.isIdle)
    }

    @Test func `is free again when the conditions under it do not hold`() async {
        let condition = Asked { [Prerequisite(Failing(), requires: .noFailed)] }
        let ending = await queue.add(Giving(2).condition(condition)).waitUntilFinished()
        #expect(ending.errors.map(\.code) == [.conditionPrerequisiteFailed])
        #expect(environment.exclusion.isIdle)
    }

    @Test func `alone is taken when all other conditions hold`() async throws {
        let (queue, latch) = (queue, Latch())
        let slow = ClosureCondition("slow") { _ in
            await latch.wait()
            return true
        }
        let first = queue.add(
            Giving(1).condition(.all(slow, NegatedCondition(NegatedCondition(MutualExclusion("k"))))))
        while first.state != .evaluatingConditions { await Task.yield() }
        #expect(try await queue.add(Giving(2).condition(.exclusive("k"))).value == 2)
        latch.open()
        #expect(try await first.value == 1)
    }
}
