/// Writes a style sheet of the page without insignificant spaces, and with short names for the custom properties that
/// it defines itself.
enum TightStyle {
    /// The tight form of a style sheet without comments.
    static func make(_ sheet: String) -> String {
        var sheet = sheet.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(
            separator: " ")
        for mark in ["{", "}", ":", ";", ",", ">"] {
            // A space before a colon would change the selector.
            for wide in mark == ":" ? [": "] : [" \(mark) ", " \(mark)", "\(mark) "] {
                sheet = sheet.split(separator: wide, omittingEmptySubsequences: false).joined(separator: mark)
            }
        }
        sheet = sheet.split(separator: ";}", omittingEmptySubsequences: false).joined(separator: "}")
        return withShortProperties(sheet) + "\n"
    }

    private static func withShortProperties(_ sheet: String) -> String {
        var parts = sheet.split(separator: "--", omittingEmptySubsequences: false)[...]
        let isInName = { (character: Character) in
            character.isLetter || character.isNumber || character == "-"
        }
        let defined = Set(
            parts.dropFirst().filter { $0.drop(while: isInName).first == ":" }.map {
                $0.prefix(while: isInName)
            })
        guard var text = parts.popFirst().map(String.init) else { return sheet }
        let short = Dictionary(
            uniqueKeysWithValues: defined.sorted().enumerated().map {
                ($0.element, TightScript.shortName($0.offset))
            })
        for part in parts {
            let name = part.prefix(while: isInName)
            text += "--" + (short[name] ?? String(name)) + part.dropFirst(name.count)
        }
        return text
    }
}
