import EventIO
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto
import Synchronization

/// The body of a request to a callback URL on its way: in memory up to 256 KiB, then in a file. What is longer waits
/// until the spec has been read, which says how much may come.
final class CallbackSink: HTTPBodySink {
    private struct State {
        var count = 0
        /// The most that may come, or why nothing may; nil until the spec was read.
        var most: Result<Int, Problem>?
        var waiting: [@Sendable () -> Void] = []
    }

    let token: CallbackToken
    let id: UploadID
    let contentType: String?
    private let draft: any ArtifactDraft
    private let place: any ArtifactPlace
    private let state = Mutex(State())
    private let turn: UploadPlaces.Place
    private let refuse: @Sendable (Problem) -> HTTPResponse

    private init(
        _ token: CallbackToken, _ id: UploadID, of head: HTTPRequestHead, in place: any ArtifactPlace,
        _ turn: UploadPlaces.Place, refuse: @escaping @Sendable (Problem) -> HTTPResponse
    ) throws(Problem) {
        self.token = token
        self.id = id
        self.place = place
        self.turn = turn
        self.refuse = refuse
        contentType = try Negotiation.contentType(head).map {
            String(decoding: $0.prefix(255), as: UTF8.self)
        }
        draft = place.draft(for: id.description)
    }

    deinit { place.release(owner: id.description) }

    /// Begins to take a body, of a URL that a server of this store made.
    static func begin(
        _ door: LoopDoor, _ head: HTTPRequestHead, _ caller: Caller, _ peer: PeerAddress,
        refuse: @escaping @Sendable (Problem) -> HTTPResponse
    ) throws(Problem) -> CallbackSink {
        let path = door.server.entrance.path(of: head)
        let token = try CallbackTarget.token(path.dropFirst(CallbackPath.prefix.count), door.server)
        try Negotiation.checkEncoding(head)
        guard let place = door.server.store.artifacts else {
            throw Problem(.storageUnavailable, "This server keeps no files.")
        }
        var words = DrawnWords(door.randomWords.pair())
        let id = UploadID(bits: JobID(at: SystemTime.now(), using: &words))
        let turn = try door.server.limits.reports.take(
            for: String(describing: door.client(head, peer, caller)))
        let sink = try CallbackSink(token, id, of: head, in: place, turn, refuse: refuse)
        // The handler reads the spec anyway.
        if let length = head.contentLength, length <= place.inlineBytesMax {
            sink.permit(.success(length))
            return sink
        }
        let (server, reads) = (door.server, WeakSink(sink))
        let isRead = server.reads.threads.run { reader in
            reads.sink?.permit(
                Result { () throws(Problem) in try CallbackTarget(token, reader, server).rules.bytesMax })
        }
        guard isRead else {
            throw Problem(.overloaded, "Too many requests are being read at once. Send it again.")
        }
        return sink
    }

    /// The reader does not keep a body whose sender is gone.
    private struct WeakSink: Sendable {
        weak let sink: CallbackSink?

        init(_ sink: CallbackSink) { self.sink = sink }
    }

    private func permit(_ most: Result<Int, Problem>) {
        let waiting = state.withLock { state in
            state.most = most
            defer { state.waiting = [] }
            return state.waiting
        }
        for next in waiting { next() }
    }

    var backpressure: (any Backpressure)? { Gate(sink: self) }

    /// Holds the body back until the spec was read.
    private struct Gate: Backpressure {
        let sink: CallbackSink

        var isOn: Bool {
            sink.state.withLock { $0.most == nil && $0.count > sink.place.inlineBytesMax }
                || sink.place.backpressure?.isOn ?? false
        }

        func whenOff(_ then: @escaping @Sendable () -> Void) {
            let isUnread = sink.state.withLock { state in
                guard state.most == nil else { return false }
                state.waiting.append(then)
                return true
            }
            if isUnread { return }
            if let disk = sink.place.backpressure { disk.whenOff(then) } else { then() }
        }
    }

    func take(_ bytes: Span<UInt8>) -> HTTPResponse? {
        let (count, most) = state.withLock { state in
            state.count += bytes.count
            return (state.count, state.most)
        }
        // Within memory the handler refuses it, which records why.
        if let most, count > place.inlineBytesMax {
            switch most {
            case .failure(let problem): return refuse(problem)
            case .success(let most) where count > most:
                return refuse(
                    Problem(
                        .payloadTooLarge,
                        "The body is larger than \(most) bytes, the limit of this callback."))
            case .success: break
            }
        }
        do throws(ArtifactFailure) { try draft.append(bytes) } catch { return refuse(Problem(error)) }
        return nil
    }

    /// The content, which is durable when it is in a file, and kept until the sink is released.
    func finish() async throws(Problem) -> ArtifactContent {
        do throws(ArtifactFailure) { return try await draft.finish() } catch { throw Problem(error) }
    }
}
