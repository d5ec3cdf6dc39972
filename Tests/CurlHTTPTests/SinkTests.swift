import FaultyHTTP
import HTTPMessage
import Synchronization
import Testing

@testable import CurlHTTP

/// Records what it receives, and refuses on request.
final class RecordingSink: HTTPContentSink {
    struct Seen {
        var statuses: [Int] = []
        var fieldNames: [String] = []
        var bytes: [UInt8] = []
        var byteCount = 0
        var longestPiece = 0
    }

    private let seen = Mutex(Seen())
    private let bytesMax: Int
    private let refusesStatus: Int?
    private let keepsBytes: Bool

    init(bytesMax: Int = .max, refusesStatus: Int? = nil, keepsBytes: Bool = true) {
        self.bytesMax = bytesMax
        self.refusesStatus = refusesStatus
        self.keepsBytes = keepsBytes
    }

    var all: Seen { seen.withLock { $0 } }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        seen.withLock {
            $0.statuses.append(status)
            $0.fieldNames = fields.map { $0.name.lowercased() }
        }
        if status == refusesStatus { throw Self.refusal("The status \(status) is not wanted.") }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        let isTooMuch = seen.withLock { seen in
            seen.byteCount += bytes.count
            seen.longestPiece = max(seen.longestPiece, bytes.count)
            if keepsBytes { for index in bytes.indices { seen.bytes.append(bytes[index]) } }
            return seen.byteCount > bytesMax
        }
        if isTooMuch { throw Self.refusal("There is no room.") }
    }

    private static func refusal(_ detail: String) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "storage.full", detail: detail, suggestion: "Make room.", phase: .receive,
            delivery: .answered)
    }
}

@Suite struct `A sink` {
    @Test func `takes the content instead of the answer`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("hello", fields: "X-Kind: plain\r\n")
        }
        defer { server.stop() }
        let sink = RecordingSink()
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        let answer = try await withClient { try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(answer.field("x-kind") == "plain")
        #expect(sink.all.bytes == Array("hello".utf8))
        #expect(sink.all.statuses == [200])
        #expect(sink.all.fieldNames.contains("x-kind"))
    }

    @Test func `receives an answer without content`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("", status: "404 Not Found") }
        defer { server.stop() }
        let sink = RecordingSink()
        var call = HTTPCall(method: "HEAD", url: server.url())
        call.sink = sink
        #expect(try await withClient { try await $0.send(call) }.status == 404)
        #expect(sink.all.statuses == [404])
        #expect(sink.all.byteCount == 0)
    }

    @Test func `gets large content in small pieces`() async throws {
        let count = 40 << 20
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<40 { connection.send(piece) }
            connection.waitForClose()
        }
        defer { server.stop() }
        let sink = RecordingSink(keepsBytes: false)
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        call.answerBytesMax = count
        let answer = try await withClient { try await $0.send(call) }
        #expect(answer.exchange.bytesReceived > count)
        #expect(sink.all.byteCount == count)
        #expect(sink.all.longestPiece <= 256 << 10)
    }

    @Test func `ends the call with its failure`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 201 Created\r\nContent-Length: 1000000\r\n\r\n")
            connection.send([UInt8](repeating: 7, count: 200_000))
            connection.waitForClose()
        }
        defer { server.stop() }
        let sink = RecordingSink(bytesMax: 100_000)
        var call = HTTPCall(method: "POST", url: server.url(), body: [1])
        call.sink = sink
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "storage.full")
        #expect(failure.detail == "There is no room.")
        #expect(failure.suggestion == "Make room.")
        #expect(failure.delivery == .answered)
        #expect(failure.phase == .receive)
        #expect(failure.status == 201)
        #expect(failure.exchange.bytesReceived > 100_000)
        #expect(sink.all.byteCount < 200_000)
    }

    @Test(arguments: ["content", ""])
    func `can refuse an answer by its head`(content: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll(content, status: "503 Busy") }
        defer { server.stop() }
        let sink = RecordingSink(refusesStatus: 503)
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "storage.full")
        #expect(failure.status == 503)
        #expect(sink.all.byteCount == 0)
    }

    @Test func `does not see a redirect that is followed`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.contains("/there") {
                    connection.answer("there")
                } else {
                    connection.answer("gone", status: "302 Found", fields: "Location: /there\r\n")
                }
            }
        }
        defer { server.stop() }
        let sink = RecordingSink()
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        call.redirectsMax = 1
        let answer = try await withClient { try await $0.send(call) }
        #expect(answer.exchange.redirects == 1)
        #expect(sink.all.statuses == [200])
        #expect(sink.all.bytes == Array("there".utf8))
    }

    @Test func `is held to the limit of the call`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.send([UInt8](repeating: 7, count: 300_000))
        }
        defer { server.stop() }
        let sink = RecordingSink(keepsBytes: false)
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        call.answerBytesMax = 200_000
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "body.too_large")
        #expect(sink.all.byteCount <= 200_000)
    }

    @Test func `does not take a bomb`() async throws {
        let bomb = try GzipSample.zeros(count: 200_000_000)
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            connection.send(bomb)
            connection.waitForClose()
        }
        defer { server.stop() }
        let sink = RecordingSink(keepsBytes: false)
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        call.answerBytesMax = 1 << 30
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "body.expansion")
        #expect(failure.status == 200)
        #expect(sink.all.byteCount < 20_000_000)
    }
}
