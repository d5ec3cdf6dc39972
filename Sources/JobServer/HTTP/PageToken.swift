import JobKit

/// Where a list goes on: behind a job, for the filters and the order that the token was made for. Written as text
/// that says nothing to people.
struct PageToken: Sendable, Hashable {
    /// The last job of the page before.
    var after: JobID
    /// A digest of filters and order.
    var filters: UInt64

    /// A place in a list.
    init(after: JobID, filters: UInt64) {
        self.after = after
        self.filters = filters
    }

    /// The token that `text` writes, or nil.
    init?(_ text: String) {
        guard text.utf8.count == 51, text.utf8.starts(with: "p1_".utf8),
            let bytes = HexText.decode(text.dropFirst(3)), bytes.count == 24
        else { return nil }
        let words = (0..<3).map { word in
            bytes[(word * 8)..<(word * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        after = JobID(high: words[0], low: words[1])
        filters = words[2]
    }

    /// `p1_` and 48 hexadecimal digits.
    var text: String {
        let bytes = [after.high, after.low, filters].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) }
        }
        return "p1_" + HexText.encode(bytes)
    }

    /// A digest of text (FNV-1a), the same on every run.
    static func digest(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
