import EventIO
import HTTPMessage
import Synchronization
import Testing

/// A sink that counts what it gets, and can hold it back and refuse it.
private final class CountingSink: HTTPBodySink, Backpressure {
    private struct State {
        var bytes = 0
        var isOn = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let refusesBeyond: Int
    private let released: Log<String>

    init(refusesBeyond: Int = .max, released: Log<String> = Log()) {
        self.refusesBeyond = refusesBeyond
        self.released = released
    }

    deinit { released.add("released") }

    var bytes: Int { state.withLock { $0.bytes } }

    var backpressure: (any Backpressure)? { self }

    var isOn: Bool { state.withLock { $0.isOn } }

    func whenOff(_ then: @escaping @Sendable () -> Void) {
        let isOn = state.withLock { state in
            if state.isOn { state.waiting.append(then) }
            return state.isOn
        }
        if !isOn { then() }
    }

    func take(_ bytes: Span<UInt8>) -> HTTPResponse? {
        let total = state.withLock { state in
            state.bytes += bytes.count
            return state.bytes
        }
        return total > refusesBeyond ? HTTPResponse(status: .serviceUnavailable) : nil
    }

    func hold() { state.withLock { $0.isOn = true } }

    /// - Parameter isOn: whether the body is held back again before its connection can look.
    func goOn(isOn: Bool = false) {
        let waiting = state.withLock { state in
            state.isOn = isOn
            defer { state.waiting = [] }
            return state.waiting
        }
        for then in waiting { then() }
    }
}

@Suite struct `A body that a sink takes` {
    private func service(_ sink: @escaping @Sendable () -> CountingSink, bytesMax: Int = 1 << 30)
        -> TestService
    {
        TestService(
            admitting: { head, handler in
                head.method == .post
                    ? .accept(handler, sink: sink(), bodyBytesMax: bytesMax)
                    : .accept(handler, bodyBytesMax: 0)
            },
            handling: { exchange in
                let taken = (exchange.sink as? CountingSink)?.bytes ?? -1
                exchange.respond(.text("\(taken) \(exchange.request.body.count)"))
            })
    }

    @Test func `needs no memory of the listener, however it is framed`() throws {
        var limits = ListenerLimits()
        limits.bodyBytesTotalMax = 10
        let server = try TestServer(limits: limits, service: service { CountingSink() })
        let client = server.connect()
        let half = String(repeating: "a", count: 50_000)
        client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n\(half)\(half)")
        #expect(client.readAnswer().content == "100000 0")
        client.send(
            "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n\(half)\r\n0\r\n\r\n")
        #expect(client.readAnswer().content == "50000 0")
        client.send("POST /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer().content == "0 0")
        #expect(client.readAnswer().content == "-1 0")
    }

    @Test(arguments: [
        "Content-Length: 6\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n0\r\n\r\n",
    ])
    func `is refused when it is too large`(rest: String) throws {
        let released = Log<String>()
        let server = try TestServer(
            service: service({ CountingSink(released: released) }, bytesMax: 5))
        let client = server.connect()
        client.send("POST /a HTTP/1.1\r\nHost: x\r\n" + rest)
        #expect(client.readAnswer().hasStatus(413))
        #expect(released.all == ["released"])
    }

    @Test func `is refused by its sink in the middle, and read no further`() throws {
        let released = Log<String>()
        let server = try TestServer(
            service: service { CountingSink(refusesBeyond: 3, released: released) })
        let client = server.connect()
        client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabcd")
        let answer = client.readAnswer()
        #expect(answer.hasStatus(503))
        #expect(answer.contains("Connection: close"))
        #expect(released.all == ["released"])
    }

    @Test func `releases its sink when it ends too early`() throws {
        let released = Log<String>()
        let server = try TestServer(service: service { CountingSink(released: released) })
        let client = server.connect()
        client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        client.endSending()
        #expect(client.readAll().content == "request.incomplete")
        #expect(released.all == ["released"])
        let other = server.connect()
        other.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
        other.send("x\r\n")
        #expect(other.readAll().hasStatus(400))
        #expect(released.all.count == 2)
    }

    @Test func `waits while its sink holds it back, and loses nothing`() throws {
        let sink = CountingSink()
        sink.hold()
        let server = try TestServer(service: service { sink })
        let client = server.connect()
        client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalf")
        let reader = server.connect()
        reader.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(reader.readAnswer().content == "-1 0")
        #expect(sink.bytes == 0)
        sink.goOn()
        client.send("half")
        #expect(client.readAnswer().content == "8 0")
    }

    @Test func `waits on when its sink holds it back again at once`() throws {
        let sink = CountingSink()
        sink.hold()
        let server = try TestServer(service: service { sink })
        let (client, reader) = (server.connect(), server.connect())
        func letLoopPass() {
            reader.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(reader.readAnswer().content == "-1 0")
        }
        client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalfhalf")
        for _ in 0..<2 {
            letLoopPass()
            sink.goOn(isOn: true)
        }
        letLoopPass()
        #expect(sink.bytes == 0)
        sink.goOn()
        #expect(client.readAnswer().content == "8 0")
    }
}
