import StrictJSON
import Testing
import TestOperations

@testable import JobKit

@Suite struct `A timeout observer` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `counts from the execution, and the earliest of several wins and is named`() async {
        let queue = queue
        let blocker = queue.add(Endless(name: "blocker"))
        await clock.waitForSleepers()
        let handle = queue.add(
            Endless(name: "x").after(blocker, on: .finished)
                .observer(TimeoutObserver(.interval(.seconds(9)), name: "long"))
                .observer(TimeoutObserver(.interval(.seconds(2)), name: "short")))
        clock.advance(by: .seconds(100))
        #expect(handle.ending == nil)
        blocker.cancel()
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(2))
        let error = await handle.waitUntilFinished().errors.first
        #expect(error?.code == .timeoutTotal)
        #expect(error?.detail == "x was stopped by its short of 2.0 seconds.")
        #expect(error?.publishedError?.info["timeout"]?.string == "short")
    }

    @Test func `with a date covers the waiting, and a past one lets nothing be executed`() async {
        let queue = queue
        let blocker = queue.add(Endless(name: "blocker"))
        await clock.waitForSleepers()
        let waiting = queue.add(
            Giving(1).after(blocker)
                .observer(TimeoutObserver(.date(clock.now.advanced(by: .seconds(5))), name: "closing time")))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        #expect(await waiting.waitUntilFinished().errors.map(\.code) == [.timeoutFinishBy])
        #expect(blocker.ending == nil)
        blocker.cancel()

        let ran = Record<Int>()
        let past = queue.add(
            ClosureOperation { _ in ran.append(1) }
                .observer(TimeoutObserver(.date(Timestamp(milliseconds: 1_000)))))
        #expect(past.ending?.state == .failed)
        #expect(past.ending?.errors.map(\.code) == [.timeoutFinishBy])
        await queue.waitUntilDrained()
        #expect(ran.all.isEmpty)
    }

    @Test func `stops the members of a group`() async {
        let members = Record<OperationHandle<Void>>()
        let group = queue.add(
            GroupOperation("g") { group in
                for name in ["a", "b"] { members.append(group.add(Endless(name: name))) }
            }.observer(TimeoutObserver(.interval(.seconds(3)))))
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(3))
        let ending = await group.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.timeoutTotal])
        #expect(members.all.map { $0.ending?.errors.first?.code } == [.cancelledParent, .cancelledParent])
    }

    @Test func `does nothing after the end, and counts from the start when attached late`() async throws {
        let queue = queue
        let quick = queue.add(Giving(1).observer(TimeoutObserver(.interval(.seconds(1)))))
        #expect(try await quick.value == 1)
        await queue.waitUntilDrained()
        #expect(clock.sleeperCount == 0)
        let slow = queue.add(Endless())
        await clock.waitForSleepers()
        clock.advance(by: .seconds(4))
        slow.observe(TimeoutObserver(.interval(.seconds(3)), name: "late"))
        #expect(await slow.waitUntilFinished().errors.map(\.code) == [.timeoutTotal])
    }
}

@Suite struct `Watching operations` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private final class Paper: OperationLog {
        let lines = Record<OperationLogLine>()
        func write(_ line: OperationLogLine) { lines.append(line) }
        var texts: [String] {
            lines.all.map { "\($0.severity) \($0.path.joined(separator: "/")) \($0.text)" }
        }
    }

    @Test func `with a log writes down whole trees, by severity`() async {
        let paper = Paper()
        let queue = queue
        let group = queue.add(
            GroupOperation("g") { group in
                group.add(GroupOperation("inner") { $0.add(Giving(1, name: "leaf")) })
            }.observer(LoggingObserver(to: paper)))
        _ = await group.waitUntilFinished()
        await group.toldForTest()
        #expect(
            paper.texts == [
                "info g started", "info g produced inner", "info inner started", "info inner produced leaf",
                "info inner/leaf started", "info inner/leaf succeeded", "info inner succeeded",
                "info g succeeded",
            ])
        let strict = Paper()
        let bad = queue.add(
            Failing(name: "bad").retry(attempts: 2)
                .observer(LoggingObserver(to: strict, severity: .warning)))
        _ = await bad.waitUntilFinished()
        await bad.toldForTest()
        #expect(
            strict.texts == [
                "warning bad attempt 1 failed, next in 0.0 seconds: test.failed as asked",
                "warning bad failed: test.failed as asked",
            ])
        #expect(strict.lines.all.map(\.sequence) == [5, 8])
    }

    @Test func `with a gauge counts what is in flight, and stays active for its hold time`() async {
        let gauge = NetworkGauge(hold: .seconds(1))
        let queue = queue
        #expect(!gauge.isActive(at: clock.now))
        let calls = ["a", "b"].map { queue.add(Endless(name: $0).observer(gauge)) }
        await clock.waitForSleepers(2)
        #expect(gauge.count == 2)
        for call in calls { call.cancel() }
        await queue.waitUntilDrained()
        #expect(gauge.count == 0)
        #expect(gauge.isActive(at: clock.now))
        #expect(!gauge.isActive(at: clock.now.advanced(by: .seconds(1))))
    }

    @Test func `with a drain guard waits for protected operations, up to a limit`() async {
        let guardian = DrainGuard()
        let queue = queue
        #expect(await guardian.waitUntilDrained(within: .seconds(5), by: clock))
        let payment = queue.add(Endless(name: "payment").observer(guardian))
        queue.add(Endless(name: "other"))
        await clock.waitForSleepers(2)
        #expect(guardian.protected == [["payment"]])
        async let early = guardian.waitUntilDrained(within: .seconds(5), by: clock)
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(5))
        #expect(await early == false)
        async let late = guardian.waitUntilDrained(within: .seconds(5), by: clock)
        await clock.waitForSleepers(3)
        payment.cancel()
        #expect(await late)
        #expect(guardian.protected.isEmpty)
        queue.cancelAll()
        await queue.waitUntilDrained()
    }

    @Test func `with a profiler takes down when everything happened, with children`() async throws {
        let profiler = Profiler()
        let queue = queue
        let begin = clock.now
        let blocker = queue.add(Endless(name: "blocker"))
        await clock.waitForSleepers()
        let group = queue.add(
            GroupOperation("g") { group in
                let slow = group.add(DelayOperation(.after(.seconds(2)), name: "slow"))
                group.add(Endless(name: "endless").after(slow))
            }.after(blocker, on: .finished).observer(profiler))
        clock.advance(by: .seconds(3))
        blocker.cancel()
        await clock.waitForSleepers()
        while clock.nextWake?.since(clock.now) != .seconds(2) { await Task.yield() }
        clock.advance(by: .seconds(2))
        // The first may begin before the second is there.
        while profiler.profiles[0].children.compactMap(\.startedAt).count < 2 { await Task.yield() }
        clock.advance(by: .seconds(1))
        group.cancel()
        _ = await group.waitUntilFinished()
        await group.toldForTest()
        let profile = try #require(profiler.profiles.first)
        #expect(profiler.profiles.count == 1)
        #expect(profile.submittedAt == begin)
        #expect(profile.waited == .seconds(3))
        #expect(profile.took == .seconds(3))
        #expect(profile.cancelRequestedAt == begin.advanced(by: .seconds(6)))
        #expect(profile.state == .cancelled)
        #expect(profile.attemptsAt.count == 1)
        #expect(profile.children.map(\.name) == ["slow", "endless"])
        #expect(profile.children.map(\.state) == [.succeeded, .cancelled])
        #expect(profile.children.first?.took == .seconds(2))
    }
}
