import Foundation

/// One text file of the repository.
struct SourceFile {
    /// Its path from the root, with forward slashes.
    let path: String
    let text: String
    /// Its lines without line ends.
    let lines: [String]
    /// The same lines with comments, string contents and quoted names blanked, so that only code is left.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        code = path.hasSuffix(".swift") ? CodeView.lines(of: text) : lines
    }

    /// The parts of the path.
    var parts: [String] { path.split(separator: "/").map(String.init) }

    /// Whether the file is one of these places, or lies in one.
    func lies(in places: [String]) -> Bool {
        places.contains { path.hasPrefix($0 + "/") || path == $0 }
    }
}

/// A violation of a rule, with its position.
struct Finding: CustomStringConvertible {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// The repository of these tests.
enum SourceTree {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Folders of generated files.
    private static let skipped: Set<String> = [
        ".git", ".build", "data", "__pycache__", "node_modules", ".venv",
    ]

    /// The paths of all source files, relative to the root, sorted.
    static let paths: [String] = {
        var found: [String] = []
        collect(folder: "", into: &found)
        return found.sorted()
    }()

    /// All Swift files, read once.
    static let swiftFiles: [SourceFile] = paths.filter { $0.hasSuffix(".swift") }.compactMap(read)

    /// All files with one of these endings.
    static func files(endings: [String]) -> [SourceFile] {
        let others = endings.filter { $0 != ".swift" }
        let found = paths.filter { path in others.contains { path.hasSuffix($0) } }.compactMap(read)
        return endings.contains(".swift") ? found + swiftFiles : found
    }

    /// The file at a path relative to the root; nil when it is not text.
    static func read(_ path: String) -> SourceFile? {
        guard let data = try? Data(contentsOf: root.appending(path: path)),
            let text = String(data: data, encoding: .utf8)
        else { return nil }
        return SourceFile(path: path, text: text)
    }

    /// Adds the files below `folder`; false when it is not a folder.
    @discardableResult
    private static func collect(folder: String, into found: inout [String]) -> Bool {
        let place = folder.isEmpty ? root : root.appending(path: folder)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: place.path) else {
            return false
        }
        for name in names where !skipped.contains(name) && !name.hasPrefix(".build-") {
            let path = folder.isEmpty ? name : folder + "/" + name
            if !collect(folder: path, into: &found) { found.append(path) }
        }
        return true
    }
}
