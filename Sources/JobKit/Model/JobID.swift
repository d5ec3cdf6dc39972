/// The name of a job for ever: 128 bits that sort by time of creation (UUIDv7, RFC 9562 §5.7), written as `job_`
/// and 26 characters of Crockford's base 32 in lower case.
public struct JobID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The upper 64 bits: 48 of milliseconds, the version, 12 random.
    public let high: UInt64
    /// The lower 64 bits: the variant and 62 random.
    public let low: UInt64

    /// The id with these 128 bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new id for a job created at `time`.
    public init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
        let stamp = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        let random = generator.next()
        high = stamp << 16 | 0x7000 | (random & 0x0FFF)
        low = 0x8000_0000_0000_0000 | (generator.next() >> 2)
    }

    /// The id that `text` names; nil unless it is `job_` and 26 characters of the alphabet, in lower or upper case.
    public init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8.prefix(31))[...])
    }

    /// The id that these bytes write; nil unless they are `job_` and 26 characters of the alphabet, in lower or upper
    /// case. Not generic: it runs once per read.
    public init?(utf8 bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count == 30, bytes[start] == 0x6A, bytes[start + 1] == 0x6F, bytes[start + 2] == 0x62,
            bytes[start + 3] == 0x5F
        else { return nil }
        let digits = Self.digits.span
        // 26 digits of five bits are two bits more than an id has, so the first digit has three. A byte that is no
        // digit has all bits.
        let (one, middle) = (digits[Int(bytes[start + 4])], digits[Int(bytes[start + 17])])
        var all = one | middle
        var (upper, lower) = (UInt64(one), UInt64(0))
        for position in start + 5..<start + 17 {
            let digit = digits[Int(bytes[position])]
            all |= digit
            upper = upper << 5 | UInt64(digit)
        }
        for position in start + 18..<start + 30 {
            let digit = digits[Int(bytes[position])]
            all |= digit
            lower = lower << 5 | UInt64(digit)
        }
        guard all < 32, one < 8 else { return nil }
        high = upper << 1 | UInt64(middle >> 4)
        low = UInt64(middle) << 60 | lower
    }

    /// The time of creation.
    public var createdAt: Timestamp { Timestamp(milliseconds: Int64(high >> 16)) }

    /// `job_` and 26 characters.
    public var description: String {
        let bytes = InlineArray<30, UInt8> { (output: inout OutputSpan<UInt8>) in write(to: &output) }
        guard let text = try? UTF8Span(validating: bytes.span) else { return "" }
        return String(copying: text)
    }

    /// The 30 bytes of the written form.
    public var utf8: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the 30 bytes of the written form.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 30) { (output: inout OutputSpan<UInt8>) in write(to: &output) }
    }

    @inline(__always)
    private func write(to output: inout OutputSpan<UInt8>) {
        let alphabet = Self.alphabet.span
        output.append(0x6A)
        output.append(0x6F)
        output.append(0x62)
        output.append(0x5F)
        for shift in stride(from: 61, through: 1, by: -5) {
            output.append(alphabet[Int(truncatingIfNeeded: high &>> UInt64(shift)) & 31])
        }
        output.append(alphabet[Int(truncatingIfNeeded: high << 4 | low >> 60) & 31])
        for shift in stride(from: 55, through: 0, by: -5) {
            output.append(alphabet[Int(truncatingIfNeeded: low &>> UInt64(shift)) & 31])
        }
    }

    /// Older ids are less.
    public static func < (left: JobID, right: JobID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The value of each byte as a digit; 255 for other bytes.
    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() {
            digits[Int(byte)] = UInt8(value)
            if byte > 0x39 { digits[Int(byte & 0xDF)] = UInt8(value) }
        }
        return digits
    }()
}

/// The name of an approval.
package struct ApprovalID: PrefixedID {
    package static let prefix = "apr_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }

    /// A new id for an approval that is opened at `time`.
    package init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
        bits = JobID(at: time, using: &generator)
    }
}

/// The name of a bulk action.
package struct BulkID: PrefixedID {
    package static let prefix = "blk_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }
}

/// The name of a delivery to a hook.
package struct DeliveryID: PrefixedID {
    package static let prefix = "dlv_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }
}

/// The name of an upload.
package struct UploadID: PrefixedID {
    package static let prefix = "art_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }
}
