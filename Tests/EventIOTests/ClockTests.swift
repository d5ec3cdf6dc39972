import HTTPMessage
import Synchronization
import Testing

@testable import EventIO

/// A body whose pieces come with pauses.
private final class SlowPieces: HTTPBodySource {
    private let left: Mutex<Int>
    private let pause: Duration

    init(count: Int, pause: Duration) {
        left = Mutex(count)
        self.pause = pause
    }

    func next() async throws -> [UInt8]? {
        try await Task.sleep(for: pause)
        return left.withLock { left in
            left -= 1
            return left >= 0 ? Array("abc".utf8) : nil
        }
    }

    func cancel() {}
}

@Suite struct `The clocks of a connection` {
    private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    private func limits(_ change: (inout ListenerLimits) -> Void) -> ListenerLimits {
        var limits = ListenerLimits()
        change(&limits)
        return limits
    }

    @Test func `close a silent connection`() throws {
        let server = try TestServer(limits: limits { $0.headTime = .milliseconds(150) })
        #expect(server.connect().readAll() == "")
    }

    @Test func `answer 408 to half a head`() throws {
        let server = try TestServer(limits: limits { $0.headTime = .milliseconds(150) })
        let client = server.connect()
        client.send(get + "GET /b HTTP/1.1\r\nHo")
        #expect(client.readAnswer().hasStatus(200))
        let late = client.readAll()
        #expect(late.hasStatus(408))
        #expect(late.content == "request.timeout")
    }

    @Test func `answer 408 to half a body`() throws {
        let server = try TestServer(limits: limits { $0.bodyTime = .milliseconds(150) })
        let client = server.connect()
        client.send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        #expect(client.readAll().hasStatus(408))
    }

    @Test func `close a kept connection that is not used`() throws {
        let server = try TestServer(limits: limits { $0.idleTime = .milliseconds(150) })
        let client = server.connect()
        client.send(get)
        #expect(client.readAnswer().hasStatus(200))
        #expect(client.readAll() == "")
    }

    @Test func `do not run while the client waits for us`() async throws {
        let held = Log<HTTPExchange>()
        let server = try TestServer(
            limits: limits {
                $0.idleTime = .milliseconds(20)
                $0.headTime = .milliseconds(500)
            }, service: TestService(handling: { held.add($0) }))
        let client = server.connect()
        client.send(get)
        try await server.loop.sleep(for: .milliseconds(60))
        held.all.first?.respond(.text("patience"))
        #expect(client.readAnswer().content == "patience")
    }

    @Test func `do not run while the client waits for the next piece of an answer`() async throws {
        let slow = SlowPieces(count: 5, pause: .milliseconds(60))
        let server = try TestServer(
            limits: limits { $0.idleTime = .milliseconds(100) },
            service: TestService(handling: { exchange in
                exchange.respond(HTTPResponse(status: .ok, body: .stream(length: 15, slow)))
            }))
        let client = server.connect()
        client.send(get)
        #expect(client.readAnswer().content == "abcabcabcabcabc")
    }

    @Test func `do not cut a client that reads its answer steadily, however slowly the buffers empty`() {
        let limits = ListenerLimits()
        let second: Int64 = 1_000_000_000
        var clocks = ConnectionClocks(now: 0)
        clocks.countOutput(sent: 4 << 20, waiting: 16 << 20, now: 0)
        #expect(clocks.awaitsReader)
        for moment in 1...100 {
            clocks.countUntaken((4 << 20) - moment * 40_000, now: Int64(moment) * second)
            let verdict = clocks.check(now: Int64(moment) * second, limits: limits, isOwed: false)
            #expect(verdict == .fine)
        }
        // Then it stops.
        let patience = 100 + limits.answerTime.components.seconds
        clocks.countUntaken((4 << 20) - 4_000_000, now: patience * second)
        let verdict = clocks.check(now: patience * second, limits: limits, isOwed: false)
        #expect(verdict == .fine)
        let late = clocks.check(now: (patience + 1) * second, limits: limits, isOwed: false)
        #expect(late == .cut)
    }

    /// The seconds after which a body is too slow; nil when it is fast enough for an hour.
    private func patience(first: Int, then piece: Int, every pause: Int64) -> Int64? {
        let second: Int64 = 1_000_000_000
        var clocks = ConnectionClocks(now: 0)
        clocks.enter(.body, now: 0)
        clocks.countBody(first, now: 0)
        for moment in 1...Int64(3_600) {
            if moment % pause == 0 { clocks.countBody(piece, now: moment * second) }
            let verdict = clocks.check(now: moment * second, limits: ListenerLimits(), isOwed: false)
            if verdict == .requestTooSlow { return moment }
        }
        return nil
    }

    @Test func `answer 408 to a body that trickles, also after a fast beginning`() {
        #expect(patience(first: 1, then: 1, every: 29) == 31)
        // The beginning counts for its own window of 30 s only.
        #expect(patience(first: 16 << 20, then: 1, every: 29) == 62)
        #expect(patience(first: 16 << 20, then: 12_000, every: 29) == 62)
    }

    @Test func `let a body take its time at a steady rate`() {
        #expect(patience(first: 0, then: 600, every: 1) == nil)
        #expect(patience(first: 0, then: 20_000, every: 30) == nil)
    }

    @Test func `cut a client that does not read its answer`() async throws {
        let asked = Log<String>()
        let server = try TestServer(
            limits: limits { $0.answerTime = .milliseconds(50) },
            service: TestService(handling: { exchange in
                asked.add(exchange.echo)
                exchange.respond(
                    HTTPResponse(status: .ok, body: .bytes(Array(repeating: 65, count: 32 << 20))))
            }))
        let client = server.connect(receiveBufferBytes: 4096)
        client.send(get)
        #expect(await eventually { asked.all.count == 1 && server.listener.connectionCount == 0 })
        #expect(client.readAll().utf8.count < 32 << 20)
    }
}
