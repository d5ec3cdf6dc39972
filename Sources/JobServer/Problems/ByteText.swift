import JobKit
import StrictJSON

/// Assembles text byte by byte, for bodies of a fixed shape; faster than a writer that tracks its state.
struct ByteText: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Creates empty text with room for `capacity` bytes.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends text verbatim.
    @inline(__always)
    mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends bytes verbatim.
    @inline(__always)
    mutating func put(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// Appends the output of a JSON writer, after a member of an object.
    mutating func putMembers(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter(continuing: exchange(&bytes, with: []), afterMember: true)
        write(&json)
        bytes = json.bytes
    }

    mutating func put(_ id: JobID) { id.append(to: &bytes) }

    /// Appends a whole number in decimal.
    mutating func put(_ number: Int64) {
        if number >= 0, number < 10 {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: number))
        } else {
            put(String(number))
        }
    }

    /// Appends a name and a timestamp: `,"created_at":"2026-11-21T10:00:04.120Z"`.
    mutating func put(_ name: String, _ time: Timestamp) {
        put(name)
        bytes.append(0x22)
        time.append(to: &bytes)
        bytes.append(0x22)
    }

    /// Appends a JSON string. Text of only letters, digits, `_` and `-`, as names are, needs no escaping pass.
    mutating func put(quoted text: String) {
        let utf8 = text.utf8.span
        var isPlain = true
        for index in utf8.indices where !ByteText.isPlain(utf8[index]) { isPlain = false }
        guard isPlain else {
            var json = JSONWriter(capacity: utf8.count + 16)
            json.value(text)
            return put(json.bytes)
        }
        bytes.append(0x22)
        put(text)
        bytes.append(0x22)
    }

    /// Appends a JSON string of these bytes; invalid UTF-8 becomes U+FFFD.
    mutating func put(quoted text: ArraySlice<UInt8>) {
        let span = text.span
        for index in span.indices where !ByteText.isPlain(span[index]) || span[index] > 0x7E {
            return put(quoted: String(decoding: text, as: UTF8.self))
        }
        bytes.append(0x22)
        bytes.append(contentsOf: text)
        bytes.append(0x22)
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x22 && byte != 0x5C }
}
