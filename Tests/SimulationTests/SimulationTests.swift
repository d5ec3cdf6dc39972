import Foundation
import Testing

@Suite struct `The engine in simulated worlds` {
    /// The program that was built with these tests.
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "Simulate")

    @Test func `breaks no rule in a hundred of them`() throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = ["--first", "1", "--count", "100"]
        // Sets and dictionaries in the same order each time: without it a seed is not the same world twice.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.hasPrefix("sum seeds=100 "), "\(text)")
    }
}
