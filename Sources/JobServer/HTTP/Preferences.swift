/// What a request prefers (RFC 7240). Preferences that are unknown or make no sense are ignored, as the RFC asks.
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
        for part in values.flatMap({ $0.split(separator: ",") }) {
            let words = part.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard let first = words.first else { continue }
            let name = first.filter { $0 != " " && $0 != "\t" }.lowercased()
            let value = words.count > 1 ? words[1].filter { $0 != " " && $0 != "\"" && $0 != "\t" } : ""
            switch name {
            case "wait":
                // The first one counts (RFC 7240 §2).
                guard wait == nil, let seconds = Int(value), seconds >= 0 else { continue }
                wait = min(seconds, Preferences.waitSecondsMax)
            case "return": isMinimal = isMinimal || value.lowercased() == "minimal"
            default: continue
            }
        }
    }

    /// What was followed, for `Preference-Applied`; nil when nothing was.
    func applied(waited: Bool) -> String? {
        var parts: [String] = []
        if waited, let wait { parts.append("wait=\(wait)") }
        if isMinimal { parts.append("return=minimal") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
