import FaultyHTTP
import Foundation
import Synchronization
import Testing

@testable import JobHTTP

/// The failure of a call that must fail.
func expectFailure(
    _ transport: CurlTransport, _ call: HTTPCall, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HTTPCallFailure {
    try #require(
        await #expect(throws: HTTPCallFailure.self, sourceLocation: sourceLocation) {
            try await transport.send(call)
        })
}

/// Waits until a condition of another thread holds; gives up after a minute.
func until(_ condition: () -> Bool) async throws {
    for _ in 0..<30_000 {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("It never happened")
}

@Suite struct `The transport of a library` {
    private let transport = CurlTransport()

    private func silent() -> FaultServer {
        FaultServer { connection, _ in
            connection.readRequest()
            connection.waitForClose()
        }
    }

    // MARK: Life

    @Test func `ends its thread when it is released`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        weak var loop: AnyObject?
        try await {
            let transport = CurlTransport()
            #expect(transport.loop == nil)
            _ = try await transport.send(HTTPCall(url: server.url()))
            loop = transport.loop
            #expect(loop != nil)
        }()
        try await until { loop == nil }
        try await until { server.openConnections == 0 }
    }

    @Test func `lets a call end that is in flight when it is released`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.pause(milliseconds: 100)
            connection.answer("late")
        }
        defer { server.stop() }
        let url = server.url()
        let task = Task { try await CurlTransport().send(HTTPCall(url: url)) }
        #expect(try await task.value.body == Array("late".utf8))
    }

    @Test func `cancels calls when it is closed, and begins anew after that`() async throws {
        let server = FaultServer { connection, number in
            connection.readRequest()
            if number == 0 { connection.waitForClose() } else { connection.answer("x") }
        }
        defer { server.stop() }
        let url = server.url()
        let task = Task { try await expectFailure(transport, HTTPCall(url: url)) }
        try await until { server.requests.count == 1 }
        await transport.close()
        #expect(try await task.value.code == "cancelled.transport")
        #expect(try await transport.send(HTTPCall(url: url)).status == 200)
    }

    @Test func `makes many calls at a time`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let url = server.url()
        let queue = AOperationQueue(transport: transport)
        let handles = (0..<200).map { number in
            queue.add(NetworkDataOperation(url: url, name: "call \(number)") { data, _ in data.count })
        }
        var sum = 0
        for handle in handles { sum += try await handle.value }
        #expect(sum == 200)
    }

    // MARK: Streams

    @Test func `gives a sink the content as it comes`() async throws {
        final class Pieces: HTTPContentSink {
            let seen = Mutex<[String]>([])
            func begin(status: Int, fields: [(name: String, value: String)]) {}
            func take(_ bytes: Span<UInt8>) {
                let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                seen.withLock { $0.append(text) }
            }
        }
        let pieces = Pieces()
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            // The second piece is sent when the first was taken.
            while pieces.seen.withLock({ $0.isEmpty }) { connection.pause(milliseconds: 1) }
            connection.send("3\r\ntwo\r\n0\r\n\r\n")
        }
        defer { server.stop() }
        var call = HTTPCall(url: server.url())
        call.sink = pieces
        let answer = try await transport.send(call)
        #expect(answer.body.isEmpty)
        #expect(pieces.seen.withLock { $0 } == ["one", "two"])
        #expect(answer.exchange.totalMilliseconds ?? 0 > 0)
    }

    @Test func `sends content from a source`() async throws {
        final class Counting: HTTPContentSource {
            let byteCount = 100_000
            func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) -> Int {
                let count = min(bytes.count, byteCount - offset)
                for index in 0..<count { bytes[index] = 0x61 + UInt8((offset + index) % 26) }
                return count
            }
        }
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        var call = HTTPCall(method: "PUT", url: server.url())
        call.source = Counting()
        _ = try await transport.send(call)
        let content = try #require(server.requests.first?.components(separatedBy: "\r\n\r\n").last)
        #expect(content.count == 100_000)
        #expect(content.hasPrefix("abcdefghijklmnopqrstuvwxyzab"))
    }

    // MARK: Clocks

    @Test func `ends a call whose connection takes too long`() async throws {
        let listener = SilentListener()
        defer { listener.stop() }
        var call = HTTPCall(url: "http://127.0.0.1:\(listener.port)/")
        call.connectTimeout = .milliseconds(150)
        let failure = try await expectFailure(transport, call)
        #expect(failure.code == "timeout.connect")
        #expect(failure.phase == .connect)
        #expect(failure.delivery == .notSent)
    }

    @Test func `ends a call without an answer`() async throws {
        let server = silent()
        defer { server.stop() }
        var call = HTTPCall(method: "POST", url: server.url(), body: [1])
        call.firstByteTimeout = .milliseconds(150)
        let queue = AOperationQueue(transport: transport)
        let error = try await expectError(queue.add(NetworkDataOperation(call) { data, _ in data }))
        #expect(error.code.description == "timeout.first_byte")
        #expect(error.detail.hasSuffix(" The property is firstByteTimeout."))
        #expect(error.phase == "wait")
        #expect(error.delivery == "sent_unknown")
        #expect(error.timing != nil)
    }

    @Test(arguments: ["timeout.stall", "timeout.attempt"])
    func `ends a call whose answer takes too long`(code: String) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(url: server.url())
        if code == "timeout.stall" {
            call.stallTimeout = .milliseconds(200)
        } else {
            call.attemptTimeout = .milliseconds(200)
        }
        let failure = try await expectFailure(transport, call)
        #expect(failure.code == code)
        #expect(failure.phase == .receive)
        #expect(failure.delivery == .answered)
    }

    // MARK: Cancelling

    @Test func `ends a call whose operation is cancelled`() async throws {
        let server = silent()
        defer { server.stop() }
        let queue = AOperationQueue(transport: transport)
        let handle = queue.add(NetworkDataOperation(url: server.url()) { data, _ in data })
        try await until { server.requests.count == 1 }
        handle.cancel(reason: "there is news")
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == .cancelled)
        #expect(ending.errors.first?.code.family == "cancelled")
        try await until { server.openConnections == 0 }
    }

    // MARK: Egress

    @Test func `reaches only what its policy permits`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let closed = AOperationQueue(transport: .curl(.init(egress: EgressPolicy())))
        let error = try await expectError(
            closed.add(
                NetworkDataOperation(url: server.url()) { data, _ in data }.retry(.standard, method: .get)))
        #expect(error.code.description == "egress.blocked")
        #expect(error.delivery == "not_sent")
        #expect(error.attempt == 1)
        #expect(
            error.detail.hasSuffix(
                "127.0.0.1, which this program may not call. If the call is meant, let the egress policy of the "
                    + "transport allow 127.0.0.1/32."))
        #expect(server.connections == 0)
        let range = try #require(CIDR("127.0.0.0/8"))
        let open = CurlTransport(.init(egress: EgressPolicy(allow: [range])))
        #expect(try await open.send(HTTPCall(url: server.url())).status == 200)
        try await open.reach(HTTPReachabilityProbe(url: server.url(), depth: .tcp))
    }

    // MARK: TLS

    @Test func `trusts the authorities of the system, or those that it is given`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good")
        let call = HTTPCall(url: "https://127.0.0.1:\(server.port)/")
        let failure = try await expectFailure(transport, call)
        #expect(failure.code == "tls.certificate_untrusted")
        #expect(failure.phase == .tls)
        #expect(failure.delivery == .notSent)
        let trusting = CurlTransport(.init(authoritiesFile: authority.file))
        let answer = try await trusting.send(call)
        #expect(answer.status == 200)
        #expect(answer.exchange.tlsVersion?.hasPrefix("TLSv1") == true)
    }
}
