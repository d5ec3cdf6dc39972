import HTTPMessage
import Synchronization
import TestOperations
import Testing

@testable import JobKit

/// Calls of jobs to an origin that holds them back.
@Suite struct `A call whose origin requested a pause` {
    private func spec(_ members: String = "") -> String {
        #"{"type":"network","name":"call","request":"https://api.example/x","retry":{"jitter":"none"\#(members)}}"#
    }

    @Test func `waits without an attempt, whichever job it belongs to`() async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "30")] }) { _, before in
            (before == 0 ? 429 : 200, "{}")
        }
        let first = run.start(spec())
        await run.clock.waitForSleepers(1)
        let second = run.start(spec())
        await run.clock.waitForSleepers(2)
        #expect(run.calls.all.count == 1)
        for _ in 0..<12 {
            run.clock.advance(by: .milliseconds(2_499))
            await settle()
        }
        #expect(run.calls.all.count == 1)
        while run.calls.all.count < 3 {
            run.clock.advance(by: .seconds(1))
            await settle()
        }
        #expect(try await first.value.state == .succeeded)
        #expect(try await second.value.state == .succeeded)
        #expect(run.calls.all.count == 3)
    }

    @Test func `goes on when it does not care`() async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "30")] }) { call, before in
            (before == 0 ? 429 : 200, "{}")
        }
        let first = run.start(spec())
        await run.clock.waitForSleepers(1)
        let ending = try await run.ending(spec(#","respect_retry_after":false"#))
        #expect(ending.state == .succeeded)
        #expect(run.calls.all.count == 2)
        while run.calls.all.count < 3 {
            run.clock.advance(by: .seconds(1))
            await settle()
        }
        #expect(try await first.value.state == .succeeded)
    }

    @Test func `is stopped while it waits like any other`() async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "30")] }) { _, _ in (429, "{}") }
        let first = run.start(spec())
        await run.clock.waitForSleepers(1)
        let ending = Task { try await run.ending(spec(#","max_attempts":1"#)) }
        await run.clock.waitForSleepers(2)
        run.cancel()
        #expect(try await ending.value.state == .cancelled)
        #expect(run.calls.all.count == 1)
        first.cancel()
    }

    @Test func `is delayed no further than the limit over its attempts`() async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "30")] }) { _, _ in (503, "{}") }
        let ending = try await run.ending(spec(#","max_elapsed":"20s""#))
        #expect(ending.errors.first?.retryStoppedBy == "budget")
        #expect(run.calls.all.count == 1)
    }

    @Test(arguments: [429, 503])
    func `waits no longer than it lets an answer ask for`(status: Int) async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "3000")] }) { _, before in
            (before < 2 ? status : 200, "{}")
        }
        let began = run.clock.now
        let handle = run.start(
            spec(#","max_retry_after":"10s","max_elapsed":"1m","max_attempts":3"#))
        while run.calls.all.count < 3, run.clock.now.since(began) < .seconds(60) {
            while run.calls.all.count < 3, run.clock.sleeperCount == 0 { await Task.yield() }
            if run.calls.all.count < 3 { run.clock.advance(by: .seconds(1)) }
        }
        #expect(try await handle.value.state == .succeeded)
        #expect(run.clock.now.since(began) <= .seconds(25))
    }

    @Test func `ends with its error when the origin's pause exceeds the limit over its attempts`()
        async throws
    {
        let run = SpecRun(fields: { $0.url.hasSuffix("/y") ? [("Retry-After", "3000")] : [] }) { _, _ in
            (503, "{}")
        }
        let handle = run.start(spec(#","max_elapsed":"1m""#))
        await run.clock.waitForSleepers(1)
        let other = run.start(
            #"{"type":"network","name":"other","request":"https://api.example/y","retry":{"max_attempts":1}}"#
        )
        #expect(try await other.value.state == .failed)
        run.clock.advance(by: .seconds(1))
        let ending = try await handle.value
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.code == .httpStatus)
        #expect(ending.errors.first?.retryStoppedBy == "breaker")
    }

    @Test func `is let through at once when the origin is reset`() async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "300")] }) { _, before in
            (before == 0 ? 429 : 200, "{}")
        }
        _ = try await run.ending(spec(#","max_attempts":1"#))
        let waiting = run.start(spec())
        await run.clock.waitForSleepers(1)
        run.origins.reset("https://api.example")
        run.clock.advance(by: .seconds(5))
        #expect(try await waiting.value.state == .succeeded)
    }

    /// Lets woken tasks run.
    private func settle() async { for _ in 0..<50 { await Task.yield() } }
}

@Suite struct `An operation of the library that calls` {
    @Test func `waits for its origin, and is tried again by the rule`() async throws {
        let run = SpecRun(fields: { _ in [("Retry-After", "20")] }) { _, before in
            (before == 0 ? 503 : 200, "{}")
        }
        var environment = OperationEnvironment(clock: run.clock, transport: run)
        environment.origins = run.origins
        let queue = AOperationQueue(environment: environment)
        var rule = RetrySpec(attemptsMax: 3, jitter: .none)
        rule.errors = [.statusClass(5)]
        let handle = queue.add(
            OperationRecipe("call") { context -> Int in
                let answer = try await context.send(HTTPCall(method: "GET", url: "https://api.example/"))
                if answer.status == 200 { return context.attempt }
                throw AOperationError(.httpStatus, title: "x", detail: "x", answer: answer)
            }.retry(rule))
        await run.clock.waitForSleepers(1)
        #expect(run.origins.views(now: run.clock.now).first?.state == .coolingDown)
        run.clock.advance(by: .seconds(21))
        #expect(try await handle.value == 2)
    }

    @Test func `reports the wait for its origin when that delays its next attempt`() async throws {
        let board = OriginBoard()
        let clock = ManualClock()
        let run = SpecRun { _, before in
            // Another call to the origin was asked for a pause meanwhile.
            let pause = OriginOutcome(kind: .reached, status: 429, pause: .seconds(300))
            let pass = OriginPass(origin: "https://api.example", isProbe: false)
            if before == 0 { board.settle(pass, pause, now: clock.now) }
            return (before == 0 ? 503 : 200, "{}")
        }
        var environment = OperationEnvironment(clock: clock, transport: run)
        environment.origins = board
        let queue = AOperationQueue(environment: environment)
        let handle = queue.add(
            OperationRecipe("call") { context -> Int in
                let answer = try await context.send(HTTPCall(method: "GET", url: "https://api.example/"))
                if answer.status == 200 { return context.attempt }
                throw AOperationError(.httpStatus, title: "x", detail: "x", answer: answer)
            }.retry(RetrySpec(attemptsMax: 3, jitter: .none)))
        await clock.waitForSleepers(1)
        let reasons = queue.explain().flatMap(\.causes).compactMap { cause in
            if case .lasting(let wait) = cause { wait.reason } else { nil }
        }
        #expect(reasons == [.origin])
        clock.advance(by: .seconds(301))
        #expect(try await handle.value == 2)
    }
}
