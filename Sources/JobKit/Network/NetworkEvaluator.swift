public import HTTPMessage

/// A call and the evaluation of its answer, in one value.
///
/// ```swift
/// struct LoadProfile: NetworkEvaluator {
///     let token: String
///     func call(in context: OperationContext) -> HTTPCall {
///         HTTPCall(method: "GET", url: "https://api.example.com/me", fields: [("authorization", token)])
///     }
///     func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) throws -> Profile {
///         try Profile(json: answer.get().body)
///     }
/// }
/// queue.add(NetworkDataOperation(LoadProfile(token: token)))
/// ```
public protocol NetworkEvaluator<Output>: Sendable {
    /// The result of the evaluation.
    associatedtype Output: Sendable

    /// Whether a status from 400 on is an error. Default true.
    var refusesErrorStatus: Bool { get }

    /// Whether an answer without content is the error `body.empty`. Default true; never for 204, 205, 304 and HEAD.
    var needsContent: Bool { get }

    /// The request. Called once per attempt.
    /// - Throws: when there is no request; the attempt fails.
    func call(in context: OperationContext) async throws -> HTTPCall

    /// Computes the result from the answer, or from the error when there is no acceptable answer: a value in place of
    /// an error is a success, an error thrown for an answer a failure. Not called when the operation is stopped.
    func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) async throws -> Output
}

extension NetworkEvaluator {
    /// True.
    public var refusesErrorStatus: Bool { true }
    /// True.
    public var needsContent: Bool { true }
}

/// The errors of calls that are not about the transport have this domain: 11 no content, 12 not HTTP.
let networkErrorDomain = "jobkit.network"

extension NetworkEvaluator {
    func perform(_ call: HTTPCall, in context: OperationContext) async throws -> Output {
        let answer = await checkedAnswer(to: call, in: context)
        if Task.isCancelled { throw CancellationError() }
        return try await evaluate(answer)
    }

    /// The answer, when it counts as one.
    func checkedAnswer(
        to call: HTTPCall, in context: OperationContext
    ) async -> Result<HTTPCallAnswer, AOperationError> {
        do throws(HTTPCallFailure) {
            let answer = try await context.send(call)
            if let error = objection(to: answer, of: call) { return .failure(stamped(error, in: context)) }
            return .success(answer)
        } catch {
            var failure = AOperationError(callFailure: error)
            if failure.code == .httpProtocol {
                failure.publishedError = .init(
                    domain: networkErrorDomain, code: 12, description: error.detail,
                    recoverySuggestion: error.suggestion)
            }
            return .failure(stamped(failure, in: context))
        }
    }

    private func stamped(_ error: AOperationError, in context: OperationContext) -> AOperationError {
        var error = context.core.stamp(error)
        error.attempt = context.attempt
        return error
    }

    private func objection(to answer: HTTPCallAnswer, of call: HTTPCall) -> AOperationError? {
        if refusesErrorStatus && answer.status >= 400 {
            return AOperationError(
                .httpStatus, title: "Upstream answered \(answer.status)",
                detail: "\(call.method) \(call.url) was answered with \(answer.status).", answer: answer)
        }
        let mayBeEmpty = [204, 205, 304].contains(answer.status) || call.method == "HEAD"
        guard needsContent, answer.body.isEmpty, !mayBeEmpty else { return nil }
        var error = AOperationError(
            .bodyEmpty, title: "The answer has no content",
            detail: "\(call.method) \(call.url) was answered with \(answer.status) and no content.",
            answer: answer)
        error.publishedError = .init(
            domain: networkErrorDomain, code: 11, description: "Received an empty response.")
        return error
    }
}
