import Foundation
import StrictJSON

/// A server on a free port with a temporary data directory, in this process; see `LiveProgram` for one in its own.
///
/// For one test each: it is stopped when the test releases it; its data is removed, too, unless the test gave the
/// directory.
class LiveServer {
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

    /// The folder of a server, with its data and its standard error.
    struct Home {
        let folder: URL
        var errors: URL { folder.appending(path: "errors") }

        init(_ directory: URL?) throws {
            folder = directory ?? LiveServer.temporaryDirectory()
            try Data().write(to: errors)
        }
    }

    let url: String
    /// The URL of the public listener.
    let publicURL: String?
    let directory: URL
    private let host: LiveHost?
    private let errors: URL
    private let removesDirectory: Bool

    /// Starts a server; returns when it is ready.
    init(_ flags: [String] = [], directory: URL? = nil, opensLoopback: Bool = true) throws {
        let home = try Home(directory)
        // What it has not finished when the test is over is of no interest.
        let words = Self.words(flags + ["--drain-timeout", "0s"], home, opensLoopback: opensLoopback)
        let host = try LiveHost(words, log: home.errors)
        (self.host, self.directory, errors) = (host, home.folder, home.errors)
        removesDirectory = directory == nil
        url = Self.url(flags, port: host.port)
        publicURL = host.publicPort.map { Self.url(flags, port: $0) }
    }

    /// A server that runs elsewhere.
    init(url: String, home: Home, removesDirectory: Bool) {
        (self.url, self.directory, errors) = (url, home.folder, home.errors)
        (host, publicURL, self.removesDirectory) = (nil, nil, removesDirectory)
    }

    deinit {
        host?.stop()
        if removesDirectory { try? FileManager.default.removeItem(at: directory) }
    }

    /// The standard error of the server so far.
    var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// The words of a command line after `serve`.
    static func words(
        _ flags: [String], _ home: Home, port: Int = 0, opensLoopback: Bool
    ) -> [String] {
        ["--port", "\(port)", "--data", home.folder.appending(path: "data").path]
            + (opensLoopback ? ["--egress-allow", "127.0.0.0/8"] : []) + flags
    }

    static func url(_ flags: [String], port: Int) -> String {
        (flags.contains("--tls-cert") ? "https" : "http") + "://127.0.0.1:\(port)"
    }

    /// Sends one request. A body is sent as JSON unless a header says otherwise.
    /// - Parameter curl: more words for curl; with them, and for what it has rules of its own for, it is asked.
    func send(
        _ method: String, _ path: String, headers: [String] = [], body: String? = nil, curl: [String] = []
    ) throws -> Answer {
        var headers = headers
        if body != nil, !headers.contains(where: { $0.lowercased().hasPrefix("content-type") }) {
            headers.insert("Content-Type: application/json", at: 0)
        }
        if curl.isEmpty, let plain = PlainRequest(method, url + path, headers: headers, body: body) {
            return plain.send()
        }
        var words = ["-s", "-i", "--max-time", "70", "-k", "-X", method]
        if method == "HEAD" { words += ["--head"] }
        // A word of a command has a length.
        let isFile = body?.hasPrefix("@") ?? true
        if let body { words += ["--data-binary", isFile ? body : "@-"] }
        for header in headers { words += ["-H", header] }
        let ended = try LiveServer.run(
            URL(filePath: "/usr/bin/curl"), words + curl + [url + path], input: isFile ? nil : body)
        return LiveServer.parse(Data(ended.output.utf8))
    }

    func get(_ path: String, headers: [String] = []) throws -> Answer {
        try send("GET", path, headers: headers)
    }

    func post(_ path: String, _ body: String? = nil, headers: [String] = []) throws -> Answer {
        try send("POST", path, headers: headers, body: body)
    }

    /// Submits a job and returns its id. A server whose disk is slow for a moment is asked again.
    func submit(_ spec: String, headers: [String] = []) throws -> String {
        var answer = try post("/v1/jobs", spec, headers: headers)
        for _ in 1...20 where answer.at("/code") == "server.overloaded" {
            sleep(1)
            answer = try post("/v1/jobs", spec, headers: headers)
        }
        return answer.at("/id")?.string ?? ""
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
        let pipe = Pipe()
        process.standardInput = input == nil ? FileHandle.nullDevice : pipe
        let isLong = input.map { $0.utf8.count > 65_536 } ?? false
        if let input, !isLong {
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        try process.run()
        if let input, isLong {
            // Beside what is read, since a pipe holds no more.
            Thread.detachNewThread {
                try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                try? pipe.fileHandleForWriting.close()
            }
        }
        let written = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ended(
            code: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }

    /// Parses the output of `curl -i`; interim responses are skipped.
    static func parse(_ data: Data) -> Answer {
        var answer = Answer()
        var rest = data
        while let end = rest.range(of: Data("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[rest.startIndex..<end.lowerBound], as: UTF8.self)
            answer = Answer(head: head)
            rest = rest[end.upperBound...]
            if answer.status >= 200 { break }
        }
        answer.body = Data(rest)
        return answer
    }
}

extension LiveServer.Answer {
    /// An answer without content.
    init(head: String) {
        let lines = head.components(separatedBy: "\r\n")
        status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                String(line[..<colon]),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            )
        }
    }
}
