/// Makes one file of a file and those that it imports, so that a browser fetches the page with three requests.
///
/// The files are plain ES modules and style sheets that a browser reads as they are, one by one. Each import is a line
/// of its own and each module exports by name; no two modules have a name in common at their top level. So the modules
/// are one module when each follows those that it imports, without the lines that import and the word `export`.
/// Comments and indentation are left out, and spaces that mean nothing (`TightLine`).
struct PageBundle {
    private let read: (String) -> [UInt8]?
    private var seen: Set<String> = []
    private var text = ""

    /// The file at `path` with everything that it imports before it; nil when there is no such file.
    /// - Parameter read: the content of the file at a path.
    static func make(_ path: String, read: @escaping (String) -> [UInt8]?) -> [UInt8]? {
        guard read(path) != nil else { return nil }
        var bundle = PageBundle(read: read)
        bundle.add(path)
        return Array(bundle.text.utf8)
    }

    private init(read: @escaping (String) -> [UInt8]?) { self.read = read }

    private mutating func add(_ path: String) {
        guard seen.insert(path).inserted, let content = read(path) else { return }
        var own = ""
        var isComment = false
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
            let line = line.trimmingPrefix(while: \.isWhitespace)
            if isComment || line.hasPrefix("/*") {
                isComment = !line.contains("*/")
            } else if line.hasPrefix("//") || line.isEmpty {
                continue
            } else if let imported = Self.imported(line) {
                add(Self.resolve(imported, from: path))
            } else {
                let line = line.hasPrefix("export ") ? line.dropFirst("export ".count) : line
                own += (path.hasSuffix(".css") ? TightLine.style(line) : TightLine.script(line)) + "\n"
            }
        }
        text += own
    }

    /// What a line imports: `import { a } from "./b.js";` or `@import "b.css";`.
    private static func imported(_ line: Substring) -> Substring? {
        guard line.hasPrefix("import ") || line.hasPrefix("@import ") else { return nil }
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count == 3 ? parts[1] : nil
    }

    /// A path relative to the file that names it.
    private static func resolve(_ path: Substring, from file: String) -> String {
        var parts = file.split(separator: "/").dropLast()
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
