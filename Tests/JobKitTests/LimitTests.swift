import Testing
import TestOperations

@testable import JobKit

@Suite struct `The limits of an operation` {
    /// The time that passes until an endless operation ends, and the code of its error.
    /// - Parameter limits: the number of timers that the limits start.
    private func end(
        limits: Int, _ limit: (Endless) -> OperationRecipe<Void>
    ) async throws -> (after: Duration, code: ErrorCode?) {
        let clock = ManualClock()
        let begin = clock.now
        let queue = AOperationQueue(environment: OperationEnvironment(clock: clock))
        let handle = queue.add(limit(Endless()).grace(.zero))
        await clock.waitForSleepers(limits + 1)
        clock.advance(by: try #require(clock.nextWake).since(begin))
        let code = await handle.waitUntilFinished().errors.first?.code
        return (clock.now.since(begin), code)
    }

    @Test func `are the shortest of several timeouts, in any order`() async throws {
        for end in [
            try await end(limits: 1) { $0.timeout(.seconds(3)).timeout(.seconds(5_000)) },
            try await end(limits: 1) { $0.timeout(.seconds(5_000)).timeout(.seconds(3)) },
        ] {
            #expect(end.code == .timeoutTotal)
            #expect(end.after == .seconds(3))
        }
    }

    @Test func `are the earliest of several deadlines, dates and times`() async throws {
        let late = ManualClock().now.advanced(by: .seconds(9_000))
        for end in [
            try await end(limits: 1) { $0.deadline(after: .seconds(3)).deadline(after: .seconds(5_000)) },
            try await end(limits: 1) { $0.deadline(after: .seconds(5_000)).deadline(after: .seconds(3)) },
            try await end(limits: 2) { $0.deadline(late).deadline(after: .seconds(3)) },
            try await end(limits: 2) { $0.deadline(after: .seconds(3)).deadline(late) },
        ] {
            #expect(end.code == .timeoutFinishBy)
            #expect(end.after == .seconds(3))
        }
    }

    @Test func `refuse an operation that is given no time, before anything else`() async throws {
        let queue = AOperationQueue(environment: OperationEnvironment(clock: ManualClock()))
        let before = queue.add(Endless())
        let asked = Record<Int>()
        for duration in [Duration.zero, .seconds(-1)] {
            let handle = queue.add(
                Giving(1, name: "hasty").after(before).timeout(.seconds(9)).timeout(duration).unique("k")
                    .condition(
                        ClosureCondition("asked") { _ in
                            asked.append(1)
                            return true
                        }))
            let error = try #require(handle.ending?.errors.first)
            #expect(handle.ending?.state == .failed)
            #expect(error.code == .timeoutTotal)
            #expect(error.detail.contains("above zero"))
        }
        #expect(!queue.core.environment.uniqueness.isTaken("k"))
        #expect(asked.all.isEmpty)
        before.cancel()
        _ = await before.waitUntilFinished()
    }
}
