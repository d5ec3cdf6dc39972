import HTTPMessage
import Testing
import TestOperations

@testable import JobKit

/// A transport that reaches nothing.
private struct Unreachable: Transport {
    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer { throw failure }
    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) { throw failure }

    private var failure: HTTPCallFailure {
        HTTPCallFailure(code: "connect.refused", detail: "No way.", phase: .connect, delivery: .notSent)
    }
}

@Suite struct `An interval` {
    private let time = ManualClock()

    /// Begins the wait, sets the wall clock, and lets all of `length` pass except a millisecond, and then the last one.
    private func passes(
        _ length: Duration, setting: Duration, sleepers: Int = 1,
        _ begin: (AOperationQueue) -> OperationCore
    ) async {
        let clock = SetClock(time)
        let queue = AOperationQueue(
            environment: OperationEnvironment(clock: clock, transport: Unreachable()))
        let operation = begin(queue)
        await time.waitForSleepers(sleepers)
        clock.setForward(by: setting)
        time.advance(by: length - .milliseconds(1))
        for _ in 0..<50 { await Task.yield() }
        #expect(operation.ending == nil)
        time.advance(by: .milliseconds(1))
        _ = await operation.waitUntilFinished()
    }

    @Test(arguments: [Duration.seconds(-7_200), .seconds(7_200)])
    func `has its full length, however the wall clock is set`(setting: Duration) async {
        await passes(.seconds(100), setting: setting) {
            $0.add(DelayOperation(.after(.seconds(100)))).core
        }
        await passes(.seconds(100), setting: setting) {
            $0.add(DelayOperation(.afterSubmission(.seconds(100)))).core
        }
        await passes(.seconds(100), setting: setting) { queue in
            queue.add(Failing().retry(attempts: 2, backoff: .fixed(.seconds(100)))).core
        }
        await passes(.seconds(100), setting: setting) { queue in
            queue.add(
                RepeatOperation("again", times: 2, backoff: .fixed(.seconds(100))) { _, _ in Giving(1).recipe
                }
            ).core
        }
        await passes(.seconds(100), setting: setting) { queue in
            queue.add(
                RetryOperation("again", attempts: 2, backoff: .fixed(.seconds(100))) { _, _ in
                    Failing().recipe
                }
            ).core
        }
        await passes(.seconds(100), setting: setting, sleepers: 2) {
            $0.add(Endless().timeout(.seconds(100))).core
        }
        await passes(.seconds(100), setting: setting, sleepers: 2) {
            $0.add(Endless().deadline(after: .seconds(100))).core
        }
        await passes(.seconds(100), setting: setting, sleepers: 2) {
            $0.add(Endless().observer(TimeoutObserver(.interval(.seconds(100))))).core
        }
        await passes(.seconds(100), setting: setting) { queue in
            let probe = HTTPReachabilityProbe(url: "http://a.example/", depth: .tcp)
            return queue.add(
                Giving(1).condition(
                    ReachabilityCondition(
                        probe, patience: .init(interval: .seconds(100), giveUpAfter: .seconds(150))))
            ).core
        }
    }

    @Test func `over all attempts has its full length, however the wall clock is set`() async throws {
        let clock = SetClock(time)
        let queue = AOperationQueue(environment: OperationEnvironment(clock: clock))
        var rule = RetrySpec(attemptsMax: 3, backoff: .fixed(.seconds(10)), jitter: .none)
        rule.elapsedMax = .seconds(60)
        rule.errors = [.family("test")]
        let handle = queue.add(Failing().retry(rule))
        await time.waitForSleepers()
        clock.setForward(by: .seconds(7_200))
        time.advance(by: .seconds(10))
        await time.waitForSleepers()
        time.advance(by: .seconds(10))
        let error = try #require(await handle.waitUntilFinished().errors.first)
        #expect(error.attempt == 3)
        #expect(error.retryStoppedBy == "attempts")
    }

    @Test func `until a date ends when the wall clock shows it`() async throws {
        let clock = SetClock(time)
        let queue = AOperationQueue(environment: OperationEnvironment(clock: clock))
        let handle = queue.add(DelayOperation(.date(clock.now.advanced(by: .seconds(3_600)))))
        await time.waitForSleepers()
        clock.setForward(by: .seconds(3_590))
        time.advance(by: .seconds(30))
        #expect(await handle.waitUntilFinished().state == .succeeded)
    }

    @Test func `of the machine's clock is never short`() async throws {
        let clock = SystemClock()
        for step in 0..<40 {
            let length = Duration.microseconds(300 + 137 * step)
            let begin = ContinuousClock.now
            try await clock.sleep(for: length)
            #expect(begin.duration(to: .now) >= length)
        }
        let queue = AOperationQueue()
        for step in 0..<20 {
            let length = Duration.microseconds(2_000 + 137 * step)
            let begin = ContinuousClock.now
            try await queue.add(DelayOperation(.after(length))).value
            #expect(begin.duration(to: .now) >= length)
        }
    }
}
