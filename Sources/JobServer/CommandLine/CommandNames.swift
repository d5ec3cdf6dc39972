import StrictJSON

enum CommandNames {
    static let all = ["serve", "check", "curl", "token", "backup", "doctor", "migrate", "version", "help"]

    /// The command closest to a mistyped word.
    static func nearest(to word: String) -> String? {
        SpellingSuggestion.nearest(to: word, in: all)
    }
}
