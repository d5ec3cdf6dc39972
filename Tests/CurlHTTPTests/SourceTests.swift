import FaultyHTTP
import HTTPMessage
import Synchronization
import Testing

@testable import CurlHTTP

/// Content of a given length that is generated on demand.
final class CountingSource: HTTPContentSource {
    let byteCount: Int
    private let givenMax: Int
    private let reads = Mutex([Int]())

    /// - Parameter givenMax: the number of bytes after which it ends, whatever it announced.
    init(byteCount: Int, givenMax: Int = .max) {
        self.byteCount = byteCount
        self.givenMax = givenMax
    }

    /// The offsets of its reads.
    var offsets: [Int] { reads.withLock { $0 } }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        reads.withLock { $0.append(offset) }
        if givenMax < 0 {
            throw HTTPCallFailure(
                code: "storage.read", detail: "It is gone.", phase: .send, delivery: .sentUnknown)
        }
        let count = min(bytes.count, min(byteCount, givenMax) - offset)
        for index in 0..<max(0, count) { bytes[index] = Self.byte(at: offset + index) }
        return max(0, count)
    }

    static func byte(at offset: Int) -> UInt8 { UInt8(ascii: "a") + UInt8(offset % 26) }

    static func text(_ count: Int) -> String {
        String(decoding: (0..<count).map(byte(at:)), as: UTF8.self)
    }
}

@Suite struct `A source` {
    @Test(arguments: [("POST", 10), ("PUT", 70_000), ("PATCH", 1_000_000), ("POST", 0)])
    func `is sent whole, with its length, and counted`(method: String, count: Int) async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() { connection.answer("\(request.utf8.count)") }
        }
        defer { server.stop() }
        var call = HTTPCall(method: method, url: server.url("/to"), fields: [("Content-Type", "text/plain")])
        call.source = CountingSource(byteCount: count)
        let answer = try await withClient { try await $0.send(call) }
        let request = server.requests[0]
        #expect(answer.status == 200)
        #expect(request.hasPrefix("\(method) /to HTTP/1.1\r\n"))
        #expect(request.contains("\r\nContent-Length: \(count)\r\n"))
        #expect(!request.contains("Expect"))
        #expect(!request.contains("Transfer-Encoding"))
        #expect(request.hasSuffix("\r\n\r\n" + CountingSource.text(count)))
        #expect(answer.exchange.bytesSent == request.utf8.count)
    }

    @Test func `leaves nothing behind for the next call`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("ok") }
        defer { server.stop() }
        var call = HTTPCall(method: "PUT", url: server.url())
        call.source = CountingSource(byteCount: 20_000)
        try await withClient { [call] client in
            _ = try await client.send(call)
            _ = try await client.send(HTTPCall(method: "GET", url: server.url()))
            _ = try await client.send(HTTPCall(method: "POST", url: server.url(), body: Array("x".utf8)))
        }
        #expect(server.requests[1].hasPrefix("GET "))
        #expect(server.requests[1].hasSuffix("\r\n\r\n"))
        #expect(server.requests[2].hasSuffix("\r\n\r\nx"))
        #expect(server.connections == 1)
    }

    @Test func `is read again when a kept connection was dead`() async throws {
        let server = FaultServer { connection, number in
            connection.readRequest()
            connection.answer("first")
            if number == 0 { connection.readRequest() } else { connection.answerAll("later") }
        }
        defer { server.stop() }
        let source = CountingSource(byteCount: 30_000)
        var call = HTTPCall(method: "PUT", url: server.url("/again"))
        call.source = source
        let answer = try await withClient { [call] client in
            _ = try await client.send(HTTPCall(method: "GET", url: server.url("/warm")))
            return try await client.send(call)
        }
        #expect(answer.status == 200)
        let sent = server.requests.filter { $0.contains("/again") }
        #expect(sent.count == 2)
        #expect(sent.allSatisfy { $0.hasSuffix(CountingSource.text(30_000)) })
        #expect(source.offsets.count { $0 == 0 } == 2)
    }

    @Test(arguments: [(307, true), (303, false)])
    func `goes along with a redirect that keeps the method`(status: Int, goesAlong: Bool) async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.contains("/there") {
                    connection.answer("there")
                } else {
                    connection.answer("", status: "\(status) Go", fields: "Location: /there\r\n")
                }
            }
        }
        defer { server.stop() }
        var call = HTTPCall(method: "POST", url: server.url())
        call.source = CountingSource(byteCount: 5_000)
        call.redirectsMax = 1
        let answer = try await withClient { [call] in try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(server.requests[1].hasPrefix(goesAlong ? "POST /there" : "GET /there"))
        #expect(server.requests[1].hasSuffix(goesAlong ? CountingSource.text(5_000) : "\r\n\r\n"))
    }

    @Test(arguments: [(50_000, "body.source"), (-1, "storage.read")])
    func `shorter than announced ends the call`(givenMax: Int, code: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("never") }
        defer { server.stop() }
        var call = HTTPCall(method: "POST", url: server.url())
        call.source = CountingSource(byteCount: 1_000_000, givenMax: givenMax)
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == code)
        #expect(failure.phase == .send)
        #expect(server.requests.isEmpty)
    }
}
