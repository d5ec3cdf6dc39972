/// Reads compact JSON that this program wrote, member by member, without a value for each object on the way.
package struct JSONCursor {
    private let bytes: [UInt8]
    private var reader: JSONReader

    /// A cursor at the beginning of `bytes`.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        reader = JSONReader(
            limits: JSONLimits(bytesMax: bytes.count, depthMax: 512, membersMax: bytes.count))
    }

    /// The position behind what was read.
    package var offset: Int { reader.offset }

    package mutating func enter() throws(JSONParseError) {
        try expect(UInt8(ascii: "{"))
        reader.offset += 1
    }

    /// The name of the next member, whose value is next; nil at the end of the object, which is left then.
    package mutating func nextName() throws(JSONParseError) -> String? {
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "}") {
            reader.offset += 1
            return nil
        }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ",") { reader.offset += 1 }
        let name = try string()
        try expect(UInt8(ascii: ":"))
        reader.offset += 1
        return name
    }

    package mutating func string() throws(JSONParseError) -> String {
        try expect(UInt8(ascii: "\""))
        let bytes = bytes
        do { return try reader.string(bytes.span) } catch { throw JSONParseError(error, in: bytes.span) }
    }

    /// A whole number; nil for any other value.
    package mutating func whole() throws(JSONParseError) -> Int? {
        try value().number?.int64.map { Int($0) }
    }

    /// A value of any kind.
    package mutating func value() throws(JSONParseError) -> JSONValue {
        let bytes = bytes
        do { return try reader.first(bytes.span) } catch { throw JSONParseError(error, in: bytes.span) }
    }

    private func expect(_ byte: UInt8) throws(JSONParseError) {
        guard offset < bytes.count, bytes[offset] == byte else {
            throw JSONParseError(.noValue(bytes.span, at: offset), in: bytes.span)
        }
    }
}
