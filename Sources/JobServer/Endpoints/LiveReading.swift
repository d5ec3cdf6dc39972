import EventIO
import HTTPMessage
import JobJournal
import JobKit
import JobRunner
import JobSpec
import JobStore
import Synchronization

// DESIGN
// Content that arrives is in a file that its call writes; what is read here is the part that is there. Nothing is kept
// for a reader but its position, so a slow one costs no memory and one that has gone away nothing at all. When the
// operation has ended the same positions are those of its result. A job that runs on another server is read through
// that server, a piece for each question.

/// Reads the content of an operation from any position on, while it arrives and afterwards. Pieces are read one after
/// the other.
final class LiveReading: Sendable {
    /// The largest piece, in bytes.
    static let pieceMax = 256 << 10
    /// The longest wait before the store is asked again whether the operation has ended.
    private static let lookEvery = Duration.seconds(2)
    /// The time in which another server usually answers.
    private static let glance = Duration.milliseconds(300)
    /// The subject of questions to other servers.
    private static let subject = "live"

    /// The state of the operation in the store.
    private enum Standing {
        /// - Parameter runs: whether it may run at present, here or on another server.
        case unfinished(runs: Bool)
        case ended(Stored)
    }

    private struct Stored {
        let attempt: Int
        let contentType: String?
        let contentCoding: String?
        let content: Content
    }

    private enum Content {
        case bytes([UInt8])
        case file(any ArtifactReader)
    }

    private struct State {
        var isOver = false
        /// Ends the present wait.
        var wake: (@Sendable () -> Void)?
        /// The stored content, once it was found.
        var stored: Stored?
    }

    private let id: JobID
    private let path: [String]
    private let server: Door
    private let tenant: Tenant?
    private let loop: EventLoop
    private let owner: StreamOwner
    private let access: OpenAccess?
    private let state = Mutex(State())

    /// Reads for a request, on its loop. Counted as a stream until `leave`.
    /// - Throws: when as many streams are open as may.
    init(_ context: RequestContext, of id: JobID, at path: [String]) throws(Problem) {
        _ = try StreamEvents.enter(context)
        self.id = id
        self.path = path
        server = context.server
        tenant = context.tenant
        loop = context.exchange.loop
        owner = context.shareOwner
        access = context.openAccess()
        access?.watch { [weak self] in self?.wake() }
    }

