import EventIO
import HTTPMessage
import Synchronization
import Testing

/// A body of numbered pieces that records its calls.
final class NumberedPieces: HTTPBodySource {
    private struct State {
        var given = 0
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let count: Int
    private let piece: [UInt8]
    private let breaksAt: Int?

    init(count: Int, piece: String, breaksAt: Int? = nil) {
        self.count = count
        self.piece = Array(piece.utf8)
        self.breaksAt = breaksAt
    }

    var given: Int { state.withLock { $0.given } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func next() async throws -> [UInt8]? {
        await Task.yield()
        return try state.withLock { state in
            if state.given == breaksAt { throw CancellationError() }
            guard state.given < count else { return nil }
            state.given += 1
            return piece
        }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }
}

@Suite struct `A streamed answer` {
    private let get = "GET /s HTTP/1.1\r\nHost: x\r\n\r\n"

    private func server(_ source: NumberedPieces, length: Int? = nil) throws -> TestServer {
        try TestServer(
            service: TestService(handling: { exchange in
                exchange.respond(HTTPResponse(status: .ok, body: .stream(length: length, source)))
            }))
    }

    @Test func `comes in chunks, and the next answer after it`() throws {
        let source = NumberedPieces(count: 3, piece: "abc")
        let server = try server(source)
        let client = server.connect()
        client.send(get + "HEAD /s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let all = client.readAll()
        #expect(
            all.contains(
                "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 200")
        )
        #expect(all.hasSuffix("\r\n\r\n"))
    }

    @Test func `comes plain when its length is known`() throws {
        let server = try server(NumberedPieces(count: 3, piece: "abc"), length: 9)
        let client = server.connect()
        client.send(get)
        let answer = client.readAnswer()
        #expect(answer.contains("Content-Length: 9"))
        #expect(answer.content == "abcabcabc")
    }

    @Test(arguments: [8, 10]) func `is cut when it is not as long as announced`(length: Int) throws {
        let server = try server(NumberedPieces(count: 3, piece: "abc"), length: length)
        let client = server.connect()
        client.send(get)
        let all = client.readAll()
        #expect(all.replacing("<reset>", with: "").content.utf8.count < length)
    }

    @Test func `is cut when its source fails, which is told that no more is needed`() async throws {
        let source = NumberedPieces(count: 3, piece: "abc", breaksAt: 2)
        let server = try server(source)
        let client = server.connect()
        client.send(get)
        #expect(!client.readAll().contains("0\r\n\r\n"))
        #expect(await eventually { source.isCancelled })
    }

    @Test func `ends with the connection for HTTP 1.0`() throws {
        let server = try server(NumberedPieces(count: 2, piece: "abc"))
        let client = server.connect()
        client.send("GET /s HTTP/1.0\r\n\r\n")
        #expect(client.readAll().content == "abcabc")
    }

    @Test func `is not produced faster than it is read`() async throws {
        let piece = String(repeating: "p", count: 64 << 10)
        let count = 1000
        let source = NumberedPieces(count: count, piece: piece)
        let server = try server(source, length: count * piece.utf8.count)
        let client = server.connect(receiveBufferBytes: 4096)
        client.send(get)
        #expect(await eventually { source.given > 2 })
        try await server.loop.sleep(for: .milliseconds(50))
        let given = source.given
        #expect(given < count / 2)
        #expect(client.readAnswer().content.utf8.count == count * piece.utf8.count)
        #expect(source.given == count)
        #expect(!source.isCancelled)
    }

    @Test func `is cancelled when the client goes away`() async throws {
        let piece = String(repeating: "p", count: 64 << 10)
        let source = NumberedPieces(count: 1_000_000, piece: piece)
        let server = try server(source)
        let client = server.connect(receiveBufferBytes: 4096)
        client.send(get)
        #expect(await eventually { source.given > 2 })
        client.vanish()
        #expect(await eventually { source.isCancelled })
        #expect(await eventually { server.listener.connectionCount == 0 })
    }
}
