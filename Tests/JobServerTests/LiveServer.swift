import Foundation
import StrictJSON

/// The real program, started on a free port with a temporary data directory, and called with curl.
///
/// For one test each: it is stopped when the test releases it; its data is removed, too, unless the test gave the
/// directory.
final class LiveServer {
    struct Answer {
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body = Data()

        /// The first field of a name.
        func field(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The body as JSON; null when it is not JSON.
        var json: JSONValue { (try? JSONParser.parse(Array(body), limits: .written(Array(body)))) ?? .null }

        func at(_ pointer: String) -> JSONValue? { JSONPointer(pointer)?.resolve(in: json) }
    }

    /// The output of a finished program.
    struct Ended {
        var code: Int32
        var output: String
        var errors: String
    }

    enum Failure: Error { case didNotStart(String) }

    let url: String
    let directory: URL
    private let process: Process
    private let errors: URL
    private let removesDirectory: Bool

    /// Whether this runs under the thread sanitizer (`make tsan`), which needs all of the address space.
    private static let isSanitized = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil

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
        let home = directory ?? LiveServer.temporaryDirectory()
        self.directory = home
        removesDirectory = directory == nil
        errors = home.appending(path: "errors")
        let portFile = home.appending(path: "port")
        try? FileManager.default.removeItem(at: portFile)
        process = Process()
        process.executableURL = LiveServer.program
        process.arguments =
            [
                "serve", "--port", "\(fixed)", "--port-file", portFile.path, "--data",
                home.appending(path: "data").path,
            ] + (opensLoopback ? ["--egress-allow", "127.0.0.0/8"] : []) + flags
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
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        var port = ""
        let deadline = Date().addingTimeInterval(20)
        while port.isEmpty, process.isRunning, Date() < deadline {
            usleep(10_000)
            port = (try? String(contentsOf: portFile, encoding: .utf8)) ?? ""
        }
        guard let number = Int(port.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw Failure.didNotStart((try? String(contentsOf: errors, encoding: .utf8)) ?? "")
        }
        url = (flags.contains("--tls-cert") ? "https" : "http") + "://127.0.0.1:\(number)"
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        if removesDirectory { try? FileManager.default.removeItem(at: directory) }
    }

    /// The process id.
    var pid: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    /// The standard error of the program so far.
    var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// Sends a signal and waits for the end; returns the exit code.
    func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Sends one request. A body is sent as JSON unless a header says otherwise.
    func send(
        _ method: String, _ path: String, headers: [String] = [], body: String? = nil, curl: [String] = []
    ) throws -> Answer {
        var words = ["-s", "-i", "--max-time", "70", "-k", "-X", method]
        if method == "HEAD" { words += ["--head"] }
        if let body {
            words += ["--data-binary", body]
            if !headers.contains(where: { $0.lowercased().hasPrefix("content-type") }) {
                words += ["-H", "Content-Type: application/json"]
            }
        }
        for header in headers { words += ["-H", header] }
        let ended = try LiveServer.run(URL(filePath: "/usr/bin/curl"), words + curl + [url + path])
        return LiveServer.parse(Data(ended.output.utf8))
    }

    func get(_ path: String, headers: [String] = []) throws -> Answer {
        try send("GET", path, headers: headers)
    }

    func post(_ path: String, _ body: String? = nil, headers: [String] = []) throws -> Answer {
        try send("POST", path, headers: headers, body: body)
    }

    /// Submits a job and returns its id.
    func submit(_ spec: String, headers: [String] = []) throws -> String {
        try post("/v1/jobs", spec, headers: headers).at("/id")?.string ?? ""
    }

    /// Waits until a job is neither runnable nor in flight: it waits or has ended. Returns the job.
    @discardableResult
    func rest(_ job: String) throws -> Answer {
        var answer = try get("/v1/jobs/\(job)")
        while ["queued", "running"].contains(answer.at("/state")?.string), let tag = answer.field("etag") {
            let next = try get("/v1/jobs/\(job)", headers: ["Prefer: wait=10", "If-None-Match: \(tag)"])
            if next.status == 200 { answer = next }
        }
        return answer
    }

    /// Runs another command than `serve`.
    static func command(
        _ words: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> Ended {
        try run(program, words, input: input, environment: environment)
    }

    /// Runs a command for jobs on this server.
    func client(_ words: String..., input: String? = nil, token: String? = nil) throws -> Ended {
        let address = ["JOBSERVER_URL": url]
        let identity = token.map { ["JOBSERVER_TOKEN": $0] } ?? [:]
        return try LiveServer.command(
            words, input: input, environment: address.merging(identity) { first, _ in first })
    }

    /// The program that was built with these tests.
    static var program: URL {
        let bundle = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        return bundle.appending(path: "jobserver")
    }

    static func temporaryDirectory() -> URL {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "jobserver-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    /// Runs a program and waits for it.
    static func run(
        _ program: URL, _ words: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> Ended {
        let process = Process()
        process.executableURL = program
        process.arguments = words
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { first, _ in first }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        if let input {
            let pipe = Pipe()
            process.standardInput = pipe
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        let written = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ended(
            code: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }

    /// Parses the output of `curl -i`; interim responses are skipped.
    private static func parse(_ data: Data) -> Answer {
        var answer = Answer()
        var rest = data
        while let end = rest.range(of: Data("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[rest.startIndex..<end.lowerBound], as: UTF8.self)
            let lines = head.components(separatedBy: "\r\n")
            answer.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
            answer.fields = lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (
                    String(line[..<colon]),
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            }
            rest = rest[end.upperBound...]
            if answer.status >= 200 { break }
        }
        answer.body = Data(rest)
        return answer
    }
}
