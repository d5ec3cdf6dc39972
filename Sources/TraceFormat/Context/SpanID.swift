/// The name of a span within its trace: 64 bits, of which not all are zero, written as 16 hexadecimal digits.
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    package let bits: UInt64

    /// The id with these bits; nil when all of them are zero.
    package init?(_ bits: UInt64) {
        guard bits != 0 else { return nil }
        self.bits = bits
    }

    /// The id that belongs to what was mixed.
    package init(_ mixer: BitMixer) { bits = mixer.value == 0 ? 1 : mixer.value }

    package var description: String { TraceHex.text(bits) }
}
