import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Records the kinds of events, with the name of the operation.
private struct Scribe: OperationObserver {
    let seen: Record<String>
    func operation(_ operation: OperationInfo, did event: OperationEvent) {
        let kind = "\(event.kind)".prefix { $0 != "(" }
        seen.append("\(operation.name) \(event.sequence) \(kind)")
    }
}

@Suite struct `An observer` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `is one of many: closures for single events join, and none replaces another`() async throws {
        let seen = Record<String>()
        let handle = queue.add(
            ClosureOperation("x") { context in
                context.report(OperationProgress(completed: 1, total: 4))
                if context.attempt == 1 { throw AOperationError(.unexpected, detail: "again") }
            }
            .retry(attempts: 2)
            .onSubmit { _ in seen.append("submit") }
            .onStart { seen.append("start \($0.name)") }.onStart { _ in seen.append("start too") }
            .onProgress { seen.append("progress \($1.fraction ?? 0)") }
            .onAttemptFailed { _, number, _ in seen.append("failed \(number)") }
            .onFinish { seen.append("finish \($1.state.rawValue)") }.onFinish { _, _ in seen.append("end") })
        try await handle.value
        await handle.toldForTest()
        #expect(
            seen.all == [
                "submit", "start x", "start too", "progress 0.25", "failed 1", "progress 0.25",
                "finish succeeded", "end",
            ])
    }

    @Test func `is told how many members of a group or a batch are over`() async throws {
        let queue = queue
        let told = Record<String>()
        let group = queue.add(
            GroupOperation("group", concurrency: 1) { group in
                for number in 0..<3 { group.add(Giving(number)) }
            }.onProgress { told.append("\($1.completed) of \($1.total ?? 0)") })
        try await group.value
        await group.toldForTest()
        let batch = BatchOperation<Int, Int>("batch", concurrency: 1) { value, _ in Giving(value).recipe }
        let values = batch.receiving(value: [1, 2]).onProgress {
            told.append("\($1.completed) of \($1.total ?? 0)")
        }
        let all = queue.add(values)
        _ = try await all.value
        await all.toldForTest()
        #expect(told.all == ["1 of 3", "2 of 3", "3 of 3", "1 of 2", "2 of 2"])
    }

    @Test func `is told about waits of the operation and its input`() async throws {
        let queue = queue
        let seen = Record<String>()
        let gate = Latch()
        let first = queue.add(ClosureOperation("first") { _ in await gate.wait() })
        let second = queue.add(
            Giving(1, name: "second").after(first).condition(ClosureCondition("yes") { _ in true })
                .onWait { _, obstacle in seen.append("\(obstacle)") }
                .onInput { _ in seen.append("input") })
        gate.open()
        _ = try await second.value
        await second.toldForTest()
        #expect(seen.all == [#"dependencies(["first"])"#, "input", #"conditions(["yes"])"#])
    }

    @Test func `is told about a stop, and then the end, with rising numbers`() async {
        let seen = Record<String>()
        let queue = queue
        let running = queue.add(Endless(name: "running").observer(Scribe(seen: seen)))
        await clock.waitForSleepers()
        running.cancel()
        _ = await running.waitUntilFinished()
        await running.toldForTest()
        #expect(
            seen.all == [
                "running 1 submitted", "running 2 willExecute", "running 3 started",
                "running 4 attemptStarted", "running 5 cancelRequested", "running 6 willFinish",
                "running 7 finished",
            ])
    }

    @Test func `is never told about a start that did not happen`() async {
        let seen = Record<String>()
        let handle = queue.add(
            Giving(1, name: "x").condition(ClosureCondition("no") { _ in false })
                .observer(Scribe(seen: seen)))
        _ = await handle.waitUntilFinished()
        await handle.toldForTest()
        #expect(seen.all == ["x 1 submitted", "x 2 waiting", "x 3 willFinish", "x 4 finished"])
    }

    @Test func `attached late gets the end immediately, and reads the outcome after the end`() async throws {
        let handle = queue.add(Giving(7, name: "x"))
        _ = try await handle.value
        let seen = Record<String>()
        handle.observe(ClosureObserver { info, _ in seen.append("\(info.name) \(info.state.rawValue)") })
        #expect(seen.all == ["x finished"])
        let early = queue.add(Giving(8, name: "y"))
        early.observe(
            ClosureObserver { info, event in
                guard case .finished(let ending) = event.kind else { return }
                seen.append("\(info.state.rawValue) \(ending.state.rawValue)")
            })
        _ = await early.waitUntilFinished()
        await early.toldForTest()
        #expect(seen.all.last == "finished succeeded")
    }

    @Test func `may stop the operation, and is told the rest in order`() async {
        let seen = Record<String>()
        let handle = queue.add(
            Endless(name: "x").onStart { $0.cancel(reason: "not today") }.observer(Scribe(seen: seen)))
        let ending = await handle.waitUntilFinished()
        await handle.toldForTest()
        #expect(ending.errors.first?.detail.contains("not today") == true)
        #expect(
            seen.all.suffix(3).map { $0.split(separator: " ")[2] } == [
                "cancelRequested", "willFinish", "finished",
            ])
    }

    @Test func `is told about every operation that its operation creates`() async {
        let produced = Record<String>()
        let queue = queue
        let group = queue.add(
            GroupOperation("g") { group in
                group.add(Giving(1, name: "a"))
                group.add(
                    ClosureOperation("b") { context in _ = context.produce(Giving(2, name: "c")) }
                        .onProduce { produced.append("\($0.name) made \($1.name)") })
            }.onProduce { produced.append("\($0.name) made \($1.name)") })
        #expect(await group.waitUntilFinished().state == .succeeded)
        await group.toldForTest()
        #expect(Set(produced.all).isSuperset(of: ["g made a", "g made b", "b made c"]))
    }

    @Test func `is told nothing after the end by abandoned work`() async {
        let seen = Record<String>()
        let gate = Latch()
        let reported = Latch()
        let started = Latch()
        let handle = queue.add(
            ClosureOperation("x") { context in
                started.open()
                await gate.wait()
                context.report(OperationProgress(completed: 1))
                reported.open()
            }.grace(.seconds(1)).observer(Scribe(seen: seen)))
        await started.wait()
        handle.cancel()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(await handle.waitUntilFinished().abandoned)
        gate.open()
        await reported.wait()
        #expect(seen.all.last == "x 7 finished")
    }

    @Test func `as a delegate is told first, and is referenced weakly`() async throws {
        final class Owner: OperationDelegate {
            let seen: Record<String>
            init(_ seen: Record<String>) { self.seen = seen }
            func operation(_ operation: OperationInfo, did event: OperationEvent) {
                if case .started = event.kind { seen.append("owner") }
            }
        }
        let seen = Record<String>()
        var owner: Owner? = Owner(seen)
        let recipe = Giving(1).onStart { _ in seen.append("observer") }.delegate(owner!)
        let first = queue.add(recipe)
        _ = try await first.value
        await first.toldForTest()
        #expect(seen.all == ["owner", "observer"])
        weak let gone = owner
        owner = nil
        #expect(gone == nil)
        let second = queue.add(recipe)
        _ = try await second.value
        await second.toldForTest()
        #expect(seen.all == ["owner", "observer", "observer"])
    }

    @Test func `is told about one end, whatever its cause, five hundred times`() async {
        let queue = queue
        for round in 0..<500 {
            let ends = Record<Int>()
            let handle = queue.add(
                ClosureOperation("x") { _ in for _ in 0..<(round % 5) { await Task.yield() } }
                    .onFinish { ends.append($1.errors.count) })
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<(round % 4) { await Task.yield() }
                        handle.cancel()
                    }
                }
            }
            let ending = await handle.waitUntilFinished()
            while ends.all.isEmpty { await Task.yield() }
            #expect(ends.all.count == 1)
            #expect(ending.state == .succeeded ? ending.errors.isEmpty : ending.errors.count == 1)
        }
        await queue.waitUntilDrained()
    }
}

