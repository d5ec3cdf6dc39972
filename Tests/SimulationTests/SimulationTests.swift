import Foundation
import Testing

@Suite struct `The engine in simulated worlds` {
    /// The program that was built with these tests.
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "Simulate")

    private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        // Sets and dictionaries in the same order each time: without it a seed is not the same world twice.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test(arguments: [(1, 60), (2, 30), (3, 30)])
    func `breaks no rule in many of them`(servers: Int, seeds: Int) throws {
        let (status, text) = try run(["--first", "1", "--count", "\(seeds)", "--servers", "\(servers)"])
        #expect(status == 0, "\(text)")
        #expect(text.hasPrefix("sum seeds=\(seeds) "), "\(text)")
    }

    @Test(arguments: [
        ("recover-everybody", "taken from a server that lives"),
        ("stale-cache", "although its queue is paused"),
        ("lost-cancellation", "although it is cancelled"),
    ])
    func `is caught when a fault is planted among servers`(fault: String, finding: String) throws {
        let (status, text) = try run(["--first", "1", "--count", "200", "--servers", "3", "--plant", fault])
        #expect(status == 1, "\(text)")
        #expect(text.contains(finding), "\(text)")
    }
}
