import Synchronization
import Testing
import TestOperations

@testable import JobKit

@Suite struct `Work that ends by a callback` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `counts the first word, at once or from another thread`() async throws {
        let queue = queue
        let words = Record<Bool>()
        let atOnce = queue.add(
            ContinuationOperation<Int>("now") { _, completion in
                words.append(completion.finish(returning: 1))
                words.append(completion.finish(returning: 2))
                words.append(completion.finish(throwing: CancellationError()))
            })
        #expect(try await atOnce.value == 1)
        #expect(words.all == [true, false, false])
        let later = queue.add(
            ContinuationOperation<Int>("later") { _, completion in
                Task { completion.finish(returning: 3) }
            })
        #expect(try await later.value == 3)
    }

    @Test func `ends once, however many speak at the same time`() async throws {
        let queue = queue
        for round in 0..<500 {
            let words = Record<Bool>()
            let handle = queue.add(
                ContinuationOperation<Int>("race") { _, completion in
                    for speaker in 0..<4 { Task { words.append(completion.finish(returning: speaker)) } }
                })
            let value = try await handle.value
            #expect((0..<4).contains(value), "round \(round)")
            while words.all.count < 4 { await Task.yield() }
            #expect(words.all.count { $0 } == 1)
        }
    }

    @Test func `fails when it was dropped`() async {
        let handle = queue.add(ContinuationOperation<Int>("forgotten") { _, _ in })
        #expect(await handle.waitUntilFinished().errors.first?.code == .unexpected)
    }

    @Test func `that never ends is abandoned after its grace period`() async {
        let kept = Record<OperationCompletion<Int>>()
        let handle = queue.add(
            ContinuationOperation<Int>("endless") { _, completion in kept.append(completion) }.grace(
                .seconds(1)))
        while kept.all.isEmpty { await Task.yield() }
        handle.cancel()
        await clock.waitForSleepers()
        #expect(handle.ending == nil)
        #expect(kept.all[0].isCancelled)
        clock.advance(by: .seconds(1))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.abandoned)
        kept.all[0].finish(returning: 7)
        #expect(handle.ending?.state == .cancelled)
    }

    @Test func `is told to stop, and may end before its grace period`() async {
        let started = Latch()
        let handle = queue.add(
            ContinuationOperation<Int>("polite") { _, completion in
                completion.onCancel { completion.finish(throwing: CancellationError()) }
                started.open()
            })
        await started.wait()
        handle.cancel()
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(!ending.abandoned)
    }

    @Test func `ends exactly once when it is stopped while it ends`() async {
        let queue = queue
        for _ in 0..<500 {
            let finals = Record<JobState>()
            let completions = Record<OperationCompletion<Int>>()
            let observer = ClosureObserver { _, event in
                if case .finished(let ending) = event.kind { finals.append(ending.state) }
            }
            let handle = queue.add(
                ContinuationOperation<Int>("race") { _, completion in
                    completion.onCancel { completion.finish(throwing: CancellationError()) }
                    completions.append(completion)
                }.observer(observer))
            while completions.all.isEmpty { await Task.yield() }
            async let stop: Void = handle.cancel()
            async let end = completions.all[0].finish(returning: 1)
            _ = await (stop, end)
            let ending = await handle.waitUntilFinished()
            #expect(ending.state == .succeeded || ending.state == .cancelled)
            while finals.all.isEmpty { await Task.yield() }
            #expect(finals.all == [ending.state])
        }
    }
}

@Suite struct `Steps that share a value` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `run one after the other and produce the value`() async throws {
        let steps = StepsOperation("s", sharing: [String]())
            .step("one") { step in
                Task {
                    step.update { $0.append("one") }
                    step.finish()
                    step.finish(throwing: CancellationError())
                }
            }
            .step("two") { step in
                step.update { $0.append("two after \($0.count)") }
                step.finish()
            }
        #expect(try await queue.add(steps).value == ["one", "two after 1"])
        #expect(try await queue.add(StepsOperation("none", sharing: 5)).value == 5)
    }

    @Test func `are left out after a failure, except those that always run`() async {
        let seen = Record<String>()
        let steps = StepsOperation("s", sharing: 0)
            .step("bad") { $0.finish(throwing: AOperationError("test.bad", detail: "bad")) }
            .step("next") { step in
                seen.append("next")
                step.finish()
            }
            .step("tidy up", runs: .always) { step in
                seen.append("tidy up")
                step.finish()
            }
        let ending = await queue.add(steps).waitUntilFinished()
        #expect(ending.errors.map(\.code.description) == ["test.bad"])
        #expect(seen.all == ["tidy up"])
    }

    @Test func `are left out when the operation is stopped, except those that always run`() async {
        let seen = Record<String>()
        let started = Latch()
        let steps = StepsOperation("s", sharing: 0)
            .step("slow") { step in
                step.onCancel { step.finish() }
                started.open()
            }
            .step("next") { step in
                seen.append("next")
                step.finish()
            }
            .step("tidy up", runs: .always) { step in
                seen.append("tidy up \(step.isCancelled)")
                step.finish()
            }
        let handle = queue.add(steps)
        await started.wait()
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
        #expect(seen.all == ["tidy up true"])
    }

    @Test func `may cancel the operation themselves`() async {
        let seen = Record<String>()
        let steps = StepsOperation("s", sharing: 0)
            .step("enough") { $0.cancelOperation() }
            .step("next") { step in
                seen.append("next")
                step.finish()
            }
        #expect(await queue.add(steps).waitUntilFinished().state == .cancelled)
        #expect(seen.all.isEmpty)
    }

    @Test func `do not begin when the operation was stopped before`() async {
        let seen = Record<String>()
        let queue = queue
        queue.isSuspended = true
        let handle = queue.add(StepsOperation("s", sharing: 0).step("one") { _ in seen.append("one") })
        handle.cancel()
        #expect(handle.ending?.state == .cancelled)
        queue.isSuspended = false
        await queue.waitUntilDrained()
        #expect(seen.all.isEmpty)
    }
}
