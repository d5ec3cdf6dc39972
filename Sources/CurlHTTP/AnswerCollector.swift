/// Collects one response: head lines and content, within their limits.
struct AnswerCollector {
    /// The reason why no more is accepted.
    enum Refusal: Hashable {
        case headTooLarge, bodyTooLarge, lengthIsUnclear
        /// A status line, or a first field, that libcurl accepts in some versions only.
        case headIsMalformed
        /// 101, for which no request asks: what follows is no HTTP.
        case switchesProtocols
    }

    /// The status of the final response, 200 or more; nil after interim responses only.
    private(set) var status: Int?
    /// The decoded content so far; empty when it is passed on.
    private(set) var body: [UInt8] = []
    /// The length of the decoded content so far.
    private(set) var contentCount = 0
    /// The reason why the last piece was refused.
    private(set) var refusal: Refusal?

    /// Whether the final head ended with its empty line. libcurl also accepts the end of the connection; the missing
    /// part may then contain the length of the content (RFC 9112 §8).
    var hasWholeHead: Bool { status != nil && headIsComplete }

    private var head: [UInt8] = []
    private var knownFields: [(name: String, value: String)]?
    private var announcedLength: AnnouncedLength = .none
    private var headIsComplete = false
    /// Whether a head begins with the next line.
    private var awaitsStatusLine = true
    private var headBytesTotal = 0
    private var headFieldsTotal = 0
    private var headBytesMax = 0
    private var bodyBytesMax = 0

    /// The maximum number of fields in all heads. Newer versions of libcurl permit 5,000.
    static let headFieldsMax = 4096

    /// Resets everything for the next response.
    mutating func begin(_ limits: CurlLimits, bodyBytesMax: Int) {
        headBytesMax = limits.answerHeadBytesMax
        self.bodyBytesMax = bodyBytesMax
        forget()
    }

    /// Discards what arrived.
    mutating func forget() {
        status = nil
        body = []
        refusal = nil
        contentCount = 0
        forgetHead()
        awaitsStatusLine = true
        headBytesTotal = 0
        headFieldsTotal = 0
    }

    private mutating func forgetHead() {
        head.removeAll(keepingCapacity: true)
        knownFields = nil
        headIsComplete = false
    }

