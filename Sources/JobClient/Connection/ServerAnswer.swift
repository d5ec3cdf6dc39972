internal import Commands
internal import HTTPMessage
internal import StrictJSON

/// An answer of the server.
struct ServerAnswer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    var isSuccess: Bool { (200...299).contains(status) }

    /// Whether the server is not ready, or something on the way answers for one that is away.
    var isAbsence: Bool { (502...504).contains(status) }

    /// The time after which a refused request is sent again; nil for an answer that counts.
    var pause: Duration? {
        guard isAbsence || status == 429 else { return nil }
        return .seconds(field("retry-after").flatMap { Int($0) } ?? 1)
    }

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    /// The body as JSON.
    /// - Throws: `.failure` when something else than jobserver answers.
    func json(_ address: ServerAddress) throws(CommandFailure) -> JSONValue {
        let limits = JSONLimits(bytesMax: body.count, membersMax: body.count)
        guard let value = try? JSONParser.parse(body, limits: limits) else {
            throw CommandFailure(
                code: .failure,
                text:
                    "\(address.url) answers \(status), and not with JSON. Is it a jobserver, and the path right?"
            )
        }
        return value
    }

    /// The error that an unsuccessful answer reports: `.unreachable` when no server is ready, otherwise `.failure`.
    /// - Parameter place: the place of a pointer in the file that was sent; nil to show the pointer.
    func failure(
        _ address: ServerAddress, place: (String) -> String? = { _ in nil }
    ) -> CommandFailure {
        let problem = try? JSONParser.parse(body)
        func text(_ pointer: String) -> String? {
            JSONPointer(pointer)?.resolve(in: problem ?? .null)?.string?.onTerminal
        }
        switch status {
        case 401:
            let remedy =
                address.token == nil
                ? "asks for a token: set JOBSERVER_TOKEN"
                : "does not know this token: check JOBSERVER_TOKEN (or --token)"
            return CommandFailure(
                code: .failure,
                text: "The server at \(address.url) \(remedy). jobserver token create makes one.")
        case 403 where text("/code") == "token.scope" || text("/code") == nil:
            let detail = text("/detail") ?? "The token in JOBSERVER_TOKEN may not do this."
            return CommandFailure(code: .failure, text: detail)
        default: break
        }
        let code: ExitCode = isAbsence ? .unreachable : .failure
        guard let detail = text("/detail") ?? text("/title") else {
            let remedy = isAbsence ? ": no jobserver is ready there. Try again later." : "."
            return CommandFailure(code: code, text: "\(address.url) answered \(status)\(remedy)")
        }
        let items = JSONPointer("/errors")?.resolve(in: problem ?? .null)?.array ?? []
        let lines = items.map { item -> String in
            let pointer = ProblemPlace.text(of: item)
            let detail = item.object?["detail"]?.string ?? ""
            let suggestion = item.object?["suggestion"]?.string.map { "\n    write: \($0)" } ?? ""
            let head =
                if let place = place(pointer) {
                    pointer.isEmpty ? "\(place): " : "\(place): \(pointer): "
                } else {
                    pointer.isEmpty ? "" : pointer + ": "
                }
            return "\n  \(head)\(detail)\(suggestion)".onTerminal
        }
        return CommandFailure(
            code: code, text: items.isEmpty ? detail : (text("/title") ?? detail) + ":" + lines.joined())
    }
}
