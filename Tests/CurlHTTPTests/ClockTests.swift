import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `The clocks of a call` {
    @Test func `end it when no answer begins`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(method: "POST", url: server.url(), body: [1])
        call.firstByteTimeout = .milliseconds(150)
        let began = ContinuousClock.now
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "timeout.first_byte")
        #expect(failure.phase == .wait)
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.detail.contains("150 ms"))
        #expect((.milliseconds(150) ..< .seconds(30)).contains(.now - began))
        #expect(server.requests.count == 1)
    }

    @Test func `end it when the answer takes too long`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.attemptTimeout = .milliseconds(200)
        call.firstByteTimeout = .milliseconds(190)
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "timeout.attempt")
        #expect(failure.phase == .receive)
        #expect(failure.delivery == .answered)
        #expect(failure.status == 200)
        #expect(failure.exchange.bytesReceived > 0)
    }

    @Test func `end it when the TLS handshake does not come to an end`() async throws {
        let server = FaultServer { connection, _ in connection.waitForClose() }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: "https://127.0.0.1:\(server.port)/")
        call.connectTimeout = .milliseconds(150)
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "timeout.connect")
        #expect(failure.phase == .tls)
        #expect(failure.delivery == .notSent)
    }

    @Test func `count the first byte only after long content has left`() async throws {
        let server = FaultServer { connection, _ in
            connection.pause(milliseconds: 2000)
            connection.readRequest()
            connection.answer("ok")
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(
            method: "POST", url: server.url(), body: [UInt8](repeating: 65, count: 12_000_000))
        call.firstByteTimeout = .milliseconds(1500)
        let answer = try await withClient { try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(answer.exchange.sendMilliseconds ?? 0 > 1500)
    }

    @Test func `end a call that waits in line`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        var limits = CurlLimits()
        limits.connectionsPerHostMax = 1
        try await withClient(limits: limits) { client in
            let first = Task { try await expectFailure(client, HTTPCall(method: "POST", url: server.url())) }
            try await until { !server.requests.isEmpty }
            var call = HTTPCall(method: "POST", url: server.url())
            call.attemptTimeout = .milliseconds(100)
            let second = try await expectFailure(client, call)
            #expect(second.code == "timeout.attempt")
            #expect(second.delivery == .notSent)
            first.cancel()
            #expect(try await first.value.delivery == .sentUnknown)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    ])
    func `end it when an answer stalls`(beginning: String) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(beginning)
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.stallTimeout = .milliseconds(150)
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "timeout.stall")
        #expect(failure.phase == .receive)
        #expect(failure.delivery == .answered)
        #expect(failure.status == 200)
        #expect(failure.detail.contains("150 ms"))
    }

    @Test func `end it when the upstream does not read the request`() async throws {
        let server = FaultServer { connection, _ in connection.pause(milliseconds: 3000) }
        defer { server.stop() }
        var call = HTTPCall(
            method: "POST", url: server.url(), body: [UInt8](repeating: 65, count: 12_000_000))
        call.stallTimeout = .milliseconds(200)
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "timeout.stall")
        #expect(failure.phase == .send)
        #expect(failure.delivery == .sentUnknown)
    }

    @Test func `permit a slow answer that makes progress`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n")
            for piece in ["X-A: 1\r\n", "\r\n", "a", "b", "c", "d", "e", "f", "g", "h"] {
                connection.pause(milliseconds: 60)
                connection.send(piece)
            }
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.stallTimeout = .milliseconds(400)
        let answer = try await withClient { try await $0.send(call) }
        #expect(answer.body == Array("abcdefgh".utf8))
        #expect(answer.exchange.receiveMilliseconds ?? 0 > 400)
    }

    @Test func `begin again with every interim answer`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            for _ in 0..<6 {
                connection.send("HTTP/1.1 102 Processing\r\n\r\n")
                connection.pause(milliseconds: 100)
            }
            connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.firstByteTimeout = .milliseconds(400)
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "timeout.first_byte")
        #expect(failure.phase == .wait)
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.exchange.totalMilliseconds ?? 0 > 900)
    }

    @Test func `name the expired one`() {
        let start = Moment.now
        func at(_ seconds: Int) -> Moment { start.advanced(by: .seconds(seconds)) }
        var clocks = CallClocks(
            now: start, connectTimeout: .seconds(10), firstByteTimeout: .seconds(30),
            stallTimeout: .seconds(5),
            attemptUntil: at(60))
        #expect(clocks.nextDeadline == at(10))
        #expect(clocks.expiry(at: at(9)) == nil)
        #expect(clocks.expiry(at: at(10)) == .connect)
        clocks.sent(at: at(10))
        #expect(clocks.nextDeadline == at(15))
        clocks.sent(at: at(14))
        #expect(clocks.expiry(at: at(18)) == nil)
        #expect(clocks.expiry(at: at(19)) == .stall)
        clocks.finishedSending(at: at(20))
        #expect(clocks.nextDeadline == at(50))
        #expect(clocks.expiry(at: at(50)) == .firstByte)
        clocks.finishedSending(at: at(25))
        #expect(clocks.nextDeadline == at(50))
        clocks.waits(since: at(25))
        #expect(clocks.nextDeadline == at(55))
        clocks.received(at: at(52))
        #expect(clocks.nextDeadline == at(57))
        #expect(clocks.expiry(at: at(57)) == .stall)
        clocks.received(at: at(56))
        #expect(clocks.expiry(at: at(59)) == nil)
        #expect(clocks.expiry(at: at(60)) == .attempt)
    }
}
