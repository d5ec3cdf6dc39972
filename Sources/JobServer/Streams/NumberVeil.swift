/// Hides numbers: neither a hidden number nor several of them tell the number or how far they are apart. It lasts for
/// one life of the server.
struct NumberVeil: Sendable {
    // DESIGN
    // A Feistel network over the halves of the number, so that it is undone by the same steps backwards whatever the
    // function of a half is: here the finalizer of SplitMix64 over the half and a secret key for each round.

    private let keys: [UInt64]

    init() {
        var random = SystemRandomNumberGenerator()
        keys = (0..<8).map { _ in random.next() }
    }

    func hidden(_ number: UInt64) -> UInt64 {
        var (left, right) = Self.halves(of: number)
        for key in keys { (left, right) = (right, left ^ Self.mixed(right, key)) }
        return UInt64(left) << 32 | UInt64(right)
    }

    /// The number that was hidden.
    func number(_ hidden: UInt64) -> UInt64 {
        var (left, right) = Self.halves(of: hidden)
        for key in keys.reversed() { (left, right) = (right ^ Self.mixed(left, key), left) }
        return UInt64(left) << 32 | UInt64(right)
    }

    private static func halves(of number: UInt64) -> (UInt32, UInt32) {
        (UInt32(truncatingIfNeeded: number >> 32), UInt32(truncatingIfNeeded: number))
    }

    private static func mixed(_ half: UInt32, _ key: UInt64) -> UInt32 {
        var bits = (UInt64(half) | UInt64(half) << 32) ^ key
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: bits >> 32)
    }
}
