import Testing
import TestOperations

@testable import JobKit

@Suite struct `An operation inside of another` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `is created from the input, and determines the wrapper's outcome`() async throws {
        let queue = queue
        let wrapper = WrapperOperation<Int, String>("wrapper") { input, _ in
            switch input {
            case 0: nil
            case 1: Giving("one", name: "inner").recipe
            default:
                ClosureOperation("inner") { _ in throw AOperationError("test.failed", detail: "\(input)") }
                    .recipe
            }
        }
        #expect(try await queue.add(wrapper.receiving(queue.add(Giving(1)))).value == "one")
        let empty = await queue.add(wrapper.receiving(value: 0)).waitUntilFinished()
        #expect(empty.state == .skipped)
        #expect(empty.errors.count == 1)
        let failed = await queue.add(wrapper.receiving(value: 2)).waitUntilFinished()
        #expect(failed.state == .failed)
        #expect(failed.errors.map(\.publisher) == ["inner"])
        #expect(failed.errors.map(\.path) == [["wrapper", "inner"]])
    }

    @Test func `is stopped with the wrapper, which waits for it`() async {
        let inner = Record<JobState>()
        let observer = ClosureObserver { _, event in
            if case .finished(let ending) = event.kind { inner.append(ending.state) }
        }
        let handle = queue.add(
            WrapperOperation<Void, Void>("wrapper") { _, _ in Endless(name: "inner").observer(observer) })
        await clock.waitForSleepers()
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
        #expect(inner.all == [.cancelled])
    }

    @Test func `that does not stop is abandoned, and then the wrapper ends`() async {
        let latch = Latch()
        let started = Latch()
        let handle = queue.add(
            WrapperOperation<Void, Void>("wrapper") { _, _ in
                ClosureOperation("stubborn") { _ in
                    started.open()
                    await latch.wait()
                }.grace(.seconds(3))
            }.grace(.seconds(1)))
        await started.wait()
        handle.cancel()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        for _ in 0..<100 { await Task.yield() }
        #expect(handle.ending == nil)
        clock.advance(by: .seconds(2))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(!ending.abandoned)
        latch.open()
    }

    @Test func `makes the one around end as cancelled or skipped when it does`() async {
        let queue = queue
        let cancelled = queue.add(
            ClosureOperation("outer") { context in
                let outcome = try await context.outcome(
                    of: Giving(1, name: "inner").onStart { $0.cancel() })
                return try outcome.passedOn()
            })
        #expect(await cancelled.waitUntilFinished().state == .cancelled)
        let gated = queue.add(ComposedOperation(Giving(1).gated { false }))
        let ending = await gated.waitUntilFinished()
        #expect(ending.state == .skipped)
        #expect(ending.errors.first?.code == .whenFalse)
    }

    @Test func `may have conditions and observers around its own`() async throws {
        let queue = queue
        let asked = Record<String>()
        let inner = Giving(5, name: "inner").condition(
            ClosureCondition("inside") { _ in
                asked.append("inside")
                return .satisfied
            })
        let outer = ComposedOperation(inner).condition(
            ClosureCondition("outside") { _ in
                asked.append("outside")
                return .satisfied
            })
        #expect(try await queue.add(outer).value == 5)
        #expect(asked.all == ["outside", "inside"])
    }

    @Test func `behind a closed gate is skipped, and so are its dependants`() async {
        let queue = queue
        queue.isSuspended = true
        let ran = Record<String>()
        let gated = queue.add(
            GatedOperation(ClosureOperation("inner") { _ in ran.append("inner") }) { false })
        let dependant = queue.add(Giving(1, name: "dependant").after(gated))
        queue.isSuspended = false
        #expect(await gated.waitUntilFinished().state == .skipped)
        #expect(await dependant.waitUntilFinished().state == .skipped)
        #expect(ran.all.isEmpty)
        let open = queue.add(GatedOperation(Giving(1)) { true }.recipe.gated { true })
        #expect(await open.waitUntilFinished().state == .succeeded)
        let broken = queue.add(Giving(1).gated { throw AOperationError("test.gate", detail: "?") })
        #expect(await broken.waitUntilFinished().errors.first?.code.description == "test.gate")
    }

    @Test func `runs after a failed predecessor, and not after a cancelled one`() async throws {
        let queue = queue
        let failed = queue.add(Failing(name: "failed"))
        let seen = queue.add(failed.followUp { outcome, _ in outcome.errors.map(\.code.description) })
        #expect(try await seen.value == ["test.failed"])
        let endless = queue.add(Endless())
        let after = queue.add(endless.followUp { _, _ in 1 })
        endless.cancel()
        #expect(await after.waitUntilFinished().state == .skipped)
    }
}

