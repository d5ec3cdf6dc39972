import HTTPMessage

/// The preferences of a request (RFC 7240) that the server honours.
struct Preferences: Sendable, Hashable {
    /// The time to wait for the job, 0…60 s.
    var wait: Int?
    /// Whether the client prefers a minimal answer.
    var isMinimal = false

    /// The maximum wait, in seconds; longer ones are clamped.
    static let waitSecondsMax = 60

    init() {}

    /// The usual value, such as `wait=10`; nil for any other.
    init?(waitAlone value: ArraySlice<UInt8>) {
        let name = "wait=".utf8
        guard (name.count + 1...name.count + 4).contains(value.count), value.starts(with: name) else {
            return nil
        }
        var seconds = 0
        for digit in value.dropFirst(name.count) {
            guard digit &- 0x30 < 10 else { return nil }
            seconds = seconds * 10 + Int(digit &- 0x30)
        }
        wait = min(seconds, Preferences.waitSecondsMax)
    }

    /// Parses the values of all `Prefer` fields.
    init(_ values: [String]) {
        let prefer = Prefer(values)
        wait = prefer.waitSeconds.map { min($0, Preferences.waitSecondsMax) }
        isMinimal = prefer.returning == .minimal
    }

    /// The value of `Preference-Applied`; nil when no preference was honoured.
    func applied(waited: Bool) -> String? {
        var parts: [String] = []
        if waited, let wait { parts.append("wait=\(wait)") }
        if isMinimal { parts.append("return=minimal") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
