import Foundation
import Testing

/// The program of `Examples/durable`, in a process of its own.
@Suite(.timeLimit(.minutes(2))) struct `The example of durable jobs` {
    private let scene = EngineScene()

    @Test func `a job of a killed process is finished by the next start`() throws {
        let first = try start()
        let begun = try read(first, until: "charging 20")
        Glibc.kill(first.process.processIdentifier, SIGKILL)
        first.process.waitUntilExit()
        #expect(!begun.contains("charged"))

        let second = try read(start())
        #expect(second.split(separator: "\n").count { $0.hasPrefix("charging") } == 3)
        #expect(second.contains("charged 42"))
        let id = try #require(begun.firstMatch(of: /job_[a-z0-9]+/))
        #expect(second.contains(id.output))

        let third = try read(start())
        #expect(third.contains("\(id.output) is succeeded"))
        #expect(!third.contains("charging"))
        #expect(third.contains("charged 42"))
    }

    @Test func `a second process on the directory is refused and says why`() throws {
        let first = try start()
        _ = try read(first, until: "charging 10")
        let second = try start()
        let text = try read(second)
        #expect(second.process.terminationStatus != 0)
        #expect(text.contains("\(scene.directory) is in use"))
        #expect(text.contains("(process \(first.process.processIdentifier))"))
        Glibc.kill(first.process.processIdentifier, SIGKILL)
        first.process.waitUntilExit()
    }

    private typealias Running = (process: Process, output: Pipe)

    private func start() throws -> Running {
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let (process, output) = (Process(), Pipe())
        // Its lines are read while it runs.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/stdbuf")
        process.arguments = ["-oL", programs.appendingPathComponent("DurableExample").path, scene.directory]
        // A refusal ends it as an uncaught error. Swift's backtrace of that can wait for ever, on a socket whose two
        // ends it holds, if the process is gone before it has been read.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
            $1
        }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return (process, output)
    }

    /// The output of the process, until it has printed a text or ends.
    private func read(_ running: Running, until text: String? = nil) throws -> String {
        var seen = ""
        while text.map({ !seen.contains($0) }) ?? true {
            let part = running.output.fileHandleForReading.availableData
            if part.isEmpty { break }
            seen += String(decoding: part, as: UTF8.self)
        }
        if text == nil { running.process.waitUntilExit() }
        return seen
    }
}
