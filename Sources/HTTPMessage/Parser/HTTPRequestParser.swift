/// The next event of the parser.
package enum HTTPParserEvent: Sendable {
    /// All input is consumed; more is needed.
    case needMore
    /// A validated request head.
    case head(HTTPRequestHead)
    /// A piece of the body, as positions in the input. Never empty.
    case body(Range<Int>)
    /// The request is complete. The next call starts the next request.
    case end
    /// The input is not an acceptable request: answer with the status and close. Repeated by every further call.
    case failure(HTTPParseFailure)
}

/// A strict HTTP/1.1 request parser (RFC 9112) without I/O: bytes in, events out.
///
/// DESIGN: a head is copied once, line by line, into the array that the head's fields and target then share; each line
/// is checked when its end has arrived. Clients usually send the same head again and again: one that repeats the last
/// head byte for byte is not parsed again. Body bytes are never touched, only counted. The events do not depend on how
/// the input is split, except that body pieces may be split further. Anything that two parsers could understand
/// differently is refused, since such differences enable request smuggling.
package struct HTTPRequestParser: Sendable {
    @usableFromInline
    enum State {
        case start(emptyLines: Int)
        case startLineFeed(emptyLines: Int)
        case requestLine
        case fieldLine
        case body(remaining: Int)
        case chunks
        case end
        case failed
    }

    /// The effect of a piece of a head.
    private enum LineStep {
        case needMore, nextLine, head, failed
    }

    /// The limits for every request.
    package let limits: HTTPParserLimits
    @usableFromInline
    var state = State.start(emptyLines: 0)
    private var head: [UInt8] = []
    private var lineStart = 0
    private var draft = HTTPHeadDraft()
    /// The last head, unless it is long.
    private var known: HTTPRequestHead?
    @usableFromInline
    var chunks = HTTPChunkReader()
    private let headBytesMax: Int
    /// A longer head is not kept, to save memory on idle connections.
    private static let knownBytesMax = 1 << 10
    private var failure: HTTPParseFailure?

    /// Creates a parser for the requests of one connection.
    package init(limits: HTTPParserLimits = HTTPParserLimits()) {
        self.limits = limits
        headBytesMax = min(limits.headBytesMax, 16 << 20)
    }

    /// Whether the parser is between two requests, with no byte of the next one seen.
    package var isBetweenRequests: Bool {
        if case .start(0) = state { return true }
        return false
    }

    /// Whether a head has begun and is not complete.
    @inlinable
    package var isInsideHead: Bool {
        switch state {
        case .start(let emptyLines): emptyLines > 0
        case .startLineFeed, .requestLine, .fieldLine: true
        case .body, .chunks, .end, .failed: false
        }
    }

    /// Whether part of a head has come, beyond empty lines before it (RFC 9112 §2.2).
    package var hasPartOfHead: Bool {
        switch state {
        case .requestLine, .fieldLine: true
        case .start, .startLineFeed, .body, .chunks, .end, .failed: false
        }
    }

    /// The size of the current body's chunks, including the last one announced; 0 for a body that is not chunked.
    @inlinable
    package var announcedBodyBytes: Int {
        if case .chunks = state { return chunks.bodyBytes }
        return 0
    }

    /// Consumes `input` from `position` up to the next event, and advances `position`.
    ///
    /// Call until `.needMore` or `.failure`; then `position` is at the end of the input, or undefined after a failure.
    /// Consumed input need not be passed again.
    package mutating func next(_ input: Span<UInt8>, from position: inout Int) -> HTTPParserEvent {
        precondition(position >= 0 && position <= input.count, "the position lies inside the input")
        while true {
            switch state {
            case .start(let emptyLines):
                guard position < input.count else { return .needMore }
                if let head = repeatedHead(input, from: &position) { return beginContent(of: head) }
                beginRequest(input[position], after: emptyLines, position: &position)
            case .startLineFeed(let emptyLines):
                guard position < input.count else { return .needMore }
                endEmptyLine(input[position], number: emptyLines)
                position += 1
            case .requestLine, .fieldLine:
                switch takeLine(input, from: &position) {
                case .needMore: return .needMore
                case .nextLine, .failed: continue
                case .head: return endHead()
                }
            case .body(let remaining):
                return takeBody(input, from: &position, remaining: remaining)
            case .chunks:
                return takeChunks(input, from: &position)
            case .end:
                state = .start(emptyLines: 0)
                return .end
            case .failed:
                return failure.map { .failure($0) } ?? .needMore
            }
        }
    }

    private mutating func beginRequest(_ byte: UInt8, after emptyLines: Int, position: inout Int) {
        if byte == 0x0D, emptyLines < HTTPParserLimits.leadingEmptyLinesMax {
            state = .startLineFeed(emptyLines: emptyLines)
            position += 1
        } else if byte.isTokenByte {
            head = []
            lineStart = 0
            draft = HTTPHeadDraft()
            state = .requestLine
        } else {
            fail(HTTPParseFailure(.requestLine, "A request starts with a method, such as GET."))
        }
    }

    /// The last head, when the same bytes follow, which are consumed then.
    private func repeatedHead(_ input: Span<UInt8>, from position: inout Int) -> HTTPRequestHead? {
        guard let known else { return nil }
        let end = position + known.fields.bytes.count
        guard end <= input.count,
            input.extracting(position..<end).hasSameBytes(as: known.fields.bytes.span)
        else { return nil }
        position = end
        return known
    }

    private mutating func endEmptyLine(_ byte: UInt8, number: Int) {
        if byte == 0x0A {
            state = .start(emptyLines: number + 1)
        } else {
            fail(HTTPParseFailure(.lineEnd, "A carriage return is not followed by a line feed."))
        }
    }

    /// Copies input up to the end of the current line, and processes the line when it is complete.
    private mutating func takeLine(_ input: Span<UInt8>, from position: inout Int) -> LineStep {
        let isRequestLine = lineStart == 0
        let lineMax =
            isRequestLine
            ? min(limits.targetBytesMax, headBytesMax) + HTTPParserLimits.requestLineExtraBytesMax + 2
            : headBytesMax
        let isComplete = copyLine(input, from: &position, headMax: lineMax)
        guard head.count <= lineMax else {
            fail(isRequestLine ? Self.targetTooLong(limits) : Self.fieldsTooLarge(headBytesMax))
            return .failed
        }
        guard isComplete else { return .needMore }
        do throws(HTTPParseFailure) {
            return try endLine(isRequestLine: isRequestLine) ? .head : .nextLine
        } catch {
            fail(error)
            return .failed
        }
    }

    /// Appends input to `head` up to and including a line feed, or one byte beyond `headMax` in all.
    private mutating func copyLine(_ input: Span<UInt8>, from position: inout Int, headMax: Int) -> Bool {
        let stop = min(input.count, position + max(0, headMax - head.count) + 1)
        let rest = input.extracting(position..<stop)
        var end = 0
        while end < rest.count, rest[end] != 0x0A { end += 1 }
        let isComplete = end < rest.count
        let line = rest.extracting(first: isComplete ? end + 1 : end)
        if line.isEmpty { return false }
        let count = head.count + line.count
        if count > head.capacity { head.reserveCapacity(max(512, count, head.count * 2)) }
        head.append(addingCapacity: line.count) { output in
            for index in line.indices { output.append(line[index]) }
        }
        position += line.count
        return isComplete
    }

    /// Processes the complete line at the end of `head`. Returns whether the head is complete.
    private mutating func endLine(isRequestLine: Bool) throws(HTTPParseFailure) -> Bool {
        let lineEnd = head.count - 2
        guard lineEnd >= lineStart, head[lineEnd] == 0x0D else {
            throw HTTPParseFailure(.lineEnd, "A line ends with a bare line feed; it must be CR LF.")
        }
        if isRequestLine {
            try draft.takeRequestLine(head, to: lineEnd, targetBytesMax: limits.targetBytesMax)
            state = .fieldLine
        } else if lineEnd == lineStart {
            try draft.check()
            return true
        } else {
            guard draft.fieldCount < limits.fieldsMax else {
                throw HTTPParseFailure(
                    .fieldsTooLarge, .fieldsTooLarge, "There are more than \(limits.fieldsMax) fields.")
            }
            try draft.takeField(head, from: lineStart, to: lineEnd)
        }
        lineStart = head.count
        return false
    }

    private mutating func endHead() -> HTTPParserEvent {
        let complete = draft.head(bytes: head)
        known = head.count <= Self.knownBytesMax ? complete : nil
        head = []
        return beginContent(of: complete)
    }

    private mutating func beginContent(of head: HTTPRequestHead) -> HTTPParserEvent {
        switch head.framing {
        case .none:
            state = .end
        case .length(let length):
            guard length <= limits.bodyBytesMax else { return fail(Self.bodyTooLarge(limits.bodyBytesMax)) }
            state = .body(remaining: length)
        case .chunked:
            chunks = HTTPChunkReader(limits: limits)
            state = .chunks
        }
        return .head(head)
    }

    private mutating func takeBody(
        _ input: Span<UInt8>, from position: inout Int, remaining: Int
    ) -> HTTPParserEvent {
        let length = min(remaining, input.count - position)
        guard length > 0 else { return .needMore }
        let piece = position..<(position + length)
        position += length
        state = length == remaining ? .end : .body(remaining: remaining - length)
        return .body(piece)
    }

    private mutating func takeChunks(_ input: Span<UInt8>, from position: inout Int) -> HTTPParserEvent {
        switch chunks.next(input, from: &position) {
        case .needMore: return .needMore
        case .body(let piece): return .body(piece)
        case .failure(let failure): return fail(failure)
        case .end:
            state = .start(emptyLines: 0)
            return .end
        }
    }

    @discardableResult
    private mutating func fail(_ failure: HTTPParseFailure) -> HTTPParserEvent {
        state = .failed
        self.failure = failure
        head = []
        return .failure(failure)
    }

    static func bodyTooLarge(_ bytesMax: Int) -> HTTPParseFailure {
        HTTPParseFailure(.contentTooLarge, .bodyTooLarge, "The body is larger than \(bytesMax) bytes.")
    }

    private static func targetTooLong(_ limits: HTTPParserLimits) -> HTTPParseFailure {
        HTTPParseFailure(
            .targetTooLong, .targetTooLong,
            "The request target is longer than \(limits.targetBytesMax) bytes.")
    }

    static func fieldsTooLarge(_ bytesMax: Int) -> HTTPParseFailure {
        HTTPParseFailure(.fieldsTooLarge, .fieldsTooLarge, "The fields take more than \(bytesMax) bytes.")
    }
}
