extension JSONNumber {
    /// The exact value as an unsigned 64-bit number; nil when it has a fraction, an exponent or is out of range.
    public var uint64: UInt64? { text == "-0" ? 0 : UInt64(text) }

    /// The exact value as a machine integer; nil when it has a fraction, an exponent or is out of range.
    public var int: Int? { Int(text) }

    /// Whether the value is whole, in any notation: `1`, `1.0` and `10e-1` are.
    public var isInteger: Bool {
        let exact = ExactDecimal(self)
        return exact.digits.count <= exact.pointPlace || exact.digits.isEmpty
    }

    /// The exact value as a 64-bit number, in any notation: `5.0` and `50e-1` are 5; nil when it is not whole, or out
    /// of range.
    public var wholeInt64: Int64? { int64 ?? (isInteger ? Int64(canonical.text) : nil) }

    /// Whether both have the same value, in any notation. Nothing is rounded.
    ///
    /// `==` compares the text: `1.0 == 1` is false, `1.0` is numerically equal to `1`.
    public func isNumericallyEqual(to other: JSONNumber) -> Bool { ExactDecimal(self) == ExactDecimal(other) }

    /// Whether the value is less than the other's. Nothing is rounded.
    public func isLess(than other: JSONNumber) -> Bool { ExactDecimal(self) < ExactDecimal(other) }

    /// The same value in the notation of `CanonicalJSON`.
    public var canonical: JSONNumber { JSONNumber(checkedText: ExactDecimal(self).text) }

    /// Creates a number; nil when the text does not follow the grammar of RFC 8259 §6.
    public init?(text: String) {
        guard
            case .number(let number)? = try? JSONParser.parse(
                text: text, limits: JSONLimits(numberBytesMax: .max)),
            number.text.utf8.count == text.utf8.count
        else { return nil }
        self = number
    }
}
