import Foundation

/// Rules for documentation: comments on package types, links, examples.
enum DocumentationRules {
    private static let kinds = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    /// Package types without a summary. Their members need one only where the name is not enough.
    static func undocumented(in file: SourceFile) -> [Finding] {
        file.code.indices.compactMap { index in
            guard isBorder(file.code[index]), !isDocumented(file, index) else { return nil }
            return Finding(
                path: file.path, line: index + 1, message: "a package type needs a summary above it")
        }
    }

    private static func isBorder(_ line: String) -> Bool {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == "<" || $0 == "?" }).map(
            String.init)
        guard let access = words.firstIndex(where: { !$0.hasPrefix("@") }), words[access] == "package" else {
            return false
        }
        guard !words.contains("override"), !words.contains("import") else { return false }
        return words.dropFirst(access + 1).prefix(5).contains { kinds.contains($0) }
    }

    private static func isDocumented(_ file: SourceFile, _ index: Int) -> Bool {
        var above = index - 1
        while above >= 0 {
            let text = file.lines[above].drop { $0 == " " }
            if text.hasPrefix("//") || text.hasSuffix("*/") { return true }
            if text.hasPrefix("@") || text.hasPrefix("#if") {
                above -= 1
                continue
            }
            return isBorder(file.code[above]) && !text.hasSuffix("{")
        }
        return false
    }

    /// Links of a Markdown file that lead nowhere.
    static func brokenLinks(in file: SourceFile, exists: (String) -> SourceFile?) -> [Finding] {
        var found: [Finding] = []
        var inCode = false
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") { inCode.toggle() }
            if inCode { continue }
            for target in targets(in: line) where !resolves(target, from: file, exists: exists) {
                found.append(
                    Finding(path: file.path, line: index + 1, message: "the link \(target) leads nowhere"))
            }
        }
        return found
    }

    /// Rows of tables in a Markdown file that have not the cells of the row above them.
    static func brokenRows(in file: SourceFile) -> [Finding] {
        var found: [Finding] = []
        var inCode = false
        var above: Int?
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") { inCode.toggle() }
            let cells = line.replacingOccurrences(of: "\\|", with: "").split(
                separator: "|", omittingEmptySubsequences: false
            ).count
            let isRow = !inCode && line.hasPrefix("|")
            if isRow, !line.hasSuffix("|") || above.map({ $0 != cells }) == true {
                found.append(
                    Finding(path: file.path, line: index + 1, message: "the row fits not below the one above")
                )
            }
            above = isRow ? cells : nil
        }
        return found
    }

    private static func targets(in line: String) -> [String] {
        line.components(separatedBy: "](").dropFirst().compactMap { rest in
            rest.firstIndex(of: ")").map { String(rest[..<$0]) }
        }
    }

    private static func resolves(_ target: String, from file: SourceFile, exists: (String) -> SourceFile?)
        -> Bool
    {
        if target.hasPrefix("http://") || target.hasPrefix("https://") { return true }
        let halves = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        var parts = halves[0].isEmpty ? file.parts : Array(file.parts.dropLast())
        for part in halves[0].split(separator: "/") {
            if part == ".." {
                guard parts.popLast() != nil else { return false }
            } else if part != "." {
                parts.append(String(part))
            }
        }
        guard let other = exists(parts.joined(separator: "/")) else { return false }
        guard halves.count == 2 else { return true }
        return other.lines.contains { $0.hasPrefix("#") && anchor($0) == halves[1] }
    }

    /// The anchor that a heading gets.
    private static func anchor(_ heading: String) -> String {
        let text = heading.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(text.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " })
            .replacingOccurrences(of: " ", with: "-")
    }

    /// Whether a test file that has tests also asserts something.
    static func asserts(_ file: SourceFile) -> Bool {
        let code = file.code.joined(separator: "\n")
        guard code.contains("@Test") else { return true }
        return ["#expect", "#require", "confirmation(", "Issue.record"].contains { code.contains($0) }
    }
}
