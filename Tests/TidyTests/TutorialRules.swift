/// Code that a document quotes from a Swift file: there between `// region: name` and `// end`, in the document after
/// `<!-- region: name -->`.
enum TutorialRules {
    /// The regions of a file by name, without common indentation.
    static func regions(in file: SourceFile) -> [String: [String]] {
        var found: [String: [String]] = [:]
        var open: (name: String, lines: [String])?
        for line in file.lines {
            let text = String(line.drop { $0 == " " })
            if text.hasPrefix("// region: ") {
                open = (String(text.dropFirst(11)), [])
            } else if text == "// end", let region = open {
                found[region.name] = withoutIndentation(region.lines)
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return found
    }

    /// The Swift blocks of a document with the names before them; nil without one.
    static func blocks(in file: SourceFile) -> [(name: String?, line: Int, lines: [String])] {
        var found: [(name: String?, line: Int, lines: [String])] = []
        var name: String?
        var isOpen = false
        for (index, line) in file.lines.enumerated() {
            if isOpen {
                if line == "```" { isOpen = false } else { found[found.count - 1].lines.append(line) }
            } else if line == "```swift" {
                found.append((name, index + 1, []))
                (isOpen, name) = (true, nil)
            } else if line.hasPrefix("<!-- region: "), line.hasSuffix(" -->") {
                name = String(line.dropFirst(13).dropLast(4))
            }
        }
        return found
    }

    /// Blocks without a region, and regions without a block.
    static func findings(document: SourceFile, sources: [SourceFile]) -> [Finding] {
        var regions: [String: [String]] = [:]
        for source in sources { regions.merge(Self.regions(in: source)) { $1 } }
        var unused = regions
        var found: [Finding] = []
        for block in blocks(in: document) {
            guard let name = block.name, let lines = regions[name] else {
                found.append(
                    Finding(
                        path: document.path, line: block.line,
                        message: "this code is in no region; write <!-- region: name --> above it"))
                continue
            }
            unused[name] = nil
            guard lines != block.lines else { continue }
            let expected = (["```swift"] + lines + ["```"]).joined(separator: "\n")
            found.append(
                Finding(path: document.path, line: block.line, message: "\(name) must be:\n\(expected)"))
        }
        for name in unused.keys.sorted() {
            found.append(
                Finding(path: document.path, line: 1, message: "the region \(name) is nowhere"))
        }
        return found
    }

    private static func withoutIndentation(_ lines: [String]) -> [String] {
        let depth = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(depth)) }
    }
}