    /// Ends the reading, at once if it waits. More than once, too.
    func leave() {
        let (isFirst, wake) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.wake)
        }
        guard isFirst else { return }
        access?.leave()
        server.news.feed.leave(owner)
        wake?()
    }

    /// Whether the server stops.
    var isClosed: Bool { server.news.feed.isClosed }

    private func wake() { state.withLock { $0.wake }?() }

    private var isOver: Bool { state.withLock { $0.isOver } || server.news.feed.isClosed }

    /// The content after `position`, at most `pieceMax` bytes. Waits while there is none, at most `patience`.
    /// - Returns: nil when there is none, and the operation may still get some; an empty piece at its end.
    /// - Throws: `stream.restarted` when the attempt of the position is not the latest one, `job.no_result` when the
    ///   operation ended without a result.
    func piece(
        after position: LivePosition, patience: Duration
    ) async throws(Problem) -> LivePiece? {
        let deadline = ContinuousClock.now + patience
        while true {
            try checkAccess()
            if let stored = state.withLock({ $0.stored }) {
                return try await piece(of: stored, after: position)
            }
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            if let content = board?.content(of: id.description, at: path) {
                let extent = content.extent
                if let piece = try Self.piece(of: content, extent, after: position) { return piece }
                if extent.ending == nil {
                    if left == .zero || isOver { return nil }
                    let offset = position.offset ?? extent.byteCount
                    await wait(atMost: left) { fire in
                        let waiter = content.wait(beyond: offset, then: fire)
                        return { content.abandon(waiter) }
                    }
                    continue
                }
            }
            switch try await standing() {
            case .ended(let stored): state.withLock { $0.stored = stored }
            case .unfinished(let runs):
                // One look at other servers is worth a moment, also to a reader that does not wait.
                let asks = runs && server.reads.areRemote
                if isOver || left == .zero && !asks { return nil }
                let limit = left == .zero ? Self.glance : min(left, Self.lookEvery)
                if let piece = try await waitForBeginning(after: position, atMost: limit, asks: asks) {
                    return piece
                }
                if ContinuousClock.now >= deadline { return nil }
            }
        }
    }

    private var board: LiveBoard? { server.store.artifacts?.live }

    private func checkAccess() throws(Problem) {
        if let access, access.hasEnded { throw access.problem }
    }

    // MARK: Content that arrives here

    /// The piece after a position; nil when there is none so far, or none any more.
    private static func piece(
        of content: LiveContent, _ extent: LiveContent.Extent, after position: LivePosition
    ) throws(Problem) -> LivePiece? {
        try check(position, content.attempt, extent.byteCount)
        let start = position.offset ?? extent.byteCount
        let end = min(extent.byteCount, start + pieceMax)
        let isWhole = extent.ending == .whole
        guard end > start || isWhole || position.offset == nil else { return nil }
        do throws(ArtifactFailure) {
            return LivePiece(
                attempt: content.attempt, end: end, isLast: end == extent.byteCount, isWhole: isWhole,
                contentType: content.contentType, bytes: try content.bytes(start..<end))
        } catch {
            throw Problem(error)
        }
    }

    private static func check(_ position: LivePosition, _ attempt: Int, _ count: Int) throws(Problem) {
        if let told = position.attempt, told != attempt {
            throw Problem(
                .streamRestarted,
                "The offset is one of attempt \(told); the content is that of attempt \(attempt). Read from "
                    + "offset=-1 on.")
        }
        if let offset = position.offset, offset > count {
            throw Problem(
                .rangeNotSatisfiable, "The content has \(count) bytes so far; the offset lies beyond its end."
            )
        }
    }

    // MARK: Content in the store

    private func piece(of stored: Stored, after position: LivePosition) async throws(Problem) -> LivePiece {
        let count =
            switch stored.content {
            case .bytes(let bytes): bytes.count
            case .file(let reader): reader.byteCount
            }
        try Self.check(position, stored.attempt, count)
        let start = position.offset ?? count
        let end = min(count, start + Self.pieceMax)
        let bytes: [UInt8]
        switch stored.content {
        case .bytes(let all): bytes = Array(all[start..<end])
        case .file(let reader):
            do throws(ArtifactFailure) { bytes = try await reader.bytes(start..<end) } catch {
                throw Problem(error)
            }
        }
        return LivePiece(
            attempt: stored.attempt, end: end, isLast: end == count, isWhole: true,
            contentType: stored.contentType, contentCoding: stored.contentCoding, bytes: bytes)
    }

    private func standing() async throws(Problem) -> Standing {
        try await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Standing, Problem>, Never>) in
            let isAccepted = server.reads.threads.run(for: tenant) { [self] reader in
                continuation.resume(returning: Result { () throws(Problem) in try standing(reader) })
            }
            guard !isAccepted else { return }
            let problem = Problem(
                .overloaded, "Too many lists are being read at once. Nothing is wrong with the request.")
            continuation.resume(returning: .failure(problem))
        }.get()
    }

    private func standing(_ reader: any JobReader) throws(Problem) -> Standing {
        let outline = try JobOutline(id, from: reader, server.journals)
        guard let spot = outline.spot(at: path), let view = try outline.views(of: [spot]).first else {
            throw Problem(
                .operationNotFound, "Job \(id) has no operation \"\(OperationAddress.text(of: path))\".")
        }
        guard view.state.isFinal else {
            return .unfinished(runs: outline.job.state == .running || outline.job.state == .cancelling)
        }
        guard view.state == .succeeded,
            let result = try path.isEmpty ? stored(reader.result(id)) : view.result
        else { throw ReadOperation.noResult(of: view, outline.job) }
        return .ended(
            Stored(
                attempt: max(1, view.attempt), contentType: result.contentType,
                contentCoding: result.contentCoding, content: try content(of: result)))
    }

    private func content(of result: OperationResult) throws(Problem) -> Content {
        guard let artifact = result.artifact else { return .bytes(result.body) }
        guard let place = server.store.artifacts else {
            throw Problem(.artifactGone, "This server keeps no files.")
        }
        do throws(ArtifactFailure) { return .file(try place.open(artifact)) } catch { throw Problem(error) }
    }

    // MARK: Waiting

    /// Waits until content of the job begins here, another server has a piece of it, the job ends, or the time is up.
    /// - Returns: the piece of another server.
    private func waitForBeginning(
        after position: LivePosition, atMost limit: Duration, asks: Bool
    ) async throws(Problem) -> LivePiece? {
        let (owner, board) = (id.description, board)
        let question = LiveQuestion(position, at: path, patience: Int(limit / .milliseconds(1)))
        let found = OneAnswer()
        await wait(atMost: limit) { fire in
            if asks {
                server.engine.link.ask(Self.subject, about: id, question.bytes, within: limit) { bytes in
                    guard let bytes else { return }
                    found.bytes.withLock { $0 = bytes }
                    fire()
                }
            }
            let waiter = board?.wait(for: owner, then: fire)
            return { if let waiter { board?.abandon(waiter, for: owner) } }
        }
        guard let piece = found.bytes.withLock({ $0 }).flatMap(LiveQuestion.piece) else { return nil }
        // An empty piece of another attempt is the answer to a position that is not there any more.
        try Self.check(position, piece.attempt, .max)
        return piece
    }

    /// Waits until `register` has called its function, the job ends, the time is up, or the reading ends. On the loop.
    private func wait(
        atMost limit: Duration,
        _ register: (_ fire: @escaping @Sendable () -> Void) -> () -> Void
    ) async {
        let signal = OneShot<JobWaiter.Ending>()
        let goesOn = state.withLock { state in
            state.wake = { signal.fire(.timedOut) }
            return !state.isOver
        }
        // The permission may have ended before there was something to wake.
        guard goesOn, access?.hasEnded != true else { return }
        let waiter = server.news.watch.wait(
            for: id, on: loop, atMost: limit, until: { $0.state?.isFinal ?? true }, then: { signal.fire($0) })
        let forget = register { signal.fire(.timedOut) }
        let ending = await signal.wait()
        server.news.watch.abandon(waiter)
        forget()
        state.withLock { $0.wake = nil }
        // It ended at once: without a pause the readers would take the whole loop.
        if case .refused = ending { try? await loop.sleep(for: .seconds(1)) }
    }

    // MARK: Other servers

    /// Answers the questions of other servers for content that arrives here.
    static func answerOthers(_ server: Door) {
        server.engine.link.on(subject) { id, body, answer in
            guard let question = LiveQuestion(body), let board = server.store.artifacts?.live,
                let content = board.content(of: id.description, at: question.path)
            else { return }
            let extent = content.extent
            let position = question.position
            if let told = position.attempt, told != content.attempt {
                return answer(
                    LiveQuestion.answer(
                        LivePiece(
                            attempt: content.attempt, end: 0, isLast: true, isWhole: false, contentType: nil,
                            bytes: [])))
            }
            let tell: @Sendable () -> Void = {
                guard let piece = try? Self.piece(of: content, content.extent, after: position) else {
                    return
                }
                answer(LiveQuestion.answer(piece))
            }
            // What comes after the time of the question is not waited for: it is asked for again.
            let waiter = content.wait(beyond: position.offset ?? -1, then: tell)
            guard waiter != 0, extent.ending == nil else { return }
            Task(executorPreference: server.process.loops.withLock { $0.first }) {
                try? await Task.sleep(for: .milliseconds(question.patience))
                content.abandon(waiter)
            }
        }
    }
}

/// The answer of another server, if one comes.
private final class OneAnswer: Sendable {
    let bytes = Mutex<[UInt8]?>(nil)
}
