internal import HTTPMessage
internal import JobKit
internal import Synchronization

/// An answer with captured content: small content in the result, large content as an artifact.
struct CapturedAnswer: Sendable {
    /// The bytes of an artifact that `answer.body` holds, for error texts.
    static let excerptBytes = 4_096

    /// The answer. Its body is the content, or the beginning of it when that is an artifact.
    var answer: HTTPCallAnswer
    /// The result of the operation.
    var result: OperationResult
}

extension OperationContext {
    /// Makes a call and streams its content to the environment's place for artifacts; without one it is held in memory,
    /// up to the call's `answerBytesMax`.
    /// - Parameters:
    ///   - operation: the name of the operation, which becomes the name of the content if the operation is a root and
    ///     the artifact has no other name.
    ///   - staysInMemory: whether the content is held in memory whatever its size, up to the call's `answerBytesMax`.
    ///   - shape: changes the request before it is sent.
    func capture(
        _ dispatch: CallDispatch, of operation: String, staysInMemory: Bool = false,
        _ shape: (inout HTTPCall) -> Void = { _ in }
    ) async throws(AOperationError) -> CapturedAnswer {
        let target = dispatch.spec.target
        guard !staysInMemory, let place = core.environment.artifacts else {
            let answer = try await dispatch.send(shape)
            return CapturedAnswer(answer: answer, result: result(of: answer, dispatch))
        }
        let sink = AnswerSink(place: place, of: self, target.stream, dispatch.references)
        defer { sink.end() }
        var answer = try await answer(dispatch, into: sink) { request in
            shape(&request)
            request.sink = sink
            request.answerBytesMax = target.bytesMax
        }
        let (content, excerpt) = try await sink.finish()
        // A transport without support for sinks has the content in the answer.
        if case .inline(let bytes) = content, answer.body.isEmpty { answer.body = bytes }
        var result = result(of: answer, dispatch)
        if case .artifact(var artifact) = content {
            artifact.name = target.name(at: path, operation)
            result.artifact = artifact
            answer.body = excerpt
        }
        return CapturedAnswer(answer: answer, result: result)
    }

    /// The answer of a call, also of one that an event of its stream has ended.
    private func answer(
        _ dispatch: CallDispatch, into sink: AnswerSink, _ shape: (inout HTTPCall) -> Void
    ) async throws(AOperationError) -> HTTPCallAnswer {
        do throws(AOperationError) { return try await dispatch.send(shape) } catch {
            guard let answer = sink.answer else { throw error }
            return answer
        }
    }

    private func result(of answer: HTTPCallAnswer, _ dispatch: CallDispatch) -> OperationResult {
        OperationResult(
            answer: answer, keepsCookies: dispatch.spec.keepsCookies, receivedAt: dispatch.context.clock.now)
    }
}