@Suite struct `A repeated operation` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `runs as often as asked and gives the latest result`() async throws {
        let handle = queue.add(RepeatOperation("r", times: 3) { run, _ in Giving(run * 10).recipe })
        #expect(try await handle.value == 30)
    }

    @Test func `stops when its condition holds, and fails when it never does`() async throws {
        let queue = queue
        let poll = RepeatOperation("poll", times: 5) { run, _ in Giving(run).recipe }
        #expect(try await queue.add(poll.until { _, outcome in outcome.value == 2 }).value == 2)
        let never = await queue.add(poll.until { _, _ in false }).waitUntilFinished()
        #expect(never.errors.map(\.code) == [.repeatExhausted])
    }

    @Test func `carries on after a failure unless it is to stop, and ends as its latest run`() async throws {
        let queue = queue
        let runs = Record<Int>()
        let make: @Sendable (Int, OperationOutcome<Int>?) -> OperationRecipe<Int>? = { run, _ in
            ClosureOperation("run") { _ in
                runs.append(run)
                if run == 2 { throw AOperationError("test.second", detail: "") }
                return run
            }.recipe
        }
        #expect(try await queue.add(RepeatOperation("r", times: 3, make: make)).value == 3)
        #expect(runs.all == [1, 2, 3])
        let stopped = await queue.add(RepeatOperation("r", times: 3, stopsAtFailure: true, make: make))
            .waitUntilFinished()
        #expect(stopped.errors.map(\.code.description) == ["test.second"])
        #expect(runs.all == [1, 2, 3, 1, 2])
        let last = await queue.add(RepeatOperation("r", times: 2, make: make)).waitUntilFinished()
        #expect(last.state == .failed)
        let none = await queue.add(RepeatOperation<Int>("r") { _, _ in nil }).waitUntilFinished()
        #expect(none.state == .skipped)
    }

    @Test func `waits between runs and is stopped there at once`() async {
        let runs = Record<Int>()
        let handle = queue.add(
            RepeatOperation("r", backoff: .schedule([.seconds(1), .seconds(60)])) { run, _ in
                runs.append(run)
                return Giving(run).recipe
            })
        await clock.waitForSleepers()
        #expect(clock.nextWake == clock.now.advanced(by: .seconds(1)))
        clock.advance(by: .seconds(1))
        while runs.all.count < 3 { await Task.yield() }
        await clock.waitForSleepers()
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
    }
}

@Suite struct `A retried operation made anew` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private func flaky(_ failures: Int) -> RetryOperation<Int> {
        RetryOperation("retry", attempts: 3) { run, _ in
            ClosureOperation("run \(run)") { _ in
                if run <= failures { throw AOperationError(ErrorCode("test.run\(run)"), detail: "no") }
                return run
            }.recipe
        }
    }

    @Test func `succeeds with the first run that does, and fails with the errors of the last`() async throws {
        let queue = queue
        #expect(try await queue.add(flaky(2)).value == 3)
        let errors = await queue.add(flaky(9)).waitUntilFinished().errors
        #expect(errors.map(\.code.description) == ["test.run3"])
        #expect(errors.first?.retryStoppedBy == "attempts")
        #expect(errors.first?.path == ["retry", "run 3"])
    }

    @Test func `has something done before the next run, and gives up when that fails`() async throws {
        let queue = queue
        let helped = Record<Int>()
        let good = flaky(1).before { failed in
            ClosureOperation("helper") { _ in helped.append(failed.runs) }.recipe
        }
        #expect(try await queue.add(good).value == 2)
        #expect(helped.all == [1])
        let bad = await queue.add(flaky(1).before { _ in Failing(name: "helper").recipe }).waitUntilFinished()
        #expect(bad.errors.map(\.code.description) == ["test.run1"])
        #expect(bad.errors.first?.causes.map(\.publisher) == ["helper"])
        #expect(bad.errors.first?.retryStoppedBy == "policy")
    }

    @Test func `does not repeat failed conditions by default, nor cancelled runs`() async throws {
        let queue = queue
        let asked = Record<Int>()
        let make: @Sendable (Int, [AOperationError]) -> OperationRecipe<Int>? = { run, _ in
            Giving(run).condition(
                ClosureCondition("late") { _ in
                    asked.append(run)
                    return run < 2
                        ? .failed(AOperationError(.conditionUnsatisfied, detail: "no")) : .satisfied
                })
        }
        let once = await queue.add(RetryOperation("r", attempts: 3, make: make)).waitUntilFinished()
        #expect(once.errors.first?.stage == .condition)
        #expect(asked.all == [1])
        #expect(
            try await queue.add(RetryOperation("r", attempts: 3, retriesConditions: true, make: make)).value
                == 2)
        let cancelled = queue.add(
            RetryOperation<Int>("r", attempts: 3) { run, _ in
                asked.append(run * 100)
                return Giving(1).onStart { $0.cancel() }
            })
        #expect(await cancelled.waitUntilFinished().state == .cancelled)
        #expect(asked.all.filter { $0 >= 100 } == [100])
    }

    @Test func `waits for its interval and is decided by the caller`() async throws {
        let handle = queue.add(
            flaky(9).deciding { failed in failed.runs < 2 ? .retry(after: .seconds(4)) : .stop("enough") })
        await clock.waitForSleepers()
        #expect(clock.nextWake == clock.now.advanced(by: .seconds(4)))
        clock.advance(by: .seconds(4))
        let errors = await handle.waitUntilFinished().errors
        #expect(errors.first?.code.description == "test.run2")
        #expect(errors.first?.retryStoppedBy == "enough")
    }
}
