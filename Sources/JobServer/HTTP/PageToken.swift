import JobKit

/// The position in a list after which the next page begins, bound to the list, the filters and the order that it was
/// made for. Opaque to clients.
struct PageToken: Sendable, Hashable {
    /// The position in the list, in the list's own encoding.
    var place: [UInt8]
    /// A digest of list, filters and order.
    var filters: UInt64

    /// The maximum length of a position, in bytes.
    static let placeBytesMax = 2_048

    init(place: [UInt8], filters: UInt64) {
        self.place = place
        self.filters = filters
    }

    /// Parses a token; nil when it is malformed.
    init?(_ text: String) {
        guard text.utf8.count <= 3 + 2 * (Self.placeBytesMax + 8), text.utf8.starts(with: "p1_".utf8),
            let bytes = HexText.decode(text.dropFirst(3)), bytes.count >= 8
        else { return nil }
        place = Array(bytes.dropLast(8))
        filters = PageToken.number(bytes.suffix(8))
    }

    /// `p1_` and hexadecimal digits, at most 4,115 characters.
    var text: String { "p1_" + HexText.encode(place + PageToken.bytes(filters)) }

    /// A stable digest of text (FNV-1a).
    static func digest(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// The number as eight bytes, big-endian.
    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - $0 * 8)) }
    }

    /// The number in up to eight bytes, big-endian.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
