internal import JobKit

/// Numbers and texts of statistics as bytes: numbers in groups of seven bits, the lowest first, as in LEB128; texts
/// with their length.
extension [UInt8] {
    mutating func append(leb number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func append(counted text: String) {
        append(leb: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }

    mutating func append(_ id: JobID) {
        for word in [id.high, id.low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
    }
}

/// Reads what was appended. Damaged bytes end it: then all that follows is zero or empty.
struct StatsReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            if shift < 64 { number |= UInt64(byte & 0x7F) << shift }
            if byte < 0x80 { return number }
            shift += 7
        }
        return 0
    }

    /// A number that counts or measures something.
    mutating func integer() -> Int64 { Int64(clamping: number()) }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func text() -> String {
        let count = Swift.min(Int(clamping: number()), rest.count)
        defer { rest.removeFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    mutating func id() -> JobID { JobID(high: word(), low: word()) }

    /// Eight bytes, the highest first.
    private mutating func word() -> UInt64 {
        let bytes = rest.prefix(8)
        rest.removeFirst(bytes.count)
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
