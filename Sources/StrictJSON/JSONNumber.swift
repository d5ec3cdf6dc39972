/// A JSON number with its original text. Nothing is rounded until it is converted to a machine type.
public struct JSONNumber: Sendable, Hashable {
    /// The number's text, as RFC 8259 §6 allows it.
    public let text: String

    /// A whole number.
    public init(_ value: Int64) { text = String(value) }

    /// The shortest text that reads back as the same binary floating point number; nil for infinities and NaN, which
    /// JSON cannot express.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if let whole = Int64(exactly: value), whole.magnitude < 1_000_000_000_000_000 {
            text = String(whole)
        } else {
            text = "\(value)"
        }
    }

    /// Creates a number whose text is already known to follow the grammar.
    public init(checkedText text: String) { self.text = text }

    /// The exact value as a signed 64-bit number; nil when it has a fraction, an exponent or is out of
    /// range.
    public var int64: Int64? { Int64(text) }

    /// The nearest binary floating point number; nil when it overflows.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
