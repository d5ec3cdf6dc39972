/// A request head whose lines are arriving: checks each line, and keeps positions and the facts about framing.
struct HTTPHeadDraft: Sendable {
    private enum TransferCoding {
        case none, chunked
    }

    private var method = HTTPMethod.get
    private var targetStart = 0
    private var targetEnd = 0
    private var layout = RequestTargetLayout(form: .origin, authorityStart: 0, pathStart: 0, pathEnd: 0)
    private var minorVersion = 1
    private var entries: [HTTPFields.Entry] = []
    private var hasHost = false
    private var contentLength: Int?
    private var transferCoding = TransferCoding.none
    private var asksClose = false
    private var asksKeepAlive = false
    private var expectsContinue = false

    var fieldCount: Int { entries.count }

    /// Reads `method SP target SP version` from the first `end` bytes.
    mutating func takeRequestLine(_ head: [UInt8], to end: Int, targetBytesMax: Int) throws(HTTPParseFailure)
    {
        let bytes = head.span
        var index = 0
        while index < end, bytes[index].isTokenByte { index += 1 }
        guard index < end, bytes[index] == 0x20 else {
            throw HTTPParseFailure(.requestLine, "The method is followed by exactly one space.")
        }
        guard index <= HTTPParserLimits.methodBytesMax else {
            throw HTTPParseFailure(
                .notImplemented, .method,
                "The method is longer than \(HTTPParserLimits.methodBytesMax) bytes.")
        }
        method = Self.method(bytes, length: index)
        targetStart = index + 1
        index = targetStart
        while index < end, bytes[index] != 0x20 { index += 1 }
        targetEnd = index
        guard index < end else {
            throw HTTPParseFailure(
                .requestLine, "The request line ends without a version, such as HTTP/1.1.")
        }
        try takeVersion(bytes, from: index + 1, to: end)
        guard targetEnd - targetStart <= targetBytesMax else {
            throw HTTPParseFailure(
                .targetTooLong, .targetTooLong, "The request target is longer than \(targetBytesMax) bytes.")
        }
        try takeTarget(bytes)
    }