    /// Takes one line of a head with its line end. A status line begins a new head, so that interim responses (1xx)
    /// leave nothing behind; lines after a complete final head are trailers and are dropped.
    ///
    /// - Returns: false when the heads together exceed their limits, the line is malformed, announced lengths differ,
    ///   or the status is 101.
    mutating func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytesTotal += line.count
        guard headBytesTotal <= headBytesMax else {
            refusal = .headTooLarge
            return false
        }
        if headIsComplete && status != nil { return countField() }
        if let code = unsafe Self.statusCode(line) {
            guard code != 101 else {
                refusal = .switchesProtocols
                return false
            }
            forgetHead()
            announcedLength = .none
            status = code >= 200 ? code : nil
            awaitsStatusLine = false
        } else if unsafe awaitsStatusLine || (head.isEmpty && Self.isContinued(line)) {
            refusal = .headIsMalformed
            return false
        } else if unsafe line.first == 0x0d || line.first == 0x0a {
            headIsComplete = true
            awaitsStatusLine = status == nil
        } else {
            guard countField() else { return false }
            unsafe head.append(contentsOf: line)
            guard unsafe announcedLength.take(line) else {
                refusal = .lengthIsUnclear
                return false
            }
        }
        return true
    }

    private mutating func countField() -> Bool {
        headFieldsTotal += 1
        guard headFieldsTotal <= Self.headFieldsMax else {
            refusal = .headTooLarge
            return false
        }
        return true
    }

    /// Counts a piece of content against the limit.
    ///
    /// - Returns: false when the content is too long.
    mutating func admit(_ count: Int) -> Bool {
        guard count <= bodyBytesMax - contentCount else {
            refusal = .bodyTooLarge
            return false
        }
        contentCount += count
        return true
    }

    /// Keeps an admitted piece of content.
    ///
    /// - Parameter announced: the length of the whole content if announced, else a negative number.
    mutating func keep(_ bytes: UnsafeRawBufferPointer, announced: @autoclosure () -> Int) {
        if body.isEmpty {
            body.reserveCapacity(max(bytes.count, min(announced(), bodyBytesMax, 1 << 20)))
        }
        unsafe body.append(contentsOf: bytes)
    }

    /// The fields of the final head, in order, names as received. A continued line (obsolete folding) is joined to the
    /// value before it with a space, as RFC 9112 §5.2 requires of a client.
    mutating func fields() -> [(name: String, value: String)] {
        if let knownFields { return knownFields }
        let read = readFields()
        if headIsComplete { knownFields = read }
        return read
    }

    private func readFields() -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(12)
        let bytes = head.span
        var start = 0
        while start < bytes.count {
            var end = start
            var colon: Int?
            while end < bytes.count, bytes[end] != 0x0a {
                if colon == nil, bytes[end] == UInt8(ascii: ":") { colon = end }
                end += 1
            }
            if bytes[start] == 0x20 || bytes[start] == 0x09 {
                if let last = fields.indices.last { fields[last].value += " " + Self.text(bytes, start, end) }
            } else if let colon {
                let name = Self.text(bytes, start, colon)
                fields.append((name, Self.text(bytes, colon + 1, end, of: name)))
            }
            start = end + 1
        }
        return fields
    }

    private static func isVersion(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        ["1.1", "1.0", "2"].contains { unsafe bytes.elementsEqual($0.utf8) }
    }

    /// Fields whose values are URIs, in which bytes above ASCII are percent-encoded.
    private static let references: Set<String> = ["location", "content-location", "operation-location"]

    /// Decodes bytes without surrounding white space: as UTF-8 if valid, else as ISO-8859-1 (RFC 9110 §5.5).
    /// - Parameter field: the name, for the value of a field.
    private static func text(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int, of field: String? = nil
    ) -> String {
        var start = start
        var end = end
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        let text = bytes.extracting(start..<end)
        do { return String(copying: try UTF8Span(validating: text)) } catch {
            return latin1(text, isReference: field.map { references.contains($0.lowercased()) } ?? false)
        }
    }

    private static func latin1(_ bytes: Span<UInt8>, isReference: Bool) -> String {
        var text = ""
        for index in bytes.indices {
            let byte = bytes[index]
            let isEncoded = isReference && byte >= 0x80
            text += isEncoded ? "%" + hex(byte) : String(Character(Unicode.Scalar(byte)))
        }
        return text
    }

    private static func hex(_ byte: UInt8) -> String { String(byte, radix: 16, uppercase: true) }

    /// Whether a line continues the field before it (obsolete folding).
    private static func isContinued(_ line: UnsafeRawBufferPointer) -> Bool {
        unsafe line.first == 0x20 || line.first == 0x09
    }

    /// The code in a status line such as `HTTP/1.1 200 OK` or `HTTP/2 200`; nil for other lines.
    private static func statusCode(_ line: UnsafeRawBufferPointer) -> Int? {
        guard line.count >= 12, unsafe line.starts(with: "HTTP/".utf8) else { return nil }
        guard let space = unsafe line.firstIndex(of: 0x20) else { return nil }
        guard space + 4 <= line.count, unsafe isVersion(line[5..<space]) else { return nil }
        guard unsafe space + 4 == line.count || line[space + 4] <= 0x20 else { return nil }
        var code = 0
        for index in (space + 1)...(space + 3) {
            let digit = unsafe line[index]
            guard (0x30...0x39).contains(digit) else { return nil }
            code = code * 10 + Int(digit - 0x30)
        }
        return code
    }
}
