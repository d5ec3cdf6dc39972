/// Writes a style sheet of the page without insignificant spaces.
enum TightStyle {
    /// The tight form of a style sheet without comments.
    static func make(_ sheet: String) -> String {
        var sheet = sheet.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(
            separator: " ")
        for mark in ["{", "}", ":", ";", ","] {
            // A space before a colon would change the selector.
            for wide in mark == ":" ? [": "] : [" \(mark) ", " \(mark)", "\(mark) "] {
                sheet = sheet.split(separator: wide, omittingEmptySubsequences: false).joined(separator: mark)
            }
        }
        return sheet.split(separator: ";}", omittingEmptySubsequences: false).joined(separator: "}") + "\n"
    }
}
