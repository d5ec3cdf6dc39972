internal import Commands
internal import EventIO
internal import HTTPMessage
import Synchronization

/// `jobserver api`: any request of the API.
enum APIAction {
    private static let headerFlag = Flag(
        name: "header", value: "NAME:VALUE", help: "a field of the request; repeatable", isRepeatable: true,
        hasVariable: false)
    private static let includeFlag = Flag(
        name: "include", help: "print the status and the fields of the answer first", hasVariable: false)

    static let api = Command(
        "api", "[METHOD] PATH [FILE|-]", in: .jobs, "make any request of the API, and print the answer",
        usage: ["api [METHOD] PATH [FILE|-] [FLAGS]"],
        text: """
            Makes a request to a path of the API, with the server and the token of the other commands, and prints the
            content of the answer as it arrives. The content of the request comes from a file, or for - from standard
            input; YAML, by the name of the file, is sent as JSON. The method is GET, or POST with content. It is one
            request: a server that is busy or away is not waited for. Exits 0 for 2xx, 10 for 502, 503 and 504, and 1
            otherwise.
            """,
        flags: ServerAddress.flags + [headerFlag, includeFlag],
        examples: [
            "jobserver api /v1/queues", "jobserver api POST /v1/jobs job.yaml",
            "jobserver api DELETE /v1/schedules/nightly --header 'If-Match: \"3\"'",
        ], completes: .files)

    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    static func api(_ action: Action) async throws(CommandFailure) -> Int32 {
        var words = action.given.words[...]
        var method: String?
        if let word = words.first, methods.contains(word.uppercased()) {
            method = word.uppercased()
            words = words.dropFirst()
        }
        guard let path = words.popFirst(), words.count <= 1, path.utf8.first == UInt8(ascii: "/") else {
            throw action.usage("Say which path, and with which method: jobserver api GET /v1/queues")
        }
        var request = ServerRequest(path)
        if let file = words.first {
            let input = try SpecInput(file)
            request.body = input.bytes
            request.fields = [("Content-Type", input.isScript ? "text/x-shellscript" : "application/json")]
        }
        request.method = method ?? (words.isEmpty ? "GET" : "POST")
        for text in action.given.all(headerFlag.name) { try add(text, &request, action) }
        let sink = ForwardSink(showsHead: action.given.has(includeFlag.name))
        request.sink = sink
        // A stream of events says nothing for as long as nothing happens.
        request.patience = .seconds(86_400)
        let answer = try await action.service.connection.once(request)
        sink.end()
        if answer.isSuccess { return ExitCode.success.rawValue }
        action.complain("\(request.method) \(path): HTTP \(answer.status)")
        return (answer.isAbsence ? ExitCode.unreachable : .failure).rawValue
    }

    private static func add(
        _ text: String, _ request: inout ServerRequest, _ action: Action
    ) throws(CommandFailure) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
            throw action.usage("--header \(text): expected NAME:VALUE")
        }
        let name = String(text[..<colon])
        let value = text[text.utf8.index(after: colon)...].drop { $0 == " " }
        request.fields.removeAll { $0.name.lowercased() == name.lowercased() }
        request.fields.append((name, String(value)))
    }
}

/// Writes an answer to standard output as it arrives, whatever its status.
private final class ForwardSink: HTTPContentSink {
    private let showsHead: Bool
    /// Whether the last byte was a line end, or there was none.
    private let endsLine = Mutex(true)

    init(showsHead: Bool) { self.showsHead = showsHead }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        guard showsHead else { return }
        let head = "HTTP \(status)\n" + fields.map { "\($0.name): \($0.value)\n" }.joined() + "\n"
        try write(Array(head.utf8))
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        var piece: [UInt8] = []
        piece.reserveCapacity(bytes.count)
        for index in bytes.indices { piece.append(bytes[index]) }
        if let last = piece.last { endsLine.withLock { $0 = last == 0x0A } }
        try write(piece)
    }

    /// Ends the last line on a terminal.
    func end() {
        let output = DescriptorOutput.standardOutput
        if output.isTerminal, !endsLine.withLock({ $0 }) { output.write([0x0A]) }
    }

    private func write(_ bytes: [UInt8]) throws(HTTPCallFailure) {
        guard !DescriptorOutput.standardOutput.write(bytes) else { return }
        throw HTTPCallFailure(
            code: ResultSink.code, detail: "The output cannot be written.", phase: .receive,
            delivery: .answered)
    }
}
