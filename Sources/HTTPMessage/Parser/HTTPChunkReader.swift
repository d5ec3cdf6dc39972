/// Decodes a chunked request body (RFC 9112 §7.1) and discards trailers. As strict as the parser around it.
@usableFromInline
struct HTTPChunkReader: Sendable {
    enum Event {
        case needMore
        case body(Range<Int>)
        case end
        case failure(HTTPParseFailure)
    }

    private enum State {
        case sizeLine
        case data(remaining: Int)
        case dataCarriageReturn
        case dataLineFeed
        case trailerLine
    }

    private var state = State.sizeLine
    private var line: [UInt8] = []
    /// The total size of all announced chunks.
    @usableFromInline private(set) var bodyBytes = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailers = 0
    private let limits: HTTPParserLimits

    init(limits: HTTPParserLimits = HTTPParserLimits()) {
        self.limits = limits
    }

    /// Consumes input up to the next event.
    mutating func next(_ input: Span<UInt8>, from position: inout Int) -> Event {
        while position < input.count {
            let event: Event?
            switch state {
            case .sizeLine: event = takeSizeByte(input, from: &position)
            case .data(let remaining): event = takeData(input, from: &position, remaining: remaining)
            case .dataCarriageReturn, .dataLineFeed: event = takeDataEnd(input, from: &position)
            case .trailerLine: event = takeTrailerByte(input, from: &position)
            }
            if let event { return event }
        }
        return .needMore
    }

    private mutating func takeSizeByte(_ input: Span<UInt8>, from position: inout Int) -> Event? {
        let byte = input[position]
        position += 1
        line.append(byte)
        guard line.count <= limits.chunkLineBytesMax else {
            return Self.bad("A chunk-size line is too long.")
        }
        guard byte == 0x0A else { return nil }
        return endSizeLine()
    }

    private mutating func endSizeLine() -> Event? {
        guard line.count >= 2, line[line.count - 2] == 0x0D else {
            return Self.bad("A chunk-size line ends with a bare line feed; it must be CR LF.")
        }
        let end = line.count - 2
        var size = 0
        var index = 0
        while index < end, let digit = line[index].hexDigitValue {
            guard size >> 55 == 0 else { return Self.bad("A chunk size is beyond all bounds.") }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard index > 0 else { return Self.bad("A chunk size is not a plain hexadecimal number.") }
        extensionBytes += end - index
        guard extensionBytes <= limits.chunkExtensionBytesMax else {
            return Self.bad("The chunk extensions are too long.")
        }
        guard HTTPChunkExtension.areValid(line.span, from: index, to: end) else {
            return Self.bad("A chunk size is followed by something that is not a chunk extension.")
        }
        line.removeAll(keepingCapacity: true)
        guard size <= limits.bodyBytesMax - bodyBytes else {
            return .failure(HTTPRequestParser.bodyTooLarge(limits.bodyBytesMax))
        }
        bodyBytes += size
        state = size == 0 ? .trailerLine : .data(remaining: size)
        return nil
    }

    private mutating func takeData(_ input: Span<UInt8>, from position: inout Int, remaining: Int) -> Event {
        let length = min(remaining, input.count - position)
        let piece = position..<(position + length)
        position += length
        state = length == remaining ? .dataCarriageReturn : .data(remaining: remaining - length)
        return .body(piece)
    }

    private mutating func takeDataEnd(_ input: Span<UInt8>, from position: inout Int) -> Event? {
        let byte = input[position]
        position += 1
        if case .dataCarriageReturn = state, byte == 0x0D {
            state = .dataLineFeed
        } else if case .dataLineFeed = state, byte == 0x0A {
            state = .sizeLine
        } else {
            return Self.bad("The data of a chunk is not followed by CR LF.")
        }
        return nil
    }

    private mutating func takeTrailerByte(_ input: Span<UInt8>, from position: inout Int) -> Event? {
        let byte = input[position]
        position += 1
        line.append(byte)
        trailerBytes += 1
        guard trailerBytes <= limits.trailerBytesMax else {
            return .failure(HTTPRequestParser.fieldsTooLarge(limits.trailerBytesMax))
        }
        guard byte == 0x0A else { return nil }
        let end = line.count - 2
        guard end >= 0, line[end] == 0x0D else {
            return .failure(
                HTTPParseFailure(.lineEnd, "A trailer line ends with a bare line feed; it must be CR LF."))
        }
        if end == 0 { return .end }
        trailers += 1
        guard trailers <= limits.fieldsMax else {
            return .failure(
                HTTPParseFailure(
                    .fieldsTooLarge, .fieldsTooLarge, "There are more than \(limits.fieldsMax) trailers."))
        }
        do {
            _ = try HTTPFieldLine.read(line.span, from: 0, to: end)
        } catch {
            return .failure(error)
        }
        line.removeAll(keepingCapacity: true)
        return nil
    }

    private static func bad(_ detail: String) -> Event {
        .failure(HTTPParseFailure(.chunk, detail))
    }
}
