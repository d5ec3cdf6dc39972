import JobKit

/// Where a list goes on: behind a place in it, for the list, the filters and the order that the token was made for.
/// Written as text that says nothing to people.
struct PageToken: Sendable, Hashable {
    /// The place in the list, as the list writes it.
    var place: [UInt8]
    /// A digest of list, filters and order.
    var filters: UInt64

    /// The longest place that is read, in bytes.
    static let placeBytesMax = 2_048

    /// A place in a list.
    init(place: [UInt8], filters: UInt64) {
        self.place = place
        self.filters = filters
    }

    /// The token that `text` writes, or nil.
    init?(_ text: String) {
        guard text.utf8.count <= 3 + 2 * (Self.placeBytesMax + 8), text.utf8.starts(with: "p1_".utf8),
            let bytes = HexText.decode(text.dropFirst(3)), bytes.count >= 8
        else { return nil }
        place = Array(bytes.dropLast(8))
        filters = PageToken.number(bytes.suffix(8))
    }

    /// `p1_` and hexadecimal digits, at most 4,115 characters.
    var text: String { "p1_" + HexText.encode(place + PageToken.bytes(filters)) }

    /// A digest of text (FNV-1a), the same on every run.
    static func digest(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// Eight bytes, the highest first.
    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - $0 * 8)) }
    }

    /// The number that up to eight bytes write.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
