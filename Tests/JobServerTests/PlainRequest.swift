import Foundation

/// A request that needs no process of curl, in the bytes that curl sends.
struct PlainRequest {
    let port: Int
    let bytes: [UInt8]
    let isHead: Bool

    /// The size from which a body is left to curl, which reads while it sends, and asks before it sends much.
    private static let bodyBytesMax = 32 << 10
    /// The fields that change how curl sends.
    private static let steering: Set<String> = [
        "content-length", "transfer-encoding", "expect", "connection", "upgrade",
    ]
    /// The characters of a path that curl has rules for.
    private static let special = Set("\"#<>[\\]^`{|}".utf8)

    /// Nil for what curl has rules of its own for.
    init?(_ method: String, _ url: String, headers: [String], body: String?) {
        let start = "http://127.0.0.1:"
        let digits = url.dropFirst(start.count).prefix { $0.isNumber }
        let target = url.dropFirst(start.count + digits.count)
        guard url.hasPrefix(start), let port = Int(digits), target.hasPrefix("/"), !target.contains("/."),
            target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.special.contains($0) }),
            body?.hasPrefix("@") != true, (body ?? "").utf8.count <= Self.bodyBytesMax
        else { return nil }
        var usual = [
            ("host", "Host: 127.0.0.1:\(port)"), ("user-agent", "User-Agent: curl/8"),
            ("accept", "Accept: */*"),
        ]
        var given: [String] = []
        for header in headers {
            guard let colon = header.firstIndex(of: ":") else { return nil }
            let name = header[..<colon].lowercased()
            if Self.steering.contains(name) { return nil }
            usual.removeAll { $0.0 == name }
            // Without a value, it says that curl's own is not sent.
            if header[colon...].dropFirst().contains(where: { $0 != " " }) { given.append(header) }
        }
        var lines = ["\(method) \(target) HTTP/1.1"] + usual.map(\.1) + given
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
        isHead = method == "HEAD"
        self.port = port
    }

    /// Sends it over a connection of its own; the answer has status 0 when there is none.
    func send() -> LiveServer.Answer {
        guard let connection = PlainConnection(port: port) else { return LiveServer.Answer() }
        // A server that answers before it has read everything may have closed.
        connection.send(bytes)
        return connection.readAnswer(isHead: isHead)
    }
}
