/// Bundles a file with its imports, so that a browser fetches the page with three requests.
///
/// The files are plain ES modules and style sheets that a browser can also load unbundled. Each import is on a separate
/// line and each module has named exports; top-level names are unique over all modules, and no text goes over lines. So
/// the concatenation of the modules in order of their imports is one module, without the lines that import or comment
/// and without the word `export`.
struct PageBundle {
    private let read: (String) -> [UInt8]?
    private var seen: Set<String> = []
    private var bytes: [UInt8] = []

    /// The file at `path` after its imports; nil when there is no such file.
    /// - Parameter read: the content of the file at a path.
    static func make(_ path: String, read: @escaping (String) -> [UInt8]?) -> [UInt8]? {
        guard read(path) != nil else { return nil }
        var bundle = PageBundle(read: read)
        bundle.add(path)
        return bundle.bytes
    }

    private init(read: @escaping (String) -> [UInt8]?) { self.read = read }

    private mutating func add(_ path: String) {
        guard seen.insert(path).inserted, let content = read(path) else { return }
        var own: [UInt8] = []
        var isComment = false
        for line in content.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if isComment || text.starts(with: "/*".utf8) {
                isComment = !line.suffix(2).elementsEqual("*/".utf8)
            } else if let imported = Self.imported(line) {
                add(Self.resolve(imported, from: path))
            } else if !text.starts(with: "//".utf8) {
                own += line.starts(with: "export ".utf8) ? line.dropFirst("export ".utf8.count) : line
                own.append(UInt8(ascii: "\n"))
            }
        }
        bytes += own
    }

    /// The path in an import: `import { a } from "./b.js";` or `@import "b.css";`.
    private static func imported(_ line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: "import ".utf8) || line.starts(with: "@import ".utf8) else { return nil }
        let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : nil
    }

    /// A path relative to the file that names it.
    private static func resolve(_ path: String, from file: String) -> String {
        var parts = file.split(separator: "/").dropLast()
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
