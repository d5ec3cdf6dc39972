import Foundation

/// The real program in a process of its own: for tests of signals, crashes, limits, the environment and the exit code.
final class LiveProgram: LiveServer {
    private let process: Process

    /// Whether this runs under the thread sanitizer (`make tsan`), which needs all of the address space.
    static let isSanitized = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil

    /// Starts the program; returns when it is ready.
    /// - Parameters:
    ///   - openFiles: its limit of descriptors; nil is that of this process.
    ///   - memory: its limit of memory, in MiB; nil is that of this process.
    ///   - fixed: its port, to take the place of an earlier server; 0 takes a free one.
    ///   - wrapper: a command that runs the program in its own process.
    init(
        _ flags: [String] = [], directory: URL? = nil, opensLoopback: Bool = true, openFiles: Int? = nil,
        memory: Int? = nil, port fixed: Int = 0, wrapper: [String] = [], environment: [String: String] = [:]
    ) throws {
        let home = try Home(directory)
        let portFile = home.folder.appending(path: "port")
        try? FileManager.default.removeItem(at: portFile)
        process = Process()
        process.executableURL = LiveServer.program
        process.arguments =
            ["serve", "--port-file", portFile.path]
            + Self.words(flags, home, port: fixed, opensLoopback: opensLoopback)
        let limits =
            (openFiles.map { ["ulimit -n \($0)"] } ?? [])
            + ((Self.isSanitized ? nil : memory).map { ["ulimit -v \($0 << 10)"] } ?? [])
        if !limits.isEmpty {
            let words = process.arguments ?? []
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments =
                [
                    "-c", "\(limits.joined(separator: " && ")) && exec \"$0\" \"$@\"",
                    LiveServer.program.path,
                ] + words
        }
        if let first = wrapper.first, let program = process.executableURL {
            process.arguments = wrapper.dropFirst() + [program.path] + (process.arguments ?? [])
            process.executableURL = URL(filePath: first)
        }
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { first, _ in first }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: home.errors)
        try process.run()
        var port = ""
        let deadline = Date().addingTimeInterval(20)
        while port.isEmpty, process.isRunning, Date() < deadline {
            usleep(10_000)
            port = (try? String(contentsOf: portFile, encoding: .utf8)) ?? ""
        }
        guard let number = Int(port.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw Failure.didNotStart((try? String(contentsOf: home.errors, encoding: .utf8)) ?? "")
        }
        super.init(
            url: Self.url(flags, port: number), home: home, removesDirectory: directory == nil)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The process id.
    var pid: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    /// The most memory in MiB that the program has during `work` besides that which it had before.
    func memory(of work: () throws -> Void) throws -> Int {
        func field(_ name: String) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return (Int(line.filter(\.isNumber)) ?? 0) >> 10
        }
        // The highest so far is set back to what there is now (proc(5)).
        try Data("5".utf8).write(to: URL(filePath: "/proc/\(pid)/clear_refs"))
        let before = try field("VmRSS")
        try work()
        return try field("VmHWM") - before
    }

    /// Sends a signal and waits for the end; returns the exit code.
    func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
