import FaultyHTTP
import Foundation
import Synchronization

/// An origin on the loopback interface that serves one content with ranges, and can be told to misbehave.
final class Origin: Sendable {
    /// The handling of one request.
    enum Manner: Sendable {
        /// Serves the request, whole or a range.
        case serve
        /// The same, but the connection is cut after this many bytes of content.
        case cut(after: Int)
        /// The same, but stalls after this many bytes, until `goOn`.
        case hang(after: Int)
        /// Like `cut`, and then the content changes.
        case cutAndChange(after: Int, to: [UInt8], tag: String)
        /// Claims this range in a 206 answer.
        case claim(String)
        /// Ignores ranges.
        case whole
        /// The same, and does not tell the length: the end of the connection is the end of the content.
        case unannounced
        /// Another status.
        case status(String)
    }

    private struct Desk {
        var manners: [Manner]
        var content: [UInt8]
        var tag: String?
        var type: String
        var isGoingOn = false
    }

    private let desk: Mutex<Desk>
    private let running = Mutex<FaultServer?>(nil)

    /// Serves `content`; the first requests are handled according to `manners`, all others are served.
    init(_ content: [UInt8], tag: String? = "\"one\"", type: String = "text/plain", _ manners: [Manner] = [])
    {
        desk = Mutex(Desk(manners: manners, content: content, tag: tag, type: type))
        let server = FaultServer { [self] connection, _ in
            while let request = connection.readRequest() {
                guard answer(request, on: connection) else { return }
            }
        }
        running.withLock { $0 = server }
    }

    deinit { stop() }

    func stop() { running.withLock { $0 }?.stop() }

    var url: String { running.withLock { $0 }?.url("/content") ?? "" }

    /// The heads of the requests, in order.
    var requests: [String] { running.withLock { $0 }?.requests ?? [] }

    /// The field of each request, nil where it has none.
    func field(_ name: String) -> [String?] {
        requests.map { request in
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Replaces the content.
    func change(to content: [UInt8], tag: String?) {
        desk.withLock {
            $0.content = content
            $0.tag = tag
        }
    }

    /// Resumes stalled answers.
    func goOn() { desk.withLock { $0.isGoingOn = true } }

    private func answer(_ request: String, on connection: FaultConnection) -> Bool {
        let (manner, desk) = desk.withLock { desk in
            (desk.manners.isEmpty ? .serve : desk.manners.removeFirst(), desk)
        }
        if case .status(let status) = manner {
            connection.answer("no", status: status)
            return true
        }
        let part: Range<Int>?
        switch manner {
        case .whole, .unannounced: part = nil
        default: part = Self.part(request, desk)
        }
        var head = ""
        var bytes = desk.content[...]
        if let part {
            guard !part.isEmpty else {
                connection.answer(
                    "", status: "416 Range Not Satisfiable",
                    fields: "Content-Range: bytes */\(desk.content.count)\r\n")
                return true
            }
            bytes = desk.content[part]
            var place = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(desk.content.count)"
            if case .claim(let other) = manner { place = other }
            head = "HTTP/1.1 206 Partial Content\r\nContent-Range: \(place)\r\n"
        } else {
            head = "HTTP/1.1 200 OK\r\n"
        }
        if let tag = desk.tag { head += "ETag: \(tag)\r\n" }
        head += "Content-Type: \(desk.type)\r\n"
        if case .unannounced = manner {
            connection.send(head + "Connection: close\r\n\r\n")
            connection.send(Array(bytes))
            return false
        }
        head += "Content-Length: \(bytes.count)\r\n\r\n"
        connection.send(head)
        return send(Array(bytes), manner, on: connection)
    }

    private func send(_ bytes: [UInt8], _ manner: Manner, on connection: FaultConnection) -> Bool {
        switch manner {
        case .cut(let count):
            connection.send(Array(bytes.prefix(count)))
            return false
        case .cutAndChange(let count, let other, let tag):
            change(to: other, tag: tag)
            connection.send(Array(bytes.prefix(count)))
            return false
        case .hang(let count):
            connection.send(Array(bytes.prefix(count)))
            for _ in 0..<3_000 where !desk.withLock({ $0.isGoingOn }) { connection.pause(milliseconds: 10) }
            connection.send(Array(bytes.dropFirst(count)))
            return true
        default:
            connection.send(bytes)
            return true
        }
    }

    /// The requested range: empty when it is out of bounds, nil for the whole content.
    private static func part(_ request: String, _ desk: Desk) -> Range<Int>? {
        func value(_ name: String) -> String? {
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
        guard let range = value("range"), let first = Int(range.dropFirst(6).dropLast()) else { return nil }
        if let condition = value("if-range"), condition != desk.tag { return nil }
        return first < desk.content.count ? first..<desk.content.count : 0..<0
    }
}
