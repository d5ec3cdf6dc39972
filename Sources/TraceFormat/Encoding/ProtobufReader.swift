/// Reads the fields of a message in the encoding of Protocol Buffers.
struct ProtobufReader {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field; nil at the end, and where the bytes are no message.
    mutating func next() -> (field: UInt64, value: Value)? {
        guard let tag = varint() else { return nil }
        switch tag & 7 {
        case 0: return varint().map { (tag >> 3, .number($0)) }
        case 1: return take(8).map { (tag >> 3, .bytes($0)) }
        case 2: return varint().flatMap { take($0) }.map { (tag >> 3, .bytes($0)) }
        case 5: return take(4).map { (tag >> 3, .bytes($0)) }
        default: return nil
        }
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func varint() -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while shift < 64, let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
