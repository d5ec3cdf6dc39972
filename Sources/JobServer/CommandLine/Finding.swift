import StrictJSON

/// The outcome of one check.
struct Finding: Sendable, Hashable {
    enum Level: String, Sendable {
        case fine = "ok"
        /// Works but could be better.
        case notice
        /// Needs action.
        case wrong = "WRONG"

        /// The word for programs.
        var word: String { self == .wrong ? "wrong" : rawValue }
    }

    var level: Level
    var text: String
    /// The action that resolves it.
    var remedy: String?

    init(_ level: Level, _ text: String, remedy: String? = nil) {
        self.level = level
        self.text = text
        self.remedy = remedy
    }

    /// The finding as text, with a second line for its remedy.
    var line: String {
        let head = level.rawValue + String(repeating: " ", count: 8 - level.rawValue.count)
        return head + text + "\n" + (remedy.map { "        → \($0)\n" } ?? "")
    }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [("level", .string(level.word)), ("text", .string(text))]
        if let remedy { members.append(("remedy", .string(remedy))) }
        return .object(JSONObject(members))
    }
}
