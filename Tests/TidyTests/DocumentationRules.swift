import Foundation

/// Rules for texts: links and examples.
enum DocumentationRules {
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
