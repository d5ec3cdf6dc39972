/// The modules that need nothing of Linux: their imports of the system are conditional.
enum PortableRules {
    static let modules = [
        "Sources/StrictJSON", "Sources/HTTPMessage", "Sources/JobKit",
    ]

    private static let free: Set<String> = ["StrictJSON", "HTTPMessage", "Synchronization"]

    /// Imports of the system that are not below `#if canImport(…)` of that module, nor in the `#else` of one.
    static func findings(in file: SourceFile) -> [Finding] {
        guard file.lies(in: modules) else { return [] }
        var condition: String?
        var found: [Finding] = []
        for (index, line) in file.code.enumerated() {
            let text = String(line.drop { $0 == " " })
            if text.hasPrefix("#if") || text.hasPrefix("#else") { condition = text }
            if text.hasPrefix("#endif") { condition = nil }
            guard let module = ImportRules.importedModule(line), !free.contains(module) else { continue }
            let isConditional =
                condition.map { $0.contains("canImport(\(module))") || $0 == "#else" } ?? false
            guard !isConditional else { continue }
            found.append(
                Finding(
                    path: file.path, line: index + 1,
                    message: "\(module) is not everywhere; import it below #if canImport(\(module))"))
        }
        return found
    }
}
