/// Writes messages in the encoding of Protocol Buffers. Fields with default values are left out by the caller.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    private enum Wire: UInt64 {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
        case fixed32 = 5
    }

    mutating func varint(_ field: UInt64, _ value: UInt64) {
        tag(field, .varint)
        append(value)
    }

    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        tag(field, .fixed64)
        fixed(value, 8)
    }

    mutating func fixed32(_ field: UInt64, _ value: UInt32) {
        tag(field, .fixed32)
        fixed(UInt64(value), 4)
    }

    mutating func text(_ field: UInt64, _ value: String) {
        tag(field, .bytes)
        append(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// A field of bytes that are the digits of these numbers, the most significant first.
    mutating func words(_ field: UInt64, _ words: UInt64...) {
        tag(field, .bytes)
        append(UInt64(words.count * 8))
        for word in words { fixed(word.byteSwapped, 8) }
    }

    mutating func message(_ field: UInt64, _ body: (inout ProtobufWriter) -> Void) {
        tag(field, .bytes)
        let start = bytes.count
        body(&self)
        let length = UInt64(bytes.count - start)
        var prefix = ProtobufWriter()
        prefix.append(length)
        bytes.insert(contentsOf: prefix.bytes, at: start)
    }

    private mutating func tag(_ field: UInt64, _ wire: Wire) { append(field << 3 | wire.rawValue) }

    private mutating func append(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The lowest bytes first.
    private mutating func fixed(_ value: UInt64, _ count: Int) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}
