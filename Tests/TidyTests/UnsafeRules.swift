/// Restricts unchecked code to the modules around C libraries, where it needs a reason.
enum UnsafeRules {
    /// The modules, folders and files that own pointers, or a task that serves all.
    static let glass = [
        "Sources/EventIO", "Sources/CurlHTTP", "Sources/StoreThreads", "Sources/ContentFiles",
        "Sources/SQLiteStore",
        "Sources/PostgresStore",
        "Sources/OpenSSLCrypto", "Sources/StrictYAML",
        "Sources/JobServer/Embedded", "Sources/JobHTTP/Files", "Sources/HTTPMessage/Basics/Charset.swift",
        "Sources/JobKit/Ports/SystemTimers.swift",
    ]

    /// Words that need a reason on the line above. The last part of each is the word in code.
    static let risky = [
        "@unchecked Sendable", "nonisolated(unsafe)", "@preconcurrency", "try!", "as!", "fatalError",
        "Task.detached",
    ]

    /// The beginning of the reason.
    static let reason = "// Safe because"

    static func findings(in file: SourceFile) -> [Finding] {
        let isGlass = file.lies(in: glass)
        let isTest = file.lies(in: ["Tests", "Benchmarks"])
        var found: [Finding] = []
        let risky = risky.filter { file.text.contains($0) }
        for (index, line) in file.code.enumerated() {
            for word in risky where line.hasWord(word) {
                if !isGlass && !isTest {
                    found.append(
                        Finding(path: file.path, line: index + 1, message: "\(word) outside the glass rooms"))
                } else if !isExplained(file, index) {
                    found.append(
                        Finding(
                            path: file.path, line: index + 1,
                            message: "\(word) needs a comment line above that starts with `Safe because`"))
                }
            }
            if !isGlass && !isTest && usesPointers(line) {
                found.append(
                    Finding(path: file.path, line: index + 1, message: "unsafe code outside the glass rooms"))
            }
        }
        return found
    }

    private static func usesPointers(_ line: String) -> Bool {
        let types = ["UnsafePointer", "UnsafeMutable", "UnsafeRaw", "UnsafeBuffer", "withUnsafe"]
        return line.hasWord("unsafe") || types.contains { line.contains($0) }
    }

    /// Whether the comment above the line, of one or more lines, starts with the reason.
    private static func isExplained(_ file: SourceFile, _ index: Int) -> Bool {
        var above = index - 1
        while above >= 0 {
            let text = String(file.lines[above].drop { $0 == " " })
            if text.hasPrefix(reason) || text.hasPrefix("/" + reason) { return true }
            guard text.hasPrefix("//") || text.hasPrefix("@") else { return false }
            above -= 1
        }
        return false
    }
}
