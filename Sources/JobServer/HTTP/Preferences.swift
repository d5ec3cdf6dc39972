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
