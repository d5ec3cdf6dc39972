import StrictJSON

/// The commands of the program.
enum CommandNames {
    /// All of them.
    static let all = ["serve", "check", "curl", "token", "backup", "doctor", "version", "help"]

    /// The one that was probably meant.
    static func nearest(to word: String) -> String? {
        SpellingSuggestion.nearest(to: word, in: all)
    }
}
