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

/// 64 bits as 16 hexadecimal digits in lower case, the only form that W3C Trace Context takes.
enum TraceHex {
    static func text(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The number that `bytes` write; nil for upper case and anything else that is no digit.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in bytes {
            switch byte {
            case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(byte - 0x57)
            default: return nil
            }
        }
        return number
    }
}
