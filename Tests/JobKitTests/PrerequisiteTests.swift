import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Has prerequisites; has no evaluation unless it is given one.
private struct Needing: PrerequisiteCondition {
    var name = "needing"
    let needed: [Prerequisite]
    func prerequisites(in context: ConditionContext) async -> [Prerequisite] { needed }
}

/// Has a prerequisite and its own evaluation.
private struct Looking: OperationCondition {
    let needed: [Prerequisite]
    let asked = Record<[JobState]>()
    func prerequisites(in context: ConditionContext) async -> [Prerequisite] { needed }
    func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        asked.append(context.prerequisites.map(\.ending.state))
        return .satisfied
    }
}

@Suite struct `A condition that needs an operation first` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    /// Waits until each of these waits for its dependencies.
    private func joined(_ cores: OperationCore...) async {
        for core in cores {
            while core.parts.withLock({ $0.life.conditions.needing == 0 && $0.life.ending == nil }) {
                await Task.yield()
            }
        }
    }

    private func noting(_ name: String, in order: Record<String>) -> ClosureOperation<Void> {
        ClosureOperation(name) { _ in order.append(name) }
    }

    @Test func `waits for it, which begins after all dependencies of the operation`() async throws {
        let order = Record<String>()
        let queue = queue
        let gate = Latch()
        let slow = queue.add(
            ClosureOperation("slow") { _ in
                await gate.wait()
                order.append("slow")
            })
        let needed = Needing(needed: [
            Prerequisite(noting("first", in: order)), Prerequisite(finished: slow),
        ])
        let target = queue.add(noting("target", in: order).after(slow).condition(needed))
        gate.open()
        try await target.value
        #expect(order.all == ["slow", "first", "target"])
    }

    @Test func `is cancelled before its prerequisite ends, when all are cancelled`() async {
        let seen = Record<Bool>()
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let blocker = queue.add(Endless(name: "blocker"))
        let needed = Needing(needed: [Prerequisite(Endless(name: "needed"))])
        let target = queue.add(noting("target", in: Record()).condition(needed))
        var found: OperationCore?
        while found == nil {
            await Task.yield()
            found = queue.core.allUnfinished.first { $0.name == "needed" }
        }
        let ended = Latch()
        found?.whenFinished { _ in
            seen.append(target.core.isStopRequested)
            ended.open()
        }
        queue.cancelAll()
        #expect(await blocker.waitUntilFinished().state == .cancelled)
        #expect(await target.waitUntilFinished().errors.map(\.code) == [.cancelledUser])
        await ended.wait()
        #expect(seen.all == [true])
    }

    @Test func `fails with the error of its prerequisite, and nothing is executed`() async {
        let ran = Record<String>()
        let needed = Needing(needed: [Prerequisite(Failing(name: "ask", code: "test.x"))])
        let ending = await queue.add(noting("target", in: ran).condition(needed)).waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.conditionPrerequisiteFailed])
        #expect(ending.errors.first?.stage == .condition)
        #expect(ending.errors.first?.publisher == "needing")
        #expect(ending.errors.first?.causes.map(\.code.description) == ["test.x"])
        #expect(ending.errors.first?.causes.first?.path == ["target", "ask"])
        #expect(ran.all.isEmpty)
    }

    @Test func `omits it when it is silent, in all notations`() async throws {
        let ran = Record<String>()
        let needed = Needing(needed: [Prerequisite(noting("ask", in: ran))])
        let queue = queue
        #expect(try await queue.add(Giving(1).condition(SilentCondition(needed))).value == 1)
        let twice = [
            queue.add(Giving(1).condition(SilentCondition(NegatedCondition(needed)))),
            queue.add(Giving(1).condition(NegatedCondition(SilentCondition(needed)))),
        ]
        for target in twice {
            #expect(await target.waitUntilFinished().errors.first?.code == .conditionHolds)
        }
        #expect(ran.all.isEmpty)
        #expect(try await queue.add(Giving(1).condition(IgnoredCondition(needed))).value == 1)
        #expect(ran.all == ["ask"])
    }

    @Test func `may require it even when it is negated`() async {
        let needed = Needing(needed: [Prerequisite(Failing(), requires: .noFailed)])
        #expect(await queue.add(Giving(1).condition(.not(needed))).waitUntilFinished().state == .succeeded)
        let strict = NegatedCondition(needed, requiringPrerequisites: true)
        let ending = await queue.add(Giving(1).condition(strict)).waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.conditionPrerequisiteFailed])
        let looking = NegatedCondition(
            Looking(needed: [Prerequisite(Giving(2), requires: .noFailed)]), requiringPrerequisites: true)
        let negated = await queue.add(Giving(1).condition(looking)).waitUntilFinished()
        #expect(negated.errors.map(\.code) == [.conditionHolds])
    }

    @Test func `keeps it apart from the operation's dependencies`() async throws {
        let needed = Looking(needed: [Prerequisite(Failing())])
        let target = queue.add(Giving(1).condition(needed).condition(NoFailedDependencies()))
        #expect(try await target.value == 1)
        #expect(needed.asked.all == [[.failed]])
    }

    @Test func `counts as a dependency where all are asked for, also one of a condition beside it`()
        async throws
    {
        let all = NoFailedDependencies(include: .all)
        let both = AllCondition(all, ClosureCondition("yes") { _ in true })
        for condition in [all, both] as [any OperationCondition] {
            let needed = Looking(needed: [Prerequisite(Failing(name: "ask"))])
            let target = queue.add(Giving(1).condition(condition).condition(needed))
            let ending = await target.waitUntilFinished()
            #expect(ending.state == .failed)
            let errors = ending.errors + ending.errors.flatMap(\.causes)
            #expect(errors.contains { $0.code == .conditionDependencies && $0.detail.contains("ask failed") })
            let good = Looking(needed: [Prerequisite(Giving(2))])
            #expect(try await queue.add(Giving(1).condition(condition).condition(good)).value == 1)
        }
        let either = AnyCondition(Looking(needed: [Prerequisite(Failing())]), all)
        #expect(try await queue.add(Giving(1).condition(either)).value == 1)
    }

    @Test func `does not run a dependency twice`() async throws {
        let ran = Record<String>()
        let queue = queue
        let direct = queue.add(noting("direct", in: ran))
        let needed = Needing(needed: [Prerequisite(finished: direct)])
        #expect(try await queue.add(Giving(1).after(direct).condition(needed)).value == 1)
        #expect(ran.all == ["direct"])
    }

    @Test func `is evaluated only when its prerequisite ended as required`() async {
        func words(_ operation: some OperationConvertible<Void>, _ requires: Prerequisite.Requirements)
            async
            -> String
        {
            let condition = Looking(needed: [Prerequisite(operation, requires: requires)])
            let ending = await queue.add(Giving(1).condition(condition)).waitUntilFinished()
            let code = ending.errors.first?.code.description ?? "-"
            return "\(ending.state.rawValue) \(code) asked \(condition.asked.all.count)"
        }
        let past = Timestamp(milliseconds: 1_000)
        let skipped = Giving(()).condition(ClosureCondition("no", otherwise: .skip) { _ in false })
        #expect(await words(Failing(), []) == "succeeded - asked 1")
        #expect(await words(Failing(), .noFailed) == "failed condition.prerequisite_failed asked 0")
        #expect(await words(skipped, .noFailed) == "succeeded - asked 1")
        #expect(await words(skipped, .noCancelled) == "failed condition.prerequisite_cancelled asked 0")
        #expect(
            await words(Giving(()).deadline(past), .noFailed)
                == "failed condition.prerequisite_failed asked 0")
        #expect(
            await words(Giving(()).deadline(past), [.noFailed, .ignoreFailedIfStopped])
                == "succeeded - asked 1")
    }

    @Test func `stops it with its operation, and leaves those of others alone`() async {
        let queue = queue
        let other = queue.add(Endless(name: "other"))
        let stopped = Latch()
        let ask = ClosureOperation("ask") { context in
            try? await context.clock.sleep(for: .seconds(1_000))
            stopped.open()
        }
        let condition = Needing(needed: [Prerequisite(ask), Prerequisite(finished: other)])
        let target = queue.add(Giving(1).condition(condition))
        await clock.waitForSleepers(2)
        target.cancel()
        #expect(target.ending?.state == .cancelled)
        #expect(target.ending?.errors.map(\.code) == [.cancelledUser])
        await stopped.wait()
        #expect(other.ending == nil)
        other.cancel()
        await queue.waitUntilDrained()
    }

    @Test func `shares one with others, which stops only when none needs it any more`() async throws {
        let queue = queue
        let ran = Record<Int>()
        let gate = Latch()
        let shared = SharedPrerequisite(
            ClosureOperation("shared") { _ in
                ran.append(1)
                await gate.wait()
            })
        let condition = Needing(needed: [Prerequisite(shared)])
        let first = queue.add(Giving(1, name: "first").condition(condition))
        let second = queue.add(Giving(2, name: "second").condition(condition))
        await joined(first.core, second.core)
        first.cancel()
        gate.open()
        #expect(try await second.value == 2)
        #expect(ran.all == [1])

        let endless = SharedPrerequisite(Endless(name: "endless"))
        let both = [1, 2].map {
            queue.add(Giving($0).condition(Needing(needed: [Prerequisite(endless)])))
        }
        await joined(both[0].core, both[1].core)
        for target in both { target.cancel() }
        await queue.waitUntilDrained()
        #expect(both.allSatisfy { $0.ending?.state == .cancelled })
    }

    @Test func `gets a new shared one when the last that needs it leaves as it comes`() async throws {
        let queue = queue
        for round in 0..<500 {
            let gate = Latch()
            let shared = SharedPrerequisite(
                ClosureOperation("shared") { _ in
                    while !gate.isOpen {
                        try Task.checkCancellation()
                        await Task.yield()
                    }
                })
            let condition = Needing(needed: [Prerequisite(shared, requires: [.noFailed, .noCancelled])])
            let first = queue.add(Giving(1, name: "first").condition(condition))
            await joined(first.core)
            first.cancel()
            for _ in 0..<round % 100 { await Task.yield() }
            let second = queue.add(Giving(2, name: "second").condition(condition))
            await joined(second.core)
            for _ in 0..<100 { await Task.yield() }
            gate.open()
            #expect(try await second.value == 2)
        }
    }

    @Test func `calls off the losers' operations when one of several is enough`() async throws {
        let queue = queue
        let needed = Needing(needed: [Prerequisite(Endless(name: "loser"))])
        let holds = ClosureCondition("holds") { [clock] _ in
            await clock.waitForSleepers()
            return true
        }
        #expect(try await queue.add(Giving(1).condition(AnyCondition(needed, holds))).value == 1)
        await queue.waitUntilDrained()
    }

    @Test func `runs it in the group of its operation, one at a time when the group does`() async {
        let gauge = Gauge()
        let counted = ClosureOperation("counted") { _ in
            gauge.enter()
            for _ in 0..<20 { await Task.yield() }
            gauge.leave()
        }
        let group = queue.add(
            GroupOperation("g", concurrency: 1) { group in
                for _ in 0..<4 {
                    group.add(counted.condition(Needing(needed: [Prerequisite(counted)])))
                }
            })
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(gauge.most == 1)
    }

    @Test func `waits until its queue is resumed and its group has begun`() async throws {
        let asked = Record<String>()
        let question = ClosureCondition("question") { context in
            asked.append(context.operation)
            return true
        }
        let queue = queue
        queue.isSuspended = true
        let plain = queue.add(Giving(1, name: "plain").condition(question))
        let gate = Latch()
        let before = queue.add(ClosureOperation("before") { _ in await gate.wait() })
        let group = queue.add(
            GroupOperation("g") { $0.add(Giving(2, name: "member").condition(question)) }.after(before))
        for _ in 0..<100 { await Task.yield() }
        #expect(asked.all.isEmpty)
        queue.isSuspended = false
        _ = try await plain.value
        #expect(asked.all == ["plain"])
        gate.open()
        _ = await group.waitUntilFinished()
        #expect(asked.all == ["plain", "member"])
    }

    @Test func `ends promptly when stopped at any moment, five hundred times`() async {
        let queue = queue
        for round in 0..<500 {
            let blocked = Latch()
            let deaf = ClosureCondition("deaf") { _ in
                await blocked.wait()
                return round % 2 == 0
            }
            let target = queue.add(
                Giving(1).condition(deaf).condition(Needing(needed: [Prerequisite(Endless())])))
            for _ in 0..<(round % 7) { await Task.yield() }
            target.cancel()
            #expect(target.ending?.state == .cancelled)
            #expect(target.ending?.errors.map(\.code) == [.cancelledUser])
            blocked.open()
        }
        await queue.waitUntilDrained()
        #expect(clock.sleeperCount == 0)
    }
}
