import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Synchronization
import Testing
import TestOperations

/// One run of a spec in memory, on a manual clock.
final class SpecRun: Sendable {
    let clock = ManualClock()
    let calls = Record<HTTPCall>()
    let origins = OriginBoard()
    /// The number of further failures to connect.
    let unreachable = Mutex(0)
    /// The URL at which the redirects of the first call end; nil without any.
    let moved = Mutex<String?>(nil)
    /// Changes the environment of the operations.
    let prepare = Mutex<@Sendable (inout OperationEnvironment) -> Void>({ _ in })
    /// The connections that calls may name.
    let connections = Mutex<(any ConnectionBook)?>(nil)
    private let answer: @Sendable (HTTPCall, Int) -> (Int, String)
    private let course = Mutex<(root: JobTree.Root?, isCancelled: Bool)>((nil, false))

    private let fields: @Sendable (HTTPCall) -> [(name: String, value: String)]

    /// - Parameter answer: status and JSON of the answer to a call, given the number of earlier calls.
    init(_ answer: @escaping @Sendable (HTTPCall, Int) -> (Int, String) = { _, _ in (200, "{}") }) {
        self.answer = answer
        fields = { _ in [] }
    }

    /// - Parameters:
    ///   - fields: of the answer to a call.
    ///   - answer: status and JSON of the answer to a call, given the number of earlier calls.
    init(
        fields: @escaping @Sendable (HTTPCall) -> [(name: String, value: String)],
        answer: @escaping @Sendable (HTTPCall, Int) -> (Int, String)
    ) {
        self.fields = fields
        self.answer = answer
    }

    /// Runs it to its end.
    func ending(_ text: String) async throws -> OperationEnding {
        var environment = OperationEnvironment(clock: clock, transport: self)
        environment.submittedAt = clock.now
        environment.seed = "job_test"
        environment.origins = origins
        prepare.withLock { $0 }(&environment)
        let services = CallServices(connections: connections.withLock { $0 })
        let tree = JobTree(spec: try readSpec(text), environment: environment, services: services)
        return await withCheckedContinuation { continuation in
            let root = tree.start { continuation.resume(returning: $0) }
            let isCancelled = course.withLock { course in
                course.root = root
                return course.isCancelled
            }
            if isCancelled { root.cancel(code: .cancelledUser, reason: nil) }
        }
    }

    /// Begins it; the task gives its end.
    func start(_ text: String) -> Task<OperationEnding, any Error> { Task { try await self.ending(text) } }

    func cancel() {
        let root = course.withLock { course in
            course.isCancelled = true
            return course.root
        }
        root?.cancel(code: .cancelledUser, reason: nil)
    }

    /// Runs it and returns its JSON result.
    func value(_ text: String) async throws -> JSONValue? {
        let ending = try await ending(text)
        return ending.state == .succeeded ? ending.result?.bodyValue : nil
    }
}

extension SpecRun: Transport {
    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        let before = calls.all.count
        calls.append(call)
        let (status, text) = answer(call, before)
        var exchange = HTTPCallExchange()
        if before == 0 { exchange.effectiveURL = moved.withLock { $0 } }
        return HTTPCallAnswer(
            status: status, fields: [("Content-Type", "application/json")] + fields(call),
            body: Array(text.utf8), exchange: exchange)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        let isReachable = unreachable.withLock { left in
            if left == 0 { return true }
            left -= 1
            return false
        }
        if isReachable { return }
        throw HTTPCallFailure(
            code: "connect.refused", detail: "There is no listener.", phase: .connect, delivery: .notSent)
    }
}

extension WrongSpec {
    /// Expects exactly this problem, with its suggestion if given.
    func expectAlone() {
        let found = problems(text)
        #expect(found.map(\.code) == [code], "\(found)")
        #expect(found.first?.pointer.description == pointer)
        if let suggestion { #expect(found.first?.suggestion == suggestion) }
        #expect(found.first?.detail.contains(hint) == true, "\(found)")
    }
}
