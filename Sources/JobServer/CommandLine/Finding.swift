/// The outcome of one check.
struct Finding: Sendable, Hashable {
    enum Level: String, Sendable {
        case fine = "ok"
        /// Works but could be better.
        case notice
        /// Needs action.
        case wrong = "WRONG"
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
}
