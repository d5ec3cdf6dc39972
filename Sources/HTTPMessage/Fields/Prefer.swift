/// The preferences of a client (RFC 7240), which a server may honour.
package struct Prefer: Sendable, Hashable {
    /// The preferred content of an answer.
    package enum Return: String, Sendable, Hashable, CaseIterable {
        /// As little as possible.
        case minimal
        /// The whole state of the resource.
        case representation
    }

    /// The preferred handling of errors in the input.
    package enum Handling: String, Sendable, Hashable, CaseIterable {
        /// Errors are reported.
        case strict
        /// Valid parts are processed.
        case lenient
    }

    /// The seconds that the client is willing to wait, at least 0; nil when not stated.
    package private(set) var waitSeconds: Int?
    /// Whether the client prefers an answer before the work is done.
    package private(set) var respondAsync = false
    /// The preferred content; nil when not stated.
    package private(set) var returning: Return?
    /// The preferred handling of errors; nil when not stated.
    package private(set) var handling: Handling?

    private static let names = ["wait", "respond-async", "return", "handling"]

    package init() {}

    /// Parses the values of all Prefer fields, in order. The first mention of a preference counts; unknown and
    /// malformed ones are ignored, as RFC 7240 §2 requires.
    package init(_ values: [String]) {
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

    /// Parses one Prefer field; nil has no preferences.
    package init(_ value: String?) {
        self.init(value.map { [$0] } ?? [])
    }

    /// `name` or `name=value`; parameters are skipped.
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
