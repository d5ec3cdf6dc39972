/// What a client prefers (RFC 7240): hints that a server may follow.
public struct Prefer: Sendable, Hashable {
    /// What an answer should hold.
    public enum Return: String, Sendable, Hashable, CaseIterable {
        /// As little as possible.
        case minimal
        /// The whole state of the resource.
        case representation
    }

    /// How strictly input should be taken.
    public enum Handling: String, Sendable, Hashable, CaseIterable {
        /// Errors are reported.
        case strict
        /// What can be understood is done.
        case lenient
    }

    /// How many seconds the client is willing to wait, at least 0; nil when it did not say.
    public private(set) var waitSeconds: Int?
    /// Whether the client prefers an answer before the work is done.
    public private(set) var respondAsync = false
    /// What the answer should hold; nil when the client did not say.
    public private(set) var returning: Return?
    /// How strictly input should be taken; nil when the client did not say.
    public private(set) var handling: Handling?

    private static let names = ["wait", "respond-async", "return", "handling"]

    /// No preference.
    public init() {}

    /// The preferences in the values of all Prefer fields, in order. The first mention of a preference
    /// counts; unknown and malformed ones are passed over, as RFC 7240 §2 asks.
    public init(_ values: [String]) {
        var seen: [String] = []
        for value in values {
            var reader = FieldValueReader(value)
            reader.skipToElement()
            while !reader.isAtEnd {
                if let (name, value) = Self.takePreference(&reader) {
                    if Self.names.contains(name), !seen.contains(name) {
                        seen.append(name)
                        take(name, value)
                    }
                } else {
                    reader.skipElement()
                }
                reader.skipToElement()
            }
        }
    }

    /// The preferences in one Prefer field, or none for nil.
    public init(_ value: String?) {
        self.init(value.map { [$0] } ?? [])
    }

    /// `name`, `name=value`, each with parameters, which are passed over.
    private static func takePreference(_ reader: inout FieldValueReader) -> (name: String, value: String)? {
        guard let (name, value) = takePair(&reader) else { return nil }
        while reader.take(0x3B) {
            reader.skipBlanks()
            guard reader.peek != nil, reader.peek != 0x3B, reader.peek != 0x2C else { continue }
            guard takePair(&reader) != nil else { return nil }
        }
        guard reader.isAtEnd || reader.peek == 0x2C else { return nil }
        return (name, value)
    }

    private static func takePair(_ reader: inout FieldValueReader) -> (name: String, value: String)? {
        guard let name = reader.takeToken() else { return nil }
        reader.skipBlanks()
        guard reader.take(0x3D) else { return (name.asciiLowercased, "") }
        reader.skipBlanks()
        guard let value = reader.takeTokenOrQuoted() else { return nil }
        reader.skipBlanks()
        return (name.asciiLowercased, value)
    }

    private mutating func take(_ name: String, _ value: String) {
        switch name {
        case "wait":
            guard case .seconds(let seconds)? = RetryAfter(value) else { return }
            waitSeconds = seconds
        case "respond-async": respondAsync = true
        case "return": returning = Return(rawValue: value.asciiLowercased)
        case "handling": handling = Handling(rawValue: value.asciiLowercased)
        default: break
        }
    }
}
