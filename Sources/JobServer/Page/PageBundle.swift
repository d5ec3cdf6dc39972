/// Bundles a file with its imports, so that a browser fetches the page with three requests.
///
/// The files are plain ES modules and style sheets that a browser can also load unbundled. Each import is on a separate
/// line and each module has named exports; top-level names are unique over all modules. So the concatenation of the
/// modules in order of their imports is one module, without the lines that import and the word `export`. It is written
/// as tight as it can be (`TightScript`, `TightStyle`).
struct PageBundle {
    private let read: (String) -> [UInt8]?
    private var seen: Set<String> = []
    private var text = ""

    /// The file at `path` after its imports; nil when there is no such file.
    /// - Parameter read: the content of the file at a path.
    static func make(_ path: String, read: @escaping (String) -> [UInt8]?) -> [UInt8]? {
        guard read(path) != nil else { return nil }
        var bundle = PageBundle(read: read)
        bundle.add(path)
        let text = bundle.text
        if path.hasSuffix(".js") { return Array(TightScript.make(text).utf8) }
        return Array((path.hasSuffix(".css") ? TightStyle.make(text) : text).utf8)
    }

    private init(read: @escaping (String) -> [UInt8]?) { self.read = read }

    private mutating func add(_ path: String) {
        guard seen.insert(path).inserted, let content = read(path) else { return }
        var own = ""
        var isComment = false
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
            if isComment || line.trimmingPrefix(while: \.isWhitespace).hasPrefix("/*") {
                isComment = !line.contains("*/")
            } else if let imported = Self.imported(line) {
                add(Self.resolve(imported, from: path))
            } else {
                own += (line.hasPrefix("export ") ? line.dropFirst("export ".count) : line) + "\n"
            }
        }
        text += own
    }

    /// The path in an import: `import { a } from "./b.js";` or `@import "b.css";`.
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
