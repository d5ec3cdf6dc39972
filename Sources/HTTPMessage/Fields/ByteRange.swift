/// The single range of a Range field (RFC 9110 §14.2).
package enum ByteRange: Sendable, Hashable {
    /// From the first byte to the last, or to the end.
    case from(Int, to: Int?)
    /// The last bytes, up to this number.
    case last(Int)

    /// Parses a Range field; nil for another unit, for several ranges and for malformed text: such a field is ignored.
    package init?(_ text: String) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].lowercased() == "bytes" else { return nil }
        let part = halves[1].drop { $0 == " " || $0 == "\t" }
        let ends = part.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Self.number(ends[1]) else { return nil }
            self = .last(count)
            return
        }
        guard let first = Self.number(ends[0]) else { return nil }
        if ends[1].isEmpty {
            self = .from(first, to: nil)
            return
        }
        guard let last = Self.number(ends[1]), last >= first else { return nil }
        self = .from(first, to: last)
    }

    /// The bytes of content with this length that are selected; nil when there are none: the answer is 416.
    package func resolve(in length: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<min(last ?? length - 1, length - 1) + 1
        case .last(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// Parses a number of digits only; nil for anything else and for numbers beyond any content length.
    static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy(\.isDigitByte) else { return nil }
        return Int(text)
    }
}
