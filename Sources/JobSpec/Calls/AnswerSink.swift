internal import HTTPMessage
internal import JobKit
internal import Synchronization

/// Streams the content of an answer into a draft, which others read meanwhile if it is live.
final class AnswerSink: HTTPContentSink {
    private struct State {
        var draft: (any ArtifactDraft)?
        /// The length that the answer announced, until its first content has come: to HEAD there is none.
        var announced: Int?
        var excerpt: [UInt8] = []
        var live: LiveContent?
        var status = 0
        var fields: [(name: String, value: String)] = []
        /// The events so far; nil without an end to look for.
        var parser: EventStreamParser?
        /// Whether an event has ended the call.
        var isDone = false
    }

    private let place: any ArtifactPlace
    private let context: OperationContext
    private let stream: StreamSpec?
    private let references: ReferenceReader
    private let state = Mutex(State())

    /// - Parameter references: those of the attempt.
    init(
        place: any ArtifactPlace, of context: OperationContext, _ stream: StreamSpec?,
        _ references: ReferenceReader
    ) {
        self.place = place
        self.context = context
        self.stream = stream
        self.references = references
    }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        // Readers get what was asked for, and no page of an error.
        let isContent = stream != nil && 200..<300 ~= status
        let fresh: State
        do throws(ArtifactFailure) {
            fresh = try begun(status, fields, isLive: isContent && place.live != nil)
        } catch {
            throw HTTPCallFailure(artifact: error)
        }
        let former = state.withLock { state in
            defer { state = fresh }
            return state
        }
        former.draft?.discard()
        end(former.live, .broken)
        if let live = fresh.live { place.live?.begin(live, of: context.seed, at: context.path) }
    }

    private func begun(
        _ status: Int, _ fields: [(name: String, value: String)], isLive: Bool
    ) throws(ArtifactFailure) -> State {
        var state = State(announced: Self.value("content-length", in: fields).flatMap { Int($0) })
        guard isLive else {
            state.draft = place.draft(for: context.seed)
            return state
        }
        let draft = try place.fileDraft(for: context.seed)
        let type = Self.value("content-type", in: fields)
        state.draft = draft
        do throws(ArtifactFailure) {
            state.live = LiveContent(attempt: context.attempt, contentType: type, try draft.reader())
        } catch {
            draft.discard()
            throw error
        }
        guard case .events = stream else { return state }
        state.status = status
        state.fields = fields
        state.parser = EventStreamParser()
        return state
    }

    private static func value(_ name: String, in fields: [(name: String, value: String)]) -> String? {
        fields.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        let (failure, live, count) = state.withLock { state -> (ArtifactFailure?, LiveContent?, Int) in
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
                return (nil, state.live, state.live == nil ? 0 : state.draft?.byteCount ?? 0)
            } catch {
                return (error, nil, 0)
            }
        }
        if let failure { throw HTTPCallFailure(artifact: failure) }
        live?.grow(to: count)
        if case .events(let until) = stream { try look(for: until, in: bytes) }
    }

    /// Ends the call when an event satisfies `until`.
    private func look(for until: JSONPredicate, in bytes: Span<UInt8>) throws(HTTPCallFailure) {
        guard var parser = state.withLock({ $0.parser.take() }) else { return }
        var events: [StreamedEvent] = []
        parser.take(bytes) { if $0.hasData { events.append($0) } }
        if parser.pending > StreamSpec.eventBytesMax
            || events.contains(where: { $0.data.count > StreamSpec.eventBytesMax })
        {
            throw Self.failure(
                .streamEvent,
                "An event has more than \(StreamSpec.eventBytesMax) bytes. Leave until out: the content is kept whole."
            )
        }
        // A piece is at most 64 KiB: all its events share what an evaluation on the loop may take.
        let lookup = references.lookup(StepMeter(4 * StepMeter.sliceMax, of: context.name))
        for event in events {
            let verdict: JSONPredicate.Verdict
            do throws(AOperationError) {
                verdict = try until.verdict(on: ResultDocument(event.value), lookup: lookup)
            } catch {
                throw HTTPCallFailure(
                    code: error.code.description, detail: error.detail,
                    phase: .receive, delivery: .answered)
            }
            guard verdict.holds else { continue }
            state.withLock { $0.isDone = true }
            throw HTTPCallFailure(
                code: LiveContent.enough, detail: "The stream has sent the event it was read for.",
                phase: .receive,
                delivery: .answered)
        }
        state.withLock { $0.parser = parser }
    }

    private static func failure(_ code: ErrorCode, _ detail: String) -> HTTPCallFailure {
        HTTPCallFailure(code: code.description, detail: detail, phase: .receive, delivery: .answered)
    }

    /// The answer of a call that an event has ended; nil when it ended otherwise.
    var answer: HTTPCallAnswer? {
        state.withLock { state in
            guard state.isDone else { return nil }
            return HTTPCallAnswer(
                status: state.status, fields: state.fields, body: [], exchange: HTTPCallExchange())
        }
    }

    /// Finishes the content; also returns an excerpt of it.
    func finish() async throws(AOperationError) -> (ArtifactContent, excerpt: [UInt8]) {
        let over = state.withLock { state in
            defer {
                state.draft = nil
                state.excerpt = []
            }
            return state
        }
        guard let draft = over.draft else { return (.inline([]), []) }
        do throws(ArtifactFailure) {
            let content = try await finished(draft, over.live)
            end(over.live, .whole)
            return (content, over.excerpt)
        } catch {
            throw AOperationError(artifact: error)
        }
    }

    /// Live content was in a file from its first byte on; short content becomes part of the result.
    private func finished(
        _ draft: any ArtifactDraft, _ live: LiveContent?
    ) async throws(ArtifactFailure) -> ArtifactContent {
        guard let live, draft.byteCount <= place.inlineBytesMax else { return try await draft.finish() }
        let bytes = try live.bytes(0..<draft.byteCount)
        draft.discard()
        return .inline(bytes)
    }

    /// The attempt is over: what its readers have not got by now does not come.
    func end() { end(state.withLock { $0.live }, .broken) }

    private func end(_ live: LiveContent?, _ ending: LiveContent.Ending) {
        if let live { place.live?.end(live, ending, of: context.seed, at: context.path) }
    }
}
