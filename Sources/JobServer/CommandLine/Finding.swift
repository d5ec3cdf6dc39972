/// One thing that was looked at.
struct Finding: Sendable, Hashable {
    /// How bad it is.
    enum Level: String, Sendable {
        /// As it should be.
        case fine = "ok"
        /// Works, and could be better.
        case notice
        /// Must be seen to.
        case wrong = "WRONG"
    }

    /// How bad it is.
    var level: Level
    /// What was found.
    var text: String
    /// What to do.
    var remedy: String?

    /// A finding.
    init(_ level: Level, _ text: String, remedy: String? = nil) {
        self.level = level
        self.text = text
        self.remedy = remedy
    }

    /// The same for people: one line, and one with what to do.
    var line: String {
        let head = level.rawValue + String(repeating: " ", count: 8 - level.rawValue.count)
        return head + text + "\n" + (remedy.map { "        → \($0)\n" } ?? "")
    }
}
