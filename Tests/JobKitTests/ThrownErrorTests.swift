import FoundationEssentials
import HTTPMessage
import Testing
import TestOperations

@testable import JobKit

private struct DiskFull: Error, LocalizedError {
    let path: String
    var errorDescription: String? { "The disk of \(path) is full." }
    var failureReason: String? { "No space is left." }
    var recoverySuggestion: String? { "Delete something." }
}

/// Refuses every call in the same way.
private struct Refusing: Transport {
    let code: String
    let delivery: HTTPCallDelivery
    let calls = Record<String>()

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        calls.append(call.url)
        throw HTTPCallFailure(
            code: code, detail: "No way.", suggestion: "Find one.", phase: .connect, delivery: delivery)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}

/// Makes a call and rethrows its failure.
private struct Calling: AOperation {
    let name = "calling"
    func execute(in context: OperationContext) async throws -> Int {
        try await context.send(HTTPCall(method: "GET", url: "http://a.example/")).status
    }
}

@Suite struct `What work throws` {
    private func run(
        _ transport: Refusing, _ retry: RetrySpec, method: HTTPMethod = .get
    ) async throws -> AOperationError {
        let clock = ManualClock()
        var environment = OperationEnvironment(clock: clock, transport: transport)
        environment.origins = OriginBoard(rules: .none)
        let queue = AOperationQueue(environment: environment)
        let handle = queue.add(Calling().retry(retry, method: method))
        return try #require(await handle.waitUntilFinished().errors.first)
    }

    private func rule(
        on: [RetryMatcher]? = nil, never: [RetryMatcher] = []
    ) -> RetrySpec {
        var rule = RetrySpec(attemptsMax: 4, backoff: .fixed(.zero), jitter: .none)
        if let on { rule.errors = on }
        rule.never = never
        return rule
    }

    @Test func `is a failed call as the call failed`() async throws {
        let error = try await run(
            Refusing(code: "connect.refused", delivery: .notSent), RetrySpec(attemptsMax: 1))
        #expect(error.code == ErrorCode("connect.refused"))
        #expect(error.detail == "No way. Find one.")
        #expect(error.delivery == "not_sent")
        #expect(error.phase == "connect")
        #expect(error.attempt == 1)
        #expect(error.publisher == "calling")
        #expect((error.underlying as? HTTPCallFailure)?.suggestion == "Find one.")
    }

    @Test func `is tried again as failed calls are`() async throws {
        let blocked = Refusing(code: "egress.blocked", delivery: .notSent)
        let error = try await run(blocked, rule())
        #expect(blocked.calls.all.count == 1)
        #expect(!error.retryable)
        let never = Refusing(code: "connect.refused", delivery: .notSent)
        _ = try await run(never, rule(never: [.family("connect")]))
        #expect(never.calls.all.count == 1)
        let on = Refusing(code: "connect.refused", delivery: .notSent)
        _ = try await run(on, rule(on: [.family("connect")]))
        #expect(on.calls.all.count == 4)
        let unsafe = Refusing(code: "connect.reset", delivery: .sentUnknown)
        let stopped = try await run(unsafe, rule(), method: .post)
        #expect(unsafe.calls.all.count == 1)
        #expect(stopped.retryStoppedBy == "unsafe_method")
    }

    @Test func `is a storage failure with the store's text`() async {
        let handle = AOperationQueue().add(
            ClosureOperation("keep") { _ in throw ArtifactFailure(.full, "The disk is full.") })
        let error = await handle.waitUntilFinished().errors.first
        #expect(error?.code == .storageFull)
        #expect(error?.detail == "The disk is full.")
    }

    @Test func `keeps its own words and can be got back by its type`() async throws {
        let handle = AOperationQueue().add(
            ClosureOperation("write") { _ in throw DiskFull(path: "/data") })
        let error = try #require(await handle.waitUntilFinished().errors.first)
        #expect(error.code == .unexpected)
        #expect(error.detail == "write threw The disk of /data is full.")
        #expect(error.publishedError?.description == "The disk of /data is full.")
        #expect(error.publishedError?.failureReason == "No space is left.")
        #expect(error.publishedError?.recoverySuggestion == "Delete something.")
        #expect((error.underlying as? DiskFull)?.path == "/data")
        #expect((error as any LocalizedError).errorDescription == error.detail)
    }

    @Test func `is printed as a line for people`() async throws {
        let group = AOperationQueue().add(
            GroupOperation("nightly") { $0.add(Failing(name: "backup", code: "backup.full")) })
        let error = try #require(await group.waitUntilFinished().errors.first)
        #expect("\(error)" == "backup.full: as asked (nightly/backup)")
        #expect(String(reflecting: error) == "\(error)")
        #expect("\(AOperationError("a.b", detail: "c"))" == "a.b: c")
    }

    @Test func `reaches the work around it as an error that it can look at`() async throws {
        let outer = AOperationQueue().add(
            ClosureOperation("outer") { context in
                do { return try await context.run(Failing(name: "inner")) } catch let error as AOperationError
                {
                    #expect(error.path.first == "outer")
                    #expect(error.attempt == 1)
                    throw error
                }
            }.retry(attempts: 2))
        let error = try #require(await outer.waitUntilFinished().errors.first)
        #expect(error.path == ["outer", "inner@2"])
        #expect(error.code == "test.failed")
    }

    @Test func `keeps its text in conditions, hooks and transformations`() async throws {
        let queue = AOperationQueue()
        let failure = HTTPCallFailure(
            code: "connect.refused", detail: "No way.", phase: .connect, delivery: .notSent)
        let judged = queue.add(
            Giving(1).condition(ClosureCondition("asks") { _ -> Bool in throw failure }))
        #expect(
            await judged.waitUntilFinished().errors.first?.causes.first?.code == ErrorCode("connect.refused"))
        let hooked = queue.add(Giving(1).willExecute { _ in throw DiskFull(path: "/a") })
        _ = await hooked.waitUntilFinished()
        #expect(
            hooked.hookErrors.first?.detail == "A hook before the execution threw: The disk of /a is full.")
        #expect(hooked.hookErrors.first?.underlying is DiskFull)
        let gated = queue.add(Giving(1).gated { throw DiskFull(path: "/b") })
        #expect(await gated.waitUntilFinished().errors.first?.underlying is DiskFull)
    }
}
