/// The head of a type or an extension at the top level of a file.
struct Declaration {
    /// The type's name; for an extension, the name of the extended type, nested ones with a dot.
    let name: String
    let isExtension: Bool
    let isPrivate: Bool
    /// The number of lines from its head to its closing brace, inclusive.
    let lines: Int

    /// All declarations at the top level of a file.
    static func all(in file: SourceFile) -> [Declaration] {
        var found: [Declaration] = []
        var depth = 0
        var open: (head: (name: String, isExtension: Bool, isPrivate: Bool), start: Int)?
        for (index, line) in file.code.enumerated() {
            if depth == 0, open == nil, let head = head(line) { open = (head, index) }
            depth += line.utf8.reduce(0) { $0 + ($1 == 0x7B ? 1 : $1 == 0x7D ? -1 : 0) }
            guard depth == 0, let (head, start) = open, line.utf8.contains(0x7D) else { continue }
            found.append(
                Declaration(
                    name: head.name, isExtension: head.isExtension, isPrivate: head.isPrivate,
                    lines: index - start + 1))
            open = nil
        }
        return found
    }

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "extension"]

    private static func head(_ line: String) -> (name: String, isExtension: Bool, isPrivate: Bool)? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count,
            !words[..<place].contains("func"), !words[..<place].contains("import")
        else { return nil }
        let name = words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return (
            String(name), words[place] == "extension",
            words[..<place].contains { $0 == "private" || $0 == "fileprivate" }
        )
    }
}
