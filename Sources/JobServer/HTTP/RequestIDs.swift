import HTTPMessage
import Synchronization

/// Assigns request ids: the client's own `X-Request-Id` when it is valid, else a new one.
final class RequestIDs: Sendable {
    private let next: Atomic<UInt64>
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Creates a source that begins at a random position.
    init() {
        next = Atomic(UInt64.random(in: 0...UInt64.max))
    }

    /// The id of a request with these fields.
    func id(for fields: HTTPFields) -> String {
        if let given = fields.first("x-request-id"), RequestIDs.isSane(given) {
            return String(decoding: given, as: UTF8.self)
        }
        return fresh()
    }

    /// `req_` and 11 characters: 15 bytes, which a string stores inline.
    private func fresh() -> String {
        var word = spread(next.wrappingAdd(1, ordering: .relaxed).newValue)
        let alphabet = Self.alphabet.span
        var id = InlineArray<15, UInt8>(repeating: 0x5F)
        id[0] = 0x72
        id[1] = 0x65
        id[2] = 0x71
        for position in 4..<15 {
            id[position] = alphabet[Int(word & 31)]
            word >>= 5
        }
        guard let text = try? UTF8Span(validating: id.span) else { return "req_none" }
        return String(copying: text)
    }

    /// A bijection of 55 bits, after splitmix64, that scatters consecutive numbers, so that the ids of several servers
    /// do not collide.
    private func spread(_ count: UInt64) -> UInt64 {
        let mask: UInt64 = 1 << 55 - 1
        var word = count & mask
        word = (word ^ word >> 27) &* 0xBF58_476D_1CE4_E5B9 & mask
        word = (word ^ word >> 24) &* 0x94D0_49BB_1331_11EB & mask
        return word ^ word >> 28
    }

    /// 1 to 128 letters, digits, `.`, `_`, `-`: characters that are safe in logs and terminals.
    static func isSane(_ id: ArraySlice<UInt8>) -> Bool {
        guard (1...128).contains(id.count) else { return false }
        return id.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
    }
}
