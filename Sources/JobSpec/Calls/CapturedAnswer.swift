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

extension AOperationContext {
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
        let sink = AnswerSink(place: place, owner: seed)
        var answer = try await dispatch.send { request in
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

    private func result(of answer: HTTPCallAnswer, _ dispatch: CallDispatch) -> OperationResult {
        OperationResult(
            answer: answer, keepsCookies: dispatch.spec.keepsCookies, receivedAt: dispatch.context.clock.now)
    }
}

/// Streams the content of an answer into a draft.
private final class AnswerSink: HTTPContentSink {
    private struct State {
        var draft: (any ArtifactDraft)?
        /// The length that the answer announced, until its first content has come: to HEAD there is none.
        var announced: Int?
        var excerpt: [UInt8] = []
    }

    private let place: any ArtifactPlace
    private let owner: String
    private let state = Mutex(State())

    init(place: any ArtifactPlace, owner: String) {
        self.place = place
        self.owner = owner
    }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        let former = state.withLock { state -> (any ArtifactDraft)? in
            let former = state.draft
            state = State(draft: place.draft(for: owner), announced: Self.length(fields))
            return former
        }
        former?.discard()
    }

    private static func length(_ fields: [(name: String, value: String)]) -> Int? {
        fields.first { $0.name.utf8.count == 14 && $0.name.lowercased() == "content-length" }
            .flatMap { Int($0.value) }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        let failure = state.withLock { state -> ArtifactFailure? in
            do throws(ArtifactFailure) {
                if let length = state.announced, length > place.inlineBytesMax {
                    try place.checkRoom(for: length)
                }
                state.announced = nil
                try state.draft?.append(bytes)
                let room = CapturedAnswer.excerptBytes - state.excerpt.count
                state.excerpt.append(addingCapacity: max(0, min(room, bytes.count))) { excerpt in
                    for index in 0..<excerpt.capacity { excerpt.append(bytes[index]) }
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw HTTPCallFailure(artifact: failure) }
    }

    /// Finishes the content; also returns an excerpt of it.
    func finish() async throws(AOperationError) -> (ArtifactContent, excerpt: [UInt8]) {
        let over = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard let draft = over.draft else { return (.inline([]), []) }
        do throws(ArtifactFailure) {
            return (try await draft.finish(), over.excerpt)
        } catch {
            throw AOperationError(artifact: error)
        }
    }
}
