/// A recursive descent parser over the bytes of one document. Depth is counted, so the stack is bounded.
///
/// The bytes are passed along instead of stored: a span may not outlive its owner.
struct JSONReader {
    let limits: JSONLimits
    var offset = 0
    /// The buffer for text with escapes, kept between strings to allocate once.
    var unescaped: [UInt8] = []
    private var depthLeft: Int
    private var membersLeft: Int

    init(limits: JSONLimits) {
        self.limits = limits
        depthLeft = min(limits.depthMax, JSONLimits.depthCeiling)
        membersLeft = limits.membersMax
    }

    /// Parses the only value of the document, with white space around it.
    mutating func document(_ bytes: Span<UInt8>) throws(JSONFault) -> JSONValue {
        guard bytes.count <= limits.bytesMax else { throw .tooManyBytes(bytes.count, limit: limits.bytesMax) }
        if let fault = JSONFault.foreignEncoding(bytes) { throw fault }
        skipWhiteSpace(bytes)
        let value = try value(bytes)
        skipWhiteSpace(bytes)
        guard offset == bytes.count else { throw .trailingBytes(bytes, at: offset) }
        return value
    }

    /// Parses the value that the bytes begin with; `offset` is behind it then.
    mutating func first(_ bytes: Span<UInt8>) throws(JSONFault) -> JSONValue { try value(bytes) }

    private mutating func value(_ bytes: Span<UInt8>) throws(JSONFault) -> JSONValue {
        guard offset < bytes.count else { throw .noValue(bytes, at: offset) }
        switch bytes[offset] {
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "{"): return .object(try object(bytes))
        case UInt8(ascii: "["): return .array(try array(bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(bytes))
        case UInt8(ascii: "t"): return try literal(bytes, count: 4, lastFour: 0x7472_7565, .bool(true))
        case UInt8(ascii: "f"): return try literal(bytes, count: 5, lastFour: 0x616C_7365, .bool(false))
        case UInt8(ascii: "n"): return try literal(bytes, count: 4, lastFour: 0x6E75_6C6C, .null)
        default: throw .noValue(bytes, at: offset)
        }
    }

    private mutating func object(_ bytes: Span<UInt8>) throws(JSONFault) -> JSONObject {
        let start = offset
        try enter(bytes)
        var members: [JSONObject.Member] = []
        var names = MemberNames()
        var next = peekAfterWhiteSpace(bytes)
        if next != UInt8(ascii: "}") { members.reserveCapacity(4) }
        while next != UInt8(ascii: "}") {
            guard next == UInt8(ascii: "\"") else { throw .noName(bytes, at: offset, openedAt: start) }
            let nameOffset = offset
            let name = try string(bytes)
            guard names.insert(name, after: members) else { throw .duplicate(name, at: nameOffset) }
            let value: JSONValue
            do throws(JSONFault) { value = try memberValue(bytes) } catch { throw error.inside(name) }
            members.append(JSONObject.Member(name: name, value: value))
            next = peekAfterWhiteSpace(bytes)
            if next == UInt8(ascii: ",") {
                offset += 1
                next = peekAfterWhiteSpace(bytes)
                if next == UInt8(ascii: "}") { throw .trailingComma(bytes, before: offset, "}") }
            } else if next != UInt8(ascii: "}") {
                throw .notSeparated(bytes, at: offset, openedAt: start, isObject: true)
            }
        }
        leave()
        return JSONObject(uniqueMembers: members)
    }

    private mutating func memberValue(_ bytes: Span<UInt8>) throws(JSONFault) -> JSONValue {
        guard peekAfterWhiteSpace(bytes) == UInt8(ascii: ":") else { throw .noColon(bytes, at: offset) }
        offset += 1
        try countMember()
        skipWhiteSpace(bytes)
        return try value(bytes)
    }

    private mutating func array(_ bytes: Span<UInt8>) throws(JSONFault) -> [JSONValue] {
        let start = offset
        try enter(bytes)
        var elements: [JSONValue] = []
        var next = peekAfterWhiteSpace(bytes)
        while next != UInt8(ascii: "]") {
            do throws(JSONFault) {
                try countMember()
                elements.append(try value(bytes))
            } catch {
                throw error.inside(String(elements.count))
            }
            next = peekAfterWhiteSpace(bytes)
            if next == UInt8(ascii: ",") {
                offset += 1
                next = peekAfterWhiteSpace(bytes)
                if next == UInt8(ascii: "]") { throw .trailingComma(bytes, before: offset, "]") }
            } else if next != UInt8(ascii: "]") {
                throw .notSeparated(bytes, at: offset, openedAt: start, isObject: false)
            }
        }
        leave()
        return elements
    }

    /// Parses `true`, `false` or `null`, distinguished by their last four bytes.
    private mutating func literal(
        _ bytes: Span<UInt8>, count: Int, lastFour: UInt32, _ value: JSONValue
    ) throws(JSONFault) -> JSONValue {
        let end = offset + count
        guard end <= bytes.count else { throw .noValue(bytes, at: offset) }
        var word: UInt32 = 0
        for index in end - 4..<end { word = word << 8 | UInt32(bytes[index]) }
        guard word == lastFour else { throw .noValue(bytes, at: offset) }
        offset = end
        return value
    }

    private mutating func enter(_ bytes: Span<UInt8>) throws(JSONFault) {
        guard depthLeft > 0 else {
            throw .tooDeep(at: offset, limit: min(limits.depthMax, JSONLimits.depthCeiling))
        }
        depthLeft -= 1
        offset += 1
    }

    private mutating func leave() {
        depthLeft += 1
        offset += 1
    }

    private mutating func countMember() throws(JSONFault) {
        guard membersLeft > 0 else { throw .tooManyMembers(at: offset, limit: limits.membersMax) }
        membersLeft -= 1
    }

    @inline(__always)
    private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) { _ = peekAfterWhiteSpace(bytes) }

    /// The next byte that is not white space, without consuming it; 0 at the end.
    @inline(__always)
    private mutating func peekAfterWhiteSpace(_ bytes: Span<UInt8>) -> UInt8 {
        var index = offset
        while index < bytes.count {
            let byte = bytes[index]
            if byte > 0x20 || !(byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09) {
                offset = index
                return byte
            }
            index += 1
        }
        offset = index
        return 0
    }
}
