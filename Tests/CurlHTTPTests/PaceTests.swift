import FaultyHTTP
import HTTPMessage
import Synchronization
import Testing

@testable import CurlHTTP

/// Backpressure that a test sets.
private final class TestBackpressure: Backpressure {
    private struct State {
        var isOn = true
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var isOn: Bool { state.withLock { $0.isOn } }
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func whenOff(_ then: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            if state.isOn { state.waiters.append(then) }
            return state.isOn
        }
        if !waits { then() }
    }

    func release() {
        let waiters = state.withLock { state in
            state.isOn = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }
}

@Suite struct `A long answer` {
    private static let count = 1 << 20
    /// Pieces of a prime length, which differ.
    private static let content: [UInt8] = {
        var bytes: [UInt8] = []
        for piece in 0..<64 { bytes += [UInt8](repeating: UInt8(piece), count: 16_411) }
        return Array(bytes.prefix(count))
    }()

    /// Answers `/long` with so many bytes, anything else with two, on one connection.
    private static func server() -> FaultServer {
        FaultServer { connection, _ in
            while let request = connection.readRequest() {
                guard request.hasPrefix("GET /long") else {
                    connection.answer("ok")
                    continue
                }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
                connection.send(content)
            }
        }
    }

    private static func call(_ server: FaultServer, _ path: String, to sink: RecordingSink? = nil) -> HTTPCall
    {
        var call = HTTPCall(method: "GET", url: server.url(path))
        call.sink = sink
        call.answerBytesMax = 8 << 20
        return call
    }

    @Test func `waits under backpressure, and a short one does not`() async throws {
        let server = Self.server()
        defer { server.stop() }
        let (backpressure, sink) = (TestBackpressure(), RecordingSink())
        try await withClient(backpressure: backpressure) { client in
            async let long = client.send(Self.call(server, "/long", to: sink))
            try await until { backpressure.waiterCount == 1 }
            let taken = sink.all.byteCount
            #expect((1...CurlPacer.freeBytes + (64 << 10)).contains(taken))
            #expect(try await client.send(Self.call(server, "/short")).body == Array("ok".utf8))
            #expect(sink.all.byteCount == taken)
            backpressure.release()
            #expect(try await long.status == 200)
            #expect(sink.all.bytes == Self.content)
            // The connection that waited is kept.
            let before = server.connections
            for _ in 0..<4 { _ = try await client.send(Self.call(server, "/long", to: RecordingSink())) }
            #expect(server.connections == before)
        }
    }

    /// Answers with content in gzip.
    private static func packing(_ packed: [UInt8]) -> FaultServer {
        FaultServer { connection, _ in
            while connection.readRequest() != nil {
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
                connection.send(packed)
            }
        }
    }

    @Test func `waits for a turn of its own when it becomes long as it is unpacked`() async throws {
        let count = 4_000_000
        let server = Self.packing(try GzipSample.zeros(count: count))
        defer { server.stop() }
        let (backpressure, sink) = (TestBackpressure(), RecordingSink(keepsBytes: false))
        try await withClient(backpressure: backpressure) { client in
            async let long = client.send(Self.call(server, "/long", to: sink))
            try await until { backpressure.waiterCount == 1 }
            // All of it had arrived in one piece.
            #expect((1...CurlPacer.freeBytes + (512 << 10)).contains(sink.all.byteCount))
            backpressure.release()
            #expect(try await long.status == 200)
            #expect(sink.all.byteCount == count)
        }
    }

    @Test func `is the same when turns end inside of packed pieces`() async throws {
        let content = Array((1...150_000).map { "\($0)\n" }.joined().utf8)
        let server = Self.packing(try GzipSample.shell("seq 1 150000 | gzip -9"))
        defer { server.stop() }
        let sink = RecordingSink()
        try await withClient { client in
            for _ in 0..<2 {
                let answer = try await client.send(Self.call(server, "/long", to: sink))
                #expect(answer.status == 200)
            }
            #expect(sink.all.bytes == content + content)
        }
    }

    @Test func `takes turns with others, and each is whole`() async throws {
        let server = Self.server()
        defer { server.stop() }
        try await withClient { client in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let sink = RecordingSink(keepsBytes: false)
                        _ = try await client.send(Self.call(server, "/long", to: sink))
                        return sink.all.byteCount
                    }
                }
                for try await count in group { #expect(count == Self.count) }
            }
        }
    }

    @Test func `is not taken for one that stalls while it waits`() async throws {
        let server = Self.server()
        defer { server.stop() }
        let stalled = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegin")
            connection.waitForClose()
        }
        defer { stalled.stop() }
        let backpressure = TestBackpressure()
        try await withClient(backpressure: backpressure) { client in
            var call = Self.call(server, "/long", to: RecordingSink(keepsBytes: false))
            call.stallTimeout = .milliseconds(500)
            let patient = call
            async let long = client.send(patient)
            try await until { backpressure.waiterCount == 1 }
            // A later call with the same timeout stalls meanwhile.
            call = Self.call(stalled, "/")
            call.stallTimeout = .milliseconds(500)
            #expect(try await expectFailure(client, call).code == "timeout.stall")
            backpressure.release()
            #expect(try await long.status == 200)
        }
    }

    @Test func `can be cancelled, and its attempt can end, while it waits`() async throws {
        let server = Self.server()
        defer { server.stop() }
        let backpressure = TestBackpressure()
        try await withClient(backpressure: backpressure) { client in
            let task = Task { try await client.send(Self.call(server, "/long")) }
            try await until { backpressure.waiterCount == 1 }
            task.cancel()
            await #expect(throws: HTTPCallFailure.self) { try await task.value }
            var brief = Self.call(server, "/long")
            brief.attemptTimeout = .milliseconds(100)
            #expect(try await expectFailure(client, brief).code == "timeout.attempt")
            backpressure.release()
            #expect(try await client.send(Self.call(server, "/long")).body.count == Self.count)
        }
    }

    @Test func `ends with the failure of its sink, also when that comes after a wait`() async throws {
        let server = Self.server()
        defer { server.stop() }
        let backpressure = TestBackpressure()
        try await withClient(backpressure: backpressure) { client in
            let sink = RecordingSink(bytesMax: CurlPacer.freeBytes + (64 << 10))
            let call = Self.call(server, "/long", to: sink)
            async let failure = expectFailure(client, call)
            try await until { backpressure.waiterCount == 1 }
            backpressure.release()
            #expect(try await failure.code == "storage.full")
        }
    }
}
