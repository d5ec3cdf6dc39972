import Foundation
import Testing

/// The compiler as a user of the library meets it: in a module of its own, with Foundation.
private struct UserCompiler {
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
        return try run("swiftc", ["-typecheck", "-swift-version", "6", "-I", modules.path, file.path])
    }

    /// The public names at the top level of a module.
    func names(of module: String) throws -> Set<String> {
        let output = try run(
            "swift-symbolgraph-extract",
            [
                "-module-name", module, "-target", Self.target, "-I", modules.path, "-output-dir",
                workshop.path, "-minimum-access-level", "public",
            ])
        let graph = workshop.appending(path: "\(module).symbols.json")
        let data = try #require(try? Data(contentsOf: graph), "\(module): \(output)")
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

@Suite(.enabled(if: UserCompiler.installedTools != nil, "The tools of the compiler are not in the PATH."))
struct `A program that uses the library` {
    @Test func `meets no name twice when it imports Foundation`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let own = try ["JobKit", "JobSpec", "StrictJSON", "HTTPMessage"].reduce(into: Set<String>()) {
            $0.formUnion(try compiler.names(of: $1))
        }
        #expect(own.isSuperset(of: ["AOperation", "ClosureOperation", "OperationKind", "JSONValue"]))
        let others = try [
            "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Synchronization",
        ].reduce(into: Set<String>()) { $0.formUnion(try compiler.names(of: $1)) }
        #expect(others.isSuperset(of: ["BlockOperation", "Data", "URLSession", "DispatchQueue", "Mutex"]))
        #expect(own.intersection(others) == [])
        #expect(own.intersection(Self.elsewhere) == [])
    }

    /// Names of Foundation on other platforms.
    private static let elsewhere: Set<String> = [
        "Operation", "OperationQueue", "Progress", "Host", "Port", "Process", "Stream", "Timer", "Formatter",
    ]

    @Test func `compiles together with Foundation`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let text = """
            import Foundation
            import JobKit

            struct Length: AReceivingOperation {
                func execute(receiving text: String, in context: AOperationContext) async throws -> Int {
                    text.count
                }
            }
            let queue = AOperationQueue.shared
            let name = queue.add(ClosureOperation("name") { _ in "Ada" }.condition(.exclusive("k")))
            let length = queue.add(Length().receiving(name).after([name]).timeout(.seconds(1)))
            let group = GroupOperation(ClosureOperation { _ in 1 }, Length().receiving(value: ""))
            let day: Date? = group.name.isEmpty ? Date.now : nil
            """
        #expect(try compiler.complaints(about: text) == "")
        let wrong = text + "\nlet missing = queue.add(Length())"
        let complaints = try compiler.complaints(about: wrong)
        #expect(complaints.contains("it needs a value: add .receiving(handle)"), "\(complaints)")
        #expect(complaints.components(separatedBy: ": error: ").count == 2, "\(complaints)")
    }
}
