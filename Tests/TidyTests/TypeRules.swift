/// The maximum size of a type with all its extensions. A larger one is several types under one name.
enum TypeRules {
    static let linesMax = 700

    /// The lines of each type in the files, its extensions in the same module included, the largest first.
    static func sizes(in files: [SourceFile]) -> [(type: String, lines: Int)] {
        var sizes: [String: Int] = [:]
        for file in files where file.lies(in: ["Sources"]) && file.parts.count > 2 {
            for declaration in Declaration.all(in: file) where !declaration.isPrivate {
                sizes["\(file.parts[1]).\(declaration.name)", default: 0] += declaration.lines
            }
        }
        return sizes.map { ($0.key, $0.value) }.sorted { ($0.lines, $1.type) > ($1.lines, $0.type) }
    }

    static func findings(in files: [SourceFile]) -> [Finding] {
        sizes(in: files).filter { $0.lines > linesMax }.map {
            Finding(path: $0.type, line: $0.lines, message: "\($0.lines) lines; at most \(linesMax)")
        }
    }
}
