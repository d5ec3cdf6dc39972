import HTTPMessage
import Testing
import TestOperations

@testable import JobKit

private enum Trace {
    @TaskLocal static var span = "none"
}

/// Names a span after its parents, the operation and the attempt.
private struct Spans: OperationTracer {
    func surrounding(_ operation: String) -> Surrounding {
        let parent = Trace.span
        return { context, attempt in
            try await Trace.$span.withValue("\(parent)/\(operation)#\(context.attempt)") {
                try await attempt()
            }
        }
    }
}

/// Never runs what it surrounds.
private struct Swallowing: OperationTracer {
    func surrounding(_ operation: String) -> Surrounding { { _, _ in } }
}

/// Notes the span of each call.
private struct NotingTransport: Transport {
    let spans = Record<String>()

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        spans.append(Trace.span)
        return HTTPCallAnswer(status: 200, fields: [], body: [1], exchange: HTTPCallExchange())
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}

private struct Measures: OperationMetrics {
    let profiles = Record<OperationProfile>()
    func record(_ profile: OperationProfile) { profiles.append(profile) }
}

@Suite struct `The seams of an environment` {
    private let transport = NotingTransport()

    private func queue(_ change: (inout OperationEnvironment) -> Void) -> AOperationQueue {
        var environment = OperationEnvironment(transport: transport)
        change(&environment)
        return AOperationQueue(environment: environment)
    }

    private func work<Output: Sendable>(
        _ name: String, body: @escaping @Sendable (OperationContext) async throws -> Output
    ) -> OperationRecipe<Output> {
        OperationRecipe(name, body: body)
    }

    @Test func `carry a trace from the addition to the work, its members and its calls`() async throws {
        let queue = queue { $0.tracer = Spans() }
        let seen = Record<String>()
        let group = GroupOperation("group") { group in
            group.add(
                OperationRecipe("member") { context in
                    seen.append(Trace.span)
                    _ = try await context.send(HTTPCall(method: "GET", url: "http://a.example/"))
                    try await context.run(OperationRecipe("inner") { _ in seen.append(Trace.span) })
                })
        }
        let handle = Trace.$span.withValue("request") { queue.add(group) }
        try await handle.value
        #expect(seen.all == ["request/group#1/member#1", "request/group#1/member#1/inner#1"])
        #expect(transport.spans.all == ["request/group#1/member#1"])
    }

    @Test func `surround each attempt, and leave its error alone`() async throws {
        let queue = queue { $0.tracer = Spans() }
        let seen = Record<String>()
        let recipe: OperationRecipe<Int> = work("call") { context in
            seen.append(Trace.span)
            guard context.attempt == 2 else { throw AOperationError("test.first", detail: "Once more.") }
            return 7
        }
        #expect(try await queue.add(recipe.retry(attempts: 2)).value == 7)
        #expect(seen.all == ["none/call#1", "none/call#2"])
        let failed = await queue.add(recipe).waitUntilFinished()
        #expect(failed.errors.map(\.code) == ["test.first"])
    }

    @Test func `give a dependant the trace in which it was added itself`() async throws {
        let queue = queue { $0.tracer = Spans() }
        let first = Trace.$span.withValue("one") {
            queue.add(
                work("first") { _ in
                    try await Task.sleep(for: .milliseconds(5))
                    return Trace.span
                })
        }
        let second = Trace.$span.withValue("two") {
            queue.add(work("second") { _ in Trace.span }.after(first))
        }
        #expect(try await first.value == "one/first#1")
        #expect(try await second.value == "two/second#1")
    }

    @Test func `fail an operation that a tracer does not run`() async {
        let ending = await queue { $0.tracer = Swallowing() }.add(work("lost") { _ in 1 }).outcome
        #expect(ending.errors.first?.detail == "lost ended without a value.")
    }

    @Test func `observe every operation of a queue`() async throws {
        let measures = Measures()
        let seen = Record<String>()
        let queue = queue { environment in
            environment.observers = [
                MetricsObserver(to: measures),
                ClosureObserver { operation, event in
                    if case .finished = event.kind { seen.append(operation.name) }
                },
            ]
        }
        let group = GroupOperation("group") { group in group.add(OperationRecipe("member") { _ in 1 })
        }
        try await queue.add(group).value
        let broken: OperationRecipe<Int> = work("broken") { _ in
            throw AOperationError("test.broken", detail: "It broke.")
        }
        _ = await queue.add(broken.retry(attempts: 2)).waitUntilFinished()
        let profiles = measures.profiles.all
        #expect(profiles.map(\.name) == ["member", "group", "broken"])
        #expect(profiles.map(\.state) == [.succeeded, .succeeded, .failed])
        #expect(profiles.map(\.attemptsAt.count) == [1, 1, 2])
        #expect(profiles.map(\.errorCode) == [nil, nil, "test.broken"])
        #expect(profiles.allSatisfy { $0.took != nil && $0.waited != nil })
        // This one does not follow members.
        #expect(seen.all == ["group", "broken"])
    }
}
