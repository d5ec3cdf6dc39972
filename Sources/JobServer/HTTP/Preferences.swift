import HTTPMessage

/// What of a request's preferences is followed here.
struct Preferences: Sendable, Hashable {
    /// How long to wait for the job, 0…60 s.
    var wait: Int?
    /// Whether a short answer is enough.
    var isMinimal = false

    /// The longest wait, in seconds; longer ones are cut.
    static let waitSecondsMax = 60

    /// No preference.
    init() {}

    /// The preferences in the values of all `Prefer` fields.
    init(_ values: [String]) {
        let prefer = Prefer(values)
        wait = prefer.waitSeconds.map { min($0, Preferences.waitSecondsMax) }
        isMinimal = prefer.returning == .minimal
    }

    /// What was followed, for `Preference-Applied`; nil when nothing was.
    func applied(waited: Bool) -> String? {
        var parts: [String] = []
        if waited, let wait { parts.append("wait=\(wait)") }
        if isMinimal { parts.append("return=minimal") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
