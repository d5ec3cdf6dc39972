/// Mixes texts and numbers to 64 bits, the same in every process: ids of spans that outlive a process are not stored,
/// but computed from the ids of their job. Not for secrets.
package struct BitMixer: Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed ^ 0x9E37_79B9_7F4A_7C15 }

    package mutating func add(_ number: UInt64) {
        state = Self.spread(state ^ number &+ 0x9E37_79B9_7F4A_7C15)
    }

    /// Mixes a text, with its end.
    package mutating func add(_ text: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        add(hash)
        add(UInt64(text.utf8.count))
    }

    /// All that was mixed.
    package var value: UInt64 { state }

    /// The finalizer of SplitMix64, in which each bit depends on all bits.
    private static func spread(_ bits: UInt64) -> UInt64 {
        var bits = bits
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