@Suite struct `A hook` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `before the execution is waited for, and may prevent it`() async throws {
        let order = Record<String>()
        let queue = queue
        let kept = queue.add(
            ClosureOperation("x") { _ in order.append("work") }
                .willExecute { _ in
                    await Task.yield()
                    order.append("hook")
                    return .proceed
                })
        try await kept.value
        #expect(order.all == ["hook", "work"])
        let started = Record<Int>()
        let stopped = queue.add(
            Giving(1).willExecute { _ in .cancel(reason: "closed") }.onStart { _ in started.append(1) })
        let ending = await stopped.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.errors.first?.detail.contains("closed") == true)
        #expect(started.all.isEmpty)
    }

    @Test func `before the end delays it and cannot change the outcome`() async {
        let gate = Latch()
        let reached = Latch()
        let handle = queue.add(
            Giving(1, name: "x").willFinish { info, ending in
                #expect(ending.state == .succeeded)
                info.cancel(reason: "too late")
                reached.open()
                await gate.wait()
            })
        await reached.wait()
        #expect(handle.state == .finishing)
        #expect(handle.ending == nil)
        gate.open()
        #expect(await handle.waitUntilFinished().state == .succeeded)
        #expect(handle.hookErrors.isEmpty)
    }

    @Test func `that throws or never answers is recorded, and holds nothing up`() async throws {
        struct Bad: Error {}
        let failures = Record<String>()
        let handle = queue.add(
            Giving(1, name: "x")
                .willExecute { _ in throw Bad() }
                .willFinish(limit: .seconds(3)) { _, _ in
                    try await Task.sleep(for: .seconds(1_000_000))
                }
                .observer(
                    ClosureObserver { _, event in
                        if case .hookFailed(let error) = event.kind {
                            failures.append(error.code.description)
                        }
                    }))
        while handle.state != .finishing || clock.nextWake?.since(clock.now) != .seconds(3) {
            await Task.yield()
        }
        clock.advance(by: .seconds(3))
        #expect(try await handle.value == 1)
        #expect(handle.hookErrors.map(\.code) == [.hookFailed, .hookTimeout])
        #expect(handle.hookErrors.first?.publisher == "x")
        await handle.toldForTest()
        #expect(failures.all == ["hook.failed", "hook.timeout"])
    }

    @Test func `before the end is also called for an operation stopped before its execution`() async {
        let queue = queue
        let called = Record<JobState>()
        let blocker = queue.add(Endless(name: "blocker"))
        let waiting = queue.add(Giving(1).after(blocker).willFinish { called.append($1.state) })
        let running = queue.add(Endless(name: "running").willFinish { called.append($1.state) })
        await clock.waitForSleepers(2)
        waiting.cancel()
        running.cancel()
        #expect(await waiting.waitUntilFinished().state == .cancelled)
        #expect(await running.waitUntilFinished().state == .cancelled)
        #expect(called.all == [.cancelled, .cancelled])
        blocker.cancel()
        await queue.waitUntilDrained()
    }

    @Test func `is not waited for any more when the operation is stopped`() async {
        let reached = Latch()
        let never = Latch()
        let handle = queue.add(
            Giving(1).willExecute { _ in
                reached.open()
                await never.wait()
                return .proceed
            })
        await reached.wait()
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
        never.open()
    }
}
