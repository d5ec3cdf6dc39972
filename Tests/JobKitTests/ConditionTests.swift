import Testing
import TestOperations

@testable import JobKit

@Suite struct `Conditions` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private func failing(_ code: String, after delay: Duration = .zero) -> ClosureCondition {
        ClosureCondition(code) { context in
            try? await context.environment.clock.sleep(for: delay)
            return .failed(AOperationError(ErrorCode(code), detail: code))
        }
    }

    @Test func `that hold let the operation run`() async throws {
        let handle = queue.add(Giving(1).condition(ClosureCondition("yes") { _ in .satisfied }))
        #expect(try await handle.value == 1)
    }

    @Test func `that fail are all reported in declared order, and nothing is executed`() async {
        let ran = Record<Int>()
        let handle = queue.add(
            ClosureOperation("x") { _ in ran.append(1) }
                .condition(failing("c.slow", after: .milliseconds(300)))
                .condition(failing("c.fast"))
                .condition(failing("c.middle", after: .milliseconds(150))))
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(300))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code.description) == ["c.slow", "c.fast", "c.middle"])
        #expect(ending.errors.allSatisfy { $0.stage == .condition })
        #expect(ending.errors.map(\.publisher) == ["c.slow", "c.fast", "c.middle"])
        #expect(ran.all.isEmpty)
    }

    @Test func `that are ignored skip the operation, unless another fails`() async {
        let ignored = ClosureCondition("i") { _ in .ignored(AOperationError(.whenFalse, detail: "no")) }
        let queue = queue
        let skipped = queue.add(Giving(1).condition(ignored))
        let failed = queue.add(Giving(1).condition(ignored).condition(failing("c.x")))
        #expect(await skipped.waitUntilFinished().state == .skipped)
        #expect(await failed.waitUntilFinished().state == .failed)
    }

    @Test func `negated turn the answer round, but not when the question could not be asked`() async {
        let queue = queue
        let broken = ClosureCondition("b") { _ in .failed(AOperationError(.conditionBroken, detail: "?")) }
        let ignored = ClosureCondition("i") { _ in .ignored(AOperationError(.whenFalse, detail: "no")) }
        let holds = ClosureCondition("h") { _ in .satisfied }
        let endings = (
            await queue.add(Giving(1).condition(NegatedCondition(holds))).waitUntilFinished(),
            await queue.add(Giving(1).condition(NegatedCondition(failing("c.x")))).waitUntilFinished(),
            await queue.add(Giving(1).condition(NegatedCondition(ignored))).waitUntilFinished(),
            await queue.add(Giving(1).condition(NegatedCondition(broken))).waitUntilFinished()
        )
        #expect(endings.0.errors.first?.code == .conditionHolds)
        #expect(endings.0.errors.first?.publisher == "not(h)")
        #expect(endings.1.state == .succeeded)
        #expect(endings.2.state == .succeeded)
        #expect(endings.3.errors.first?.code == .conditionBroken)
    }

    @Test func `on failed dependencies name each of them`() async {
        let queue = queue
        let good = queue.add(Giving(1, name: "good"))
        let bad = queue.add(Failing(name: "bad"))
        let gone = queue.add(Endless(name: "gone"))
        gone.cancel()
        func target(_ condition: NoFailedDependencies, with failure: Bool) -> OperationHandle<Int> {
            var recipe = Giving(1, name: "t").after(good, on: .finished).after(gone, on: .finished)
            if failure { recipe = recipe.after(bad, on: .finished) }
            return queue.add(recipe.condition(condition))
        }
        let strict = await target(NoFailedDependencies(), with: true).waitUntilFinished()
        let lenient = await target(NoFailedDependencies(ignoresCancelled: true), with: false)
            .waitUntilFinished()
        let mixed = await target(NoFailedDependencies(ignoresCancelled: true), with: true).waitUntilFinished()
        #expect(strict.state == .failed)
        #expect(strict.errors.first?.code == .conditionDependencies)
        #expect(strict.errors.first?.detail.contains("bad failed") == true)
        #expect(strict.errors.first?.detail.contains("gone cancelled") == true)
        #expect(lenient.state == .skipped)
        #expect(mixed.state == .failed)
    }

    @Test func `of mutual exclusion keep two queues from overlapping`() async {
        let environment = OperationEnvironment(clock: clock)
        let queues = [AOperationQueue(environment: environment), AOperationQueue(environment: environment)]
        let gauge = Gauge()
        for index in 0..<20 {
            queues[index % 2].add(
                ClosureOperation { _ in
                    gauge.enter()
                    for _ in 0..<20 { await Task.yield() }
                    gauge.leave()
                }.condition(MutualExclusion("one")))
        }
        for queue in queues { await queue.waitUntilDrained() }
        #expect(gauge.most == 1)
    }

    @Test func `of mutual exclusion release a key when a waiting operation is cancelled`() async throws {
        let queue = queue
        let holder = queue.add(Endless(name: "holder").condition(MutualExclusion("k")))
        await clock.waitForSleepers()
        let waiting = queue.add(Giving(1, name: "waiting").condition(MutualExclusion("k")))
        let last = queue.add(Giving(2, name: "last").condition(MutualExclusion("k")))
        while last.state != .ready { await Task.yield() }
        waiting.cancel()
        #expect(waiting.ending?.state == .cancelled)
        holder.cancel()
        #expect(try await last.value == 2)
    }

    @Test func `of mutual exclusion are inherited by the members of a group`() async {
        let handle = queue.add(
            GroupOperation("g") { group in
                group.add(Giving(1).condition(MutualExclusion("k")))
            }.condition(MutualExclusion("k")))
        #expect(await handle.waitUntilFinished().state == .succeeded)
    }
}
