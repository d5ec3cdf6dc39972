import EventIO
import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET …/result?live` and `…/result?offset=…`: content that is read while it arrives. Offsets, long polls and event
/// streams are those of a protocol for streams: https://github.com/durable-streams/durable-streams, §5.
struct LiveResult {
    private enum Mode {
        /// All from the position on, until the end.
        case whole
        /// The part after the position that has arrived.
        case present
        /// The same, and else the first that comes.
        case longPoll
        case events
    }

    /// The longest wait of a long poll, and for a beginning.
    private static let patience = Duration.seconds(30)
    private static let modes = ["long-poll", "sse"]

    private let context: RequestContext
    private let mode: Mode
    private let position: LivePosition

    /// The request for content that arrives; nil when the query asks for the finished result. No other parameters are
    /// possible.
    init?(_ context: RequestContext) throws(Problem) {
        guard context.request.head.target.queryBytes != nil else { return nil }
        var query = context.query
        let (live, offset) = (query.text("live"), query.text("offset"))
        if let offset, LivePosition(offset) == nil {
            query.add(
                "offset", code: "query.value",
                detail: "offset must be -1 for the beginning, now, or a value of Stream-Next-Offset",
                suggestion: "-1")
        }
        if let live, !live.isEmpty, !Self.modes.contains(where: { live.hasSameBytes(as: $0) }) {
            query.add(
                "live", code: "query.value",
                detail: "live must be long-poll or sse, or have no value for all content until its end",
                suggestion: "sse")
        }
        try query.finish()
        if live == nil, offset == nil { return nil }
        self.context = context
        position = offset.flatMap(LivePosition.init) ?? .start
        mode =
            switch live {
            case nil: .present
            case "": .whole
            case let word?: word.hasSameBytes(as: "sse") ? .events : .longPoll
            }
    }

    /// Answers with the content of the operation at `path`.
    /// - Parameter unfinished: answers when there is none yet.
    func answer(
        of id: JobID, at path: [String], unfinished: @escaping @Sendable () throws(Problem) -> Void
    ) throws(Problem) {
        let reading = try LiveReading(context, of: id, at: path)
        context.exchange.whenAbandoned { reading.leave() }
        let isHead = context.request.head.method == .head
        let patience = mode == .present || isHead ? .zero : Self.patience
        Task(executorPreference: context.exchange.loop) { [self] in
            do throws(Problem) {
                let piece = try await reading.piece(after: position, patience: patience)
                if let piece, !isHead, mode == .whole || mode == .events {
                    return try stream(reading, piece)
                }
                reading.leave()
                if mode == .events, !isHead { return context.answer(LiveBody.nothing(after: position)) }
                guard mode == .whole, piece == nil else { return send(piece) }
                try unfinished()
            } catch {
                reading.leave()
                context.answer(error)
            }
        }
    }

    private func stream(_ reading: LiveReading, _ piece: LivePiece) throws(Problem) {
        guard mode == .events else {
            let fields = fields(of: piece)
            let body = LiveBody(reading, .bytes, from: position, first: piece)
            return context.answer(HTTPResponse(status: .ok, fields: fields, body: .stream(length: nil, body)))
        }
        let isText = piece.contentCoding == nil && Self.isText(piece.contentType)
        var fields = Self.eventFields
        if !isText { fields.add("Stream-SSE-Data-Encoding", "base64") }
        let body = LiveBody(reading, .events(isText: isText), from: position, first: piece)
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .stream(length: nil, body)))
    }

    private func send(_ piece: LivePiece?) {
        var fields = fields(of: piece)
        fields.add("Stream-Next-Offset", (piece?.next ?? position).text)
        if piece?.isLast ?? true { fields.add("Stream-Up-To-Date", "true") }
        if let piece, piece.isWhole, piece.isLast { fields.add("Stream-Closed", "true") }
        let bytes = piece?.bytes ?? []
        if mode == .longPoll, bytes.isEmpty {
            return context.answer(HTTPResponse(status: .noContent, fields: fields))
        }
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(bytes)))
    }

    /// The fields of an event stream.
    static let eventFields: HTTPFields = [
        "Content-Type": StreamText.contentType, "Cache-Control": "no-store", "X-Accel-Buffering": "no",
    ]

    private func fields(of piece: LivePiece?) -> HTTPFields {
        // Foreign content must not run as a page of this server.
        var fields: HTTPFields = [
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox",
        ]
        if let coding = piece?.contentCoding { fields.add("Content-Encoding", coding) }
        if let type = piece?.contentType, fields.add("Content-Type", type) { return fields }
        fields.add("Content-Type", "application/octet-stream")
        return fields
    }

    /// Whether content of this type is text in an event stream.
    private static func isText(_ contentType: String?) -> Bool {
        let type = (contentType ?? "").lowercased().utf8
        return type.starts(with: "text/".utf8) || type.starts(with: "application/json".utf8)
    }
}
