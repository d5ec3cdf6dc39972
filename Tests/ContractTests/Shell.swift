import Foundation

/// Runs programs for tests.
enum Shell {
    /// The outcome of a program.
    struct Outcome {
        let status: Int32
        let output: String
    }

    /// The top of the repository.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The server that was built with these tests.
    static let server = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "jobserver")

    /// The Python that has the tools of the tests.
    static let python = root.appending(path: ".build/venv/bin/python")

    /// Whether a program is there.
    static func finds(_ program: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// Threads of Swift's pool block most signals, and child processes inherit that; a server that never sees SIGTERM
    /// would run forever.
    private static let launcher =
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"

    /// Runs a program in the top folder and waits for it; standard output and error come as one text.
    static func run(
        _ program: URL, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> Outcome {
        let log = FileManager.default.temporaryDirectory.appending(
            path: "jobserver-test-\(UUID().uuidString).log")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", launcher, program.path] + arguments
        process.currentDirectoryURL = root
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let own = ["JOBSERVER": server.path]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(environment) {
            $1
        }
        let status = try await withCheckedThrowingContinuation {
            (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        try output.close()
        return Outcome(status: status, output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
    }
}
