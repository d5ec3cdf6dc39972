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

    /// The specs from the millionth on have choices.
    @Test(arguments: [(0, 1, 100), (3, 1, 40), (0, 1_000_000, 40), (3, 1_000_000, 20)])
    func `does with specs what a second reading of the documents says`(kills: Int, first: Int, specs: Int)
        throws
    {
        let (status, text) = try run([
            "--meaning", "\(kills)", "--first", "\(first)", "--count", "\(specs)",
        ])
        #expect(status == 0, "\(text)")
        #expect(text.hasPrefix("sum specs=\(specs) "), "\(text)")
    }

    /// Specs with retries: the first has nine races, and the others were once shown wrong after the last retry.
    @Test(arguments: [5737, 6788, 10864, 11126, 12638])
    func `shows after retries what a second reading of the documents says`(seed: Int) throws {
        let (status, text) = try run(["--meaning", "0", "--first", "\(seed)", "--count", "1"])
        #expect(status == 0, "\(text)")
    }

    /// Faults that the engine once had or might have, each read into the model instead, with the first spec that shows
    /// it.
    @Test(arguments: [
        ("order-forgets", 10), ("retry-reaches-inside", 118), ("plan-hides-order", 20),
        ("root-has-no-path", 798), ("unrun-has-no-state", 126), ("otherwise-is-not-heard", 1),
        ("continue-covers-inner", 28), ("permitted-is-final", 359), ("rescue-before-default", 1209),
        ("kept-counts-late", 773), ("excused-succeeds", 7), ("choice-has-one-reason", 1_000_000),
    ])
    func `finds a wrong reading of specs`(misreading: String, seed: Int) throws {
        let spec = ["--meaning", "0", "--first", "\(seed)", "--count", "1"]
        let (status, text) = try run(spec + ["--plant", misreading])
        #expect(status == 1, "\(text)")
        #expect(text.contains("differences=1"), "\(text)")
        #expect(try run(spec).status == 0)
    }

    @Test(arguments: [
        ("recover-everybody", "taken from a server that lives"),
        ("stale-cache", "although its queue is paused"),
        ("lost-cancellation", "although it is cancelled"),
    ])
    func `is caught when a fault is planted among servers`(fault: String, finding: String) throws {
        let (status, text) = try run(["--first", "1", "--count", "1000", "--servers", "3", "--plant", fault])
        #expect(status == 1, "\(text)")
        #expect(text.contains(finding), "\(text)")
    }
}
