/// Meaningless names, marks of unfinished work, circumlocutions, and words that do not belong in the project.
enum WordRules {
    static let names = ["Utils", "Helpers", "Common", "Misc", "Manager", "New", "Legacy"]

    /// Written in two parts, so that this file passes its own rule.
    static let marks = [
        "TO" + "DO", "FIX" + "ME", "XX" + "X", "for" + " now", "place" + "holder", "not" + " implemented",
        "not" + " yet implemented", "un" + "implemented",
    ]

    /// The organisation of the work, and paths of one machine.
    static let places = ["/wor" + "k/", "/tmp/" + "team", "/tmp/" + "wt", "../" + "shared"]

    /// Words that must not be followed by a number.
    static let numbered = ["iss" + "ue", "sess" + "ion"]

    /// Phrases that paraphrase a term of the field in a comment.
    static let paraphrases = [
        "nobody", "somebody", "everybody", "whoever", "put down", "puts down", "let go", "lets go",
        "gives back", "give back", "given back", "brings about", "brought about", "becomes of",
        "stand in line", "stands in line", "takes note", "other side", "all the same", "as may be",
        "what is wrong", "what it says", "what is said",
    ]

    /// The beginning of a summary that asks a question in place of a name: a noun says the same.
    static let questions = ["What", "How", "Who", "Where"]

    /// Files and folders with a meaningless name.
    static func namelessPaths(_ paths: [String]) -> [Finding] {
        paths.compactMap { path in
            let parts = path.split(separator: "/").map {
                $0.split(separator: ".").first.map(String.init) ?? ""
            }
            guard
                let bad = parts.first(where: { part in
                    names.contains { part == $0 || part.hasSuffix("+" + $0) }
                })
            else { return nil }
            return Finding(path: path, line: 1, message: "the name \(bad) does not say what it holds")
        }
    }

    /// Marks of unfinished work.
    static func unfinished(in file: SourceFile) -> [Finding] {
        let marks = marks.filter { file.text.contains($0) }
        return marks.isEmpty
            ? []
            : file.lines.enumerated().flatMap { index, line in
                marks.filter { line.hasWord($0) }.map {
                    Finding(path: file.path, line: index + 1, message: "\($0): finish it or leave it out")
                }
            }
    }

    /// Comments with a circumlocution, and summaries that begin like a question.
    static func circumlocutions(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line -> [Finding] in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("//") else { return [] }
            let comment = text.lowercased()
            let words = paraphrases.filter { comment.contains($0) && comment.hasWord($0) }
            let openings = questions.filter { text.hasPrefix("/// \($0) ") }
            return (words + openings).map {
                Finding(path: file.path, line: index + 1, message: "\"\($0)\": name the thing by its term")
            }
        }
    }

    /// Words about the organisation of the work.
    static func organisation(in file: SourceFile) -> [Finding] {
        let text = file.text.lowercased()
        guard (places + numbered).contains(where: { text.contains($0) }) else { return [] }
        return file.lines.enumerated().flatMap { index, line in
            let bad = places.filter { line.contains($0) } + numbered.filter { isNumbered($0, in: line) }
            return bad.map {
                Finding(path: file.path, line: index + 1, message: "\($0) is not about the project")
            }
        }
    }

    /// Whether the word is followed by a number, or a hash and a number.
    private static func isNumbered(_ word: String, in line: String) -> Bool {
        let parts = line.lowercased().split(whereSeparator: { $0 == " " || $0 == "(" || $0 == "," })
        return zip(parts, parts.dropFirst()).contains { first, second in
            first == word && second.drop { $0 == "#" }.first.map { $0.isASCII && $0.isNumber } == true
        }
    }
}
