/// The name of a trace: 128 bits, of which not all are zero, written as 32 hexadecimal digits in lower case.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    /// The upper 64 bits.
    package let high: UInt64
    /// The lower 64 bits, by which a share of traces is sampled.
    package let low: UInt64

    /// The id with these bits; nil when all of them are zero.
    package init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// The id with these bits, of which the last is set when all are zero.
    package init(of high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = high | low == 0 ? 1 : low
    }

    /// The id of another trace of the same work: equal for equal numbers, different for different ones.
    package func derived(_ number: UInt64) -> TraceID {
        var mixer = BitMixer(high)
        mixer.add(low)
        mixer.add(number)
        return TraceID(of: high, mixer.value)
    }

    package var description: String { TraceHex.text(high) + TraceHex.text(low) }
}
