/// The framing of the bytes after a response head.
package enum HTTPResponseFraming: Sendable, Hashable {
    /// No content, or a response to HEAD.
    case none
    /// The announced number of bytes.
    case length(Int)
    /// Chunks; send each piece through `appendChunk` and finish with `appendLastChunk`.
    case chunked
    /// Bytes until the connection closes, for HTTP/1.0 clients when the length is unknown.
    case untilClose
}

/// Serializes responses (RFC 9112). Stateless and without I/O.
package enum HTTPResponseWriter {
    /// Appends the head of `response` to `bytes`, with line ends.
    ///
    /// - Parameters:
    ///   - isHead: whether the request was HEAD: lengths are announced, no content follows.
    ///   - minorVersion: of the request, 0 or 1.
    ///   - keepAlive: whether the connection stays open. A response that ends with the connection (`.untilClose`)
    ///     announces the close in any case.
    ///   - dateLine: the Date field with its line end, see `dateLine`; made once per second by the caller.
    /// - Returns: the framing of the bytes that follow.
    package static func appendHead(
        of response: HTTPResponse, isHead: Bool = false, minorVersion: Int = 1, keepAlive: Bool,
        dateLine: [UInt8], to bytes: inout [UInt8]
    ) -> HTTPResponseFraming {
        let framing = framing(of: response, minorVersion: minorVersion)
        bytes.reserveCapacity(bytes.count + response.fields.bytes.count + 256)
        appendStatusLine(response.status, to: &bytes)
        appendFields(response.fields, to: &bytes)
        if response.isAlwaysAsked, !response.fields.contains("cache-control") {
            bytes.append(contentsOf: response.fields.contains("etag") ? noCache : noStore)
        }
        if let id = response.requestID { appendRequestID(id, to: &bytes) }
        response.timing?.append(to: &bytes)
        bytes.append(contentsOf: dateLine)
        switch framing {
        case .none:
            if !response.status.forbidsBody { appendLength(0, to: &bytes) }
        case .length(let length):
            appendLength(length, to: &bytes)
        case .chunked:
            bytes.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
        case .untilClose:
            break
        }
        if !keepAlive || framing == .untilClose {
            bytes.append(contentsOf: "Connection: close\r\n".utf8)
        } else if minorVersion == 0 {
            bytes.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
        appendLineEnd(to: &bytes)
        return isHead ? .none : framing
    }

    /// The Date field of a response written now, with its line end (RFC 9110 §6.6.1).
    package static func dateLine(_ date: HTTPDate) -> [UInt8] { Array("Date: \(date)\r\n".utf8) }

    /// Appends `100 Continue`, the interim response to `Expect: 100-continue`.
    package static func appendContinue(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    /// Appends one piece of content as a chunk. An empty piece appends nothing, since it would end the content.
    package static func appendChunk(_ piece: [UInt8], to bytes: inout [UInt8]) {
        guard !piece.isEmpty else { return }
        appendChunkHead(length: piece.count, to: &bytes)
        bytes.append(contentsOf: piece)
        appendLineEnd(to: &bytes)
    }

    /// Appends the line before a chunk of `length` bytes, at least 1; the chunk and CR LF must follow.
    package static func appendChunkHead(length: Int, to bytes: inout [UInt8]) {
        precondition(length > 0, "an empty chunk would end the content")
        bytes.append(contentsOf: String(length, radix: 16).utf8)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// Appends the chunk that ends the content.
    package static func appendLastChunk(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "0\r\n\r\n".utf8)
    }

    private static func framing(of response: HTTPResponse, minorVersion: Int) -> HTTPResponseFraming {
        if response.status.forbidsBody { return .none }
        guard let length = response.body.length else { return minorVersion == 0 ? .untilClose : .chunked }
        return length > 0 ? .length(length) : .none
    }

    private static func appendStatusLine(_ status: HTTPStatus, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: statusLines[status.code - 100])
    }

    private static let noCache = Array("Cache-Control: no-cache\r\n".utf8)
    private static let noStore = Array("Cache-Control: no-store\r\n".utf8)
    private static let requestIDName = Array("X-Request-Id: ".utf8)
    private static let lengthName = Array("Content-Length: ".utf8)

    /// Indexed from status 100.
    private static let statusLines = (100...599).map { code in
        Array("HTTP/1.1 \(code) \(HTTPStatus(code).reason)\r\n".utf8)
    }

    private static func appendFields(_ fields: HTTPFields, to bytes: inout [UInt8]) {
        if fields.isWireForm, !fields.entries.contains(where: { isOwn($0, in: fields) }) {
            bytes.append(contentsOf: fields.bytes)
            return
        }
        for entry in fields.entries where !isOwn(entry, in: fields) {
            bytes.append(contentsOf: fields.bytes[Int(entry.nameStart)..<Int(entry.nameEnd)])
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: fields.value(of: entry))
            bytes.append(contentsOf: "\r\n".utf8)
        }
    }

    /// Whether the writer sets this field itself.
    private static func isOwn(_ entry: HTTPFields.Entry, in fields: HTTPFields) -> Bool {
        switch entry.nameEnd - entry.nameStart {
        case 4: fields.isNamed("date", entry)
        case 10: fields.isNamed("connection", entry)
        case 14: fields.isNamed("content-length", entry)
        case 17: fields.isNamed("transfer-encoding", entry)
        default: false
        }
    }

    private static func appendRequestID(_ id: String, to bytes: inout [UInt8]) {
        let text = id.utf8.span
        for index in text.indices where !text[index].isFieldValueByte { return }
        bytes.append(contentsOf: requestIDName)
        bytes.append(contentsOf: id.utf8)
        appendLineEnd(to: &bytes)
    }

    private static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: lengthName)
        append(length, to: &bytes)
        appendLineEnd(to: &bytes)
    }

    /// Appends a number that is not negative.
    static func append(_ number: Int, to bytes: inout [UInt8]) {
        var unit = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }

    private static func appendLineEnd(to bytes: inout [UInt8]) {
        bytes.append(0x0D)
        bytes.append(0x0A)
    }
}
