import Foundation
import Testing

/// The compiler as a user of the library meets it: in a module of its own, with Foundation.
struct UserCompiler {
    /// The folder with the modules that were built with these tests.
    let modules: URL
    let tools: URL
    let workshop: URL

    init() throws {
        tools = try #require(Self.installedTools)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        modules = URL(filePath: program).deletingLastPathComponent().appending(path: "Modules")
        workshop = FileManager.default.temporaryDirectory.appending(path: "library-use-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: workshop, withIntermediateDirectories: true)
    }

    /// The folder with the tools of the compiler; nil where they are not installed, as beside tests that were built
    /// elsewhere.
    static let installedTools: URL? = {
        let paths = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let folders = paths.map { URL(filePath: String($0)).resolvingSymlinksInPath() }
        return folders.first { folder in
            ["swiftc", "swift-symbolgraph-extract"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: folder.appending(path: $0).path)
            }
        }
    }()

    func close() { try? FileManager.default.removeItem(at: workshop) }

    /// The diagnostics of the compiler for a program; empty when it accepts it.
    func complaints(about text: String) throws -> String {
        let file = workshop.appending(path: "main.swift")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return try run(
            "swiftc",
            ["-typecheck", "-swift-version", "6", "-I", modules.path, file.path] + moduleMapFlags)
    }

    /// The diagnostics for the files of a module that programs may import then.
    func complaints(aboutModule module: String, of file: URL) throws -> String {
        let output = workshop.appending(path: "\(module).swiftmodule").path
        return try run(
            "swiftc",
            [
                "-parse-as-library", "-swift-version", "6", "-emit-module", "-module-name", module, "-o",
                output,
                file.path,
            ])
    }

    /// The diagnostics for the files of a library that imports such modules.
    func complaints(about files: [URL]) throws -> String {
        try run(
            "swiftc",
            [
                "-parse-as-library", "-typecheck", "-swift-version", "6", "-I", workshop.path, "-I",
                modules.path,
            ]
                + files.map(\.path))
    }

    /// The public names at the top level of a module.
    func names(of module: String) throws -> Set<String> {
        let data = try symbolGraph(of: module)
        let opening = Data("\"pathComponents\":[\"".utf8)
        var (names, rest): (Set<String>, Range<Data.Index>) = ([], data.startIndex..<data.endIndex)
        while let found = data.range(of: opening, in: rest) {
            rest = found.upperBound..<data.endIndex
            guard let end = data[rest].firstIndex(of: UInt8(ascii: "\"")) else { break }
            if data[end...].dropFirst().first == UInt8(ascii: "]") {
                names.insert(String(decoding: data[found.upperBound..<end], as: UTF8.self))
            }
        }
        return names
    }

    /// The public symbols of a module, and those that it adds to the types of others.
    func surface(of module: String) throws -> PublicSurface {
        let own = try PublicSurface(symbolGraph: symbolGraph(of: module))
        let files = try FileManager.default.contentsOfDirectory(atPath: workshop.path)
        return try files.filter { $0.hasPrefix("\(module)@") }.sorted().reduce(into: own) { surface, file in
            let graph = try Data(contentsOf: workshop.appending(path: file))
            surface.symbols += try PublicSurface(symbolGraph: graph).symbols
        }
    }

    private func symbolGraph(of module: String) throws -> Data {
        let output = try run(
            "swift-symbolgraph-extract",
            [
                "-module-name", module, "-target", Self.target, "-I", modules.path, "-output-dir",
                workshop.path, "-minimum-access-level", "public", "-skip-synthesized-members",
            ] + moduleMapFlags)
        let graph = workshop.appending(path: "\(module).symbols.json")
        return try #require(try? Data(contentsOf: graph), "\(module): \(output)")
    }

    /// The maps of the C modules: those of system libraries are sources, the others are built.
    private var moduleMapFlags: [String] {
        let folders = [PublicSurface.root.appending(path: "Sources"), modules.deletingLastPathComponent()]
        return folders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasPrefix("C") }.sorted()
                .map { folder.appending(path: "\($0)/module.modulemap").path }
                .filter { FileManager.default.fileExists(atPath: $0) }
                .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        }
    }

    /// The complaints of the documentation compiler about a module's catalogue; empty when there are none, or it is not
    /// installed.
    func documentation(of module: String, catalogue: URL) throws -> String {
        guard FileManager.default.isExecutableFile(atPath: tools.appending(path: "docc").path) else {
            return ""
        }
        let graphs = workshop.appending(path: "graphs")
        try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)
        try symbolGraph(of: module).write(to: graphs.appending(path: "\(module).symbols.json"))
        return try run(
            "docc",
            [
                "convert", catalogue.path, "--additional-symbol-graph-dir", graphs.path,
                "--fallback-display-name", module, "--fallback-bundle-identifier", module, "--output-dir",
                workshop.appending(path: "archive").path,
            ])
    }

    private func run(_ tool: String, _ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = tools.appending(path: tool)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    #if arch(arm64)
        private static let target = "aarch64-unknown-linux-gnu"
    #else
        private static let target = "x86_64-unknown-linux-gnu"
    #endif
}