    private static func method(_ bytes: Span<UInt8>, length: Int) -> HTTPMethod {
        if spells(bytes, "GET", length) { return .get }
        if spells(bytes, "POST", length) { return .post }
        var name = ""
        for index in 0..<length { name.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        return HTTPMethod(token: name)
    }

    private static func spells(_ bytes: Span<UInt8>, _ name: String, _ length: Int) -> Bool {
        let wanted = name.utf8.span
        guard wanted.count == length else { return false }
        for index in 0..<length where bytes[index] != wanted[index] { return false }
        return true
    }

    private mutating func takeVersion(_ bytes: Span<UInt8>, from start: Int, to end: Int)
        throws(HTTPParseFailure)
    {
        guard end - start == 8, Self.isHTTP(bytes, at: start), bytes[start + 5].isDigitByte,
            bytes[start + 6] == 0x2E, bytes[start + 7].isDigitByte
        else {
            throw HTTPParseFailure(
                .requestLine, "The request line ends with one space and a version, such as HTTP/1.1.")
        }
        guard bytes[start + 5] == 0x31 else {
            throw HTTPParseFailure(
                .versionNotSupported, .version, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
        // A higher minor version is read as the highest known one (RFC 9110 §2.5).
        minorVersion = min(Int(bytes[start + 7] - 0x30), 1)
    }

    private static func isHTTP(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        bytes[start] == 0x48 && bytes[start + 1] == 0x54 && bytes[start + 2] == 0x54
            && bytes[start + 3] == 0x50
            && bytes[start + 4] == 0x2F
    }

    private mutating func takeTarget(_ bytes: Span<UInt8>) throws(HTTPParseFailure) {
        if method == .connect {
            throw HTTPParseFailure(.notImplemented, .method, "CONNECT is not served; this is not a proxy.")
        }
        do {
            layout = try RequestTargetLayout.read(bytes, from: targetStart, to: targetEnd)
        } catch {
            throw HTTPParseFailure(.target, "The request target \(error.text).")
        }
        guard layout.form != .asterisk || method == .options else {
            throw HTTPParseFailure(.target, "The request target * goes with OPTIONS only.")
        }
    }

    /// Reads `name: value` from the bytes between `start` and `end`.
    mutating func takeField(_ head: [UInt8], from start: Int, to end: Int) throws(HTTPParseFailure) {
        let bytes = head.span
        let entry = try HTTPFieldLine.read(bytes, from: start, to: end)
        if entries.isEmpty { entries.reserveCapacity(8) }
        entries.append(entry)
        try takeMeaning(bytes, entry)
    }

    /// Interprets the few fields that affect framing and the connection, distinguished by their lengths first.
    private mutating func takeMeaning(_ bytes: Span<UInt8>, _ entry: HTTPFields.Entry)
        throws(HTTPParseFailure)
    {
        let start = Int(entry.nameStart)
        let end = Int(entry.nameEnd)
        let valueStart = Int(entry.valueStart)
        let valueEnd = Int(entry.valueEnd)
        switch end - start {
        case 4 where bytes.spells("host", from: start, to: end):
            try takeHost(bytes, from: valueStart, to: valueEnd)
        case 6 where bytes.spells("expect", from: start, to: end):
            expectsContinue = expectsContinue || bytes.spells("100-continue", from: valueStart, to: valueEnd)
        case 10 where bytes.spells("connection", from: start, to: end):
            takeConnection(bytes, from: valueStart, to: valueEnd)
        case 14 where bytes.spells("content-length", from: start, to: end):
            try takeContentLength(bytes, from: valueStart, to: valueEnd)
        case 17 where bytes.spells("transfer-encoding", from: start, to: end):
            try takeTransferEncoding(bytes, from: valueStart, to: valueEnd)
        default:
            break
        }
    }

    private mutating func takeHost(_ bytes: Span<UInt8>, from start: Int, to end: Int)
        throws(HTTPParseFailure)
    {
        guard !hasHost else { throw HTTPParseFailure(.host, "The Host field is repeated.") }
        hasHost = true
        guard HostText.isValid(bytes, from: start, to: end) else {
            throw HTTPParseFailure(
                .host, "The Host field is not a host name or address with an optional port.")
        }
    }

    private mutating func takeConnection(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        var index = start
        while index < end {
            while index < end, bytes[index] == 0x2C || bytes[index].isBlankByte { index += 1 }
            let optionStart = index
            while index < end, bytes[index] != 0x2C { index += 1 }
            var optionEnd = index
            while optionEnd > optionStart, bytes[optionEnd - 1].isBlankByte { optionEnd -= 1 }
            if bytes.spells("close", from: optionStart, to: optionEnd) { asksClose = true }
            if bytes.spells("keep-alive", from: optionStart, to: optionEnd) { asksKeepAlive = true }
        }
    }

    private mutating func takeContentLength(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPParseFailure) {
        guard contentLength == nil else {
            throw HTTPParseFailure(.framing, "Content-Length is repeated.")
        }
        guard start < end else { throw HTTPParseFailure(.framing, "Content-Length is empty.") }
        var length = 0
        for index in start..<end {
            guard bytes[index].isDigitByte else {
                throw HTTPParseFailure(.framing, "Content-Length is not a plain decimal number.")
            }
            let (tenfold, tenfoldOverflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = tenfold.addingReportingOverflow(Int(bytes[index] - 0x30))
            guard !tenfoldOverflow, !sumOverflow else {
                throw HTTPParseFailure(
                    .contentTooLarge, .bodyTooLarge, "Content-Length is beyond all bounds.")
            }
            length = sum
        }
        contentLength = length
    }

    private mutating func takeTransferEncoding(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPParseFailure) {
        guard transferCoding == .none else {
            throw HTTPParseFailure(.framing, "Transfer-Encoding is repeated.")
        }
        guard bytes.spells("chunked", from: start, to: end) else {
            var isToken = start < end
            for index in start..<end where !bytes[index].isTokenByte { isToken = false }
            throw isToken
                ? HTTPParseFailure(
                    .notImplemented, .transferCoding, "The only transfer coding served is chunked.")
                : HTTPParseFailure(.framing, "Transfer-Encoding is not exactly chunked.")
        }
        transferCoding = .chunked
    }

    /// The checks that need the whole head.
    func check() throws(HTTPParseFailure) {
        if transferCoding == .chunked {
            if contentLength != nil {
                throw HTTPParseFailure(.framing, "Content-Length and Transfer-Encoding come together.")
            }
            if minorVersion == 0 {
                throw HTTPParseFailure(.framing, "HTTP/1.0 has no Transfer-Encoding.")
            }
        }
        if !hasHost, minorVersion == 1 {
            throw HTTPParseFailure(.host, "The Host field is missing; HTTP/1.1 requires it.")
        }
    }

    /// The complete head; `bytes` are all its lines.
    func head(bytes: [UInt8]) -> HTTPRequestHead {
        let framing: HTTPBodyFraming =
            switch (transferCoding, contentLength) {
            case (.chunked, _): .chunked
            case (.none, .some(let length)) where length > 0: .length(length)
            case (.none, _): .none
            }
        return HTTPRequestHead(
            method: method, target: RequestTarget(bytes: bytes[targetStart..<targetEnd], layout: layout),
            minorVersion: minorVersion, fields: HTTPFields(bytes: bytes, entries: entries), framing: framing,
            keepAlive: !asksClose && (minorVersion == 1 || asksKeepAlive),
            expectsContinue: expectsContinue && minorVersion == 1 && framing != .none)
    }
}
