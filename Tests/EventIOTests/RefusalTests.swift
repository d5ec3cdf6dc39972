import EventIO
import HTTPMessage
import Testing

@Suite struct `A listener that refuses` {
    private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    private func noting(_ log: Log<String>) -> TestService {
        TestService(handling: { exchange in
            log.add(exchange.echo)
            exchange.respond(.text("served"))
        })
    }

    @Test(arguments: [
        (
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400
        ),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: x\n\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431),
        ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ])
    func `answers bad requests and serves nothing that follows them`(request: String, status: Int) throws {
        let log = Log<String>()
        let server = try TestServer(service: noting(log))
        let client = server.connect()
        client.send(get + request + get)
        let first = client.readAnswer()
        #expect(first.content == "served")
        let rest = client.readAll()
        #expect(rest.hasStatus(status))
        #expect(rest.contains("Connection: close"))
        #expect(rest.count(of: "HTTP/1.1") == 1)
        #expect(log.all == ["GET /a "])
    }

    @Test(arguments: [
        "GET /b HTT", "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf",
        "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ])
    func `reports an incomplete request when the client ends in the middle of it`(part: String) throws {
        let log = Log<String>()
        let server = try TestServer(service: noting(log))
        let client = server.connect()
        client.send(get + part)
        client.endSending()
        #expect(client.readAnswer().content == "served")
        let rest = client.readAll()
        #expect(rest.hasStatus(400))
        #expect(rest.content == "request.incomplete")
        #expect(log.all == ["GET /a "])
    }

    @Test func `ignores empty lines at the end`() throws {
        let server = try TestServer()
        let client = server.connect()
        client.send(get + "\r\n")
        client.endSending()
        #expect(client.readAnswer().content == "GET /a ")
        #expect(client.readAll() == "")
    }

    @Test(arguments: ["/late", "/stream"])
    func `refuses a request in its turn, after a pending answer`(first: String) throws {
        let waiting = Log<HTTPExchange>()
        let service = TestService(
            admitting: { head, handler in
                head.target.path == "/no"
                    ? .refuse(HTTPResponse(status: .serviceUnavailable)) : .accept(handler, bodyBytesMax: 10)
            },
            handling: { exchange in
                switch exchange.request.head.target.path {
                case "/late": waiting.add(exchange)
                case "/stream":
                    let pieces = NumberedPieces(count: 3, piece: "piece ")
                    exchange.respond(HTTPResponse(status: .ok, body: .stream(length: 18, pieces)))
                default:
                    exchange.respond(.text(exchange.echo))
                    for late in waiting.all { late.respond(.text(late.echo)) }
                }
            })
        let server = try TestServer(service: service)
        let client = server.connect()
        let refused = "POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
        client.send("GET \(first) HTTP/1.1\r\nHost: x\r\n\r\n" + refused + get)
        #expect(client.readAnswer().hasStatus(200))
        #expect(client.readAnswer().hasStatus(503))
        #expect(client.readAnswer().content == "GET /a ")
    }

    private func refusing() -> TestService {
        TestService(admitting: { _, _ in .refuse(HTTPResponse(status: .serviceUnavailable)) })
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 1_000),
        ("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab", 1_000),
        ("GET / HTTP/1.0\r\n\r\n", 1_000), ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 1),
    ])
    func `says that it closes after the refusal`(request: String, requestsMax: Int) throws {
        var limits = ListenerLimits()
        limits.requestsPerConnectionMax = requestsMax
        let server = try TestServer(limits: limits, service: refusing())
        let client = server.connect()
        client.send(request)
        let answer = client.readAll()
        #expect(answer.hasStatus(503))
        #expect(answer.contains("Connection: close"))
        #expect(!answer.contains("keep-alive") && !answer.contains("<reset>"))
    }

    @Test func `says that it keeps the connection after the refusal`() throws {
        let server = try TestServer(service: refusing())
        let client = server.connect()
        for _ in 1...2 {
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let answer = client.readAnswer()
            #expect(answer.hasStatus(503))
            #expect(answer.contains("Connection: keep-alive"))
        }
    }

    private func small() -> TestService {
        TestService(admitting: { .accept($1, bodyBytesMax: 10) })
    }

    @Test func `keeps the connection when a body is only a little too large`() throws {
        let server = try TestServer(service: small())
        let client = server.connect()
        let body = String(repeating: "b", count: 1000)
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + body + get)
        #expect(client.readAnswer().hasStatus(413))
        #expect(client.readAnswer().content == "GET /a ")
    }

    @Test func `keeps the connection when a chunked body is only a little too large`() throws {
        let server = try TestServer(service: small())
        let client = server.connect()
        let chunks = String(repeating: "5\r\nhello\r\n", count: 100) + "0\r\n\r\n"
        client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + get)
        let answer = client.readAnswer()
        #expect(answer.hasStatus(413))
        #expect(answer.content == "request.body_too_large")
        #expect(client.readAnswer().content == "GET /a ")
    }

    @Test(arguments: ["40000000", "b"])
    func `refuses a chunk at its size, before any of it has come`(size: String) throws {
        let server = try TestServer(service: small())
        let client = server.connect()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n")
        // The stream ends although the chunk never comes.
        let answer = client.readAll()
        #expect(answer.hasStatus(413))
        #expect(answer.contains("Connection: close"))
        #expect(answer.content == "request.body_too_large")
    }

    @Test func `says that it closes after a chunked body whose rest is not read`() throws {
        let server = try TestServer(service: small())
        let client = server.connect()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = String(repeating: "b", count: 0x2000)
        for _ in 0..<20 { client.send("2000\r\n\(chunk)\r\n") }
        let answer = client.readAll()
        #expect(answer.hasStatus(413))
        #expect(answer.contains("Connection: close"))
        #expect(!answer.contains("<reset>") && !answer.contains("<silence>"))
    }

    @Test func `says that it closes after a head that it refuses, before its chunks come`() throws {
        let server = try TestServer(service: refusing())
        let client = server.connect()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let answer = client.readAll()
        #expect(answer.hasStatus(503))
        #expect(answer.contains("Connection: close"))
        let next = server.connect()
        next.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")
        #expect(!next.readAnswer().contains("Connection: close"))
    }

    @Test func `closes so that the answer arrives although the client is still sending`() throws {
        var limits = ListenerLimits()
        limits.drainedBytesMax = 1 << 20
        let server = try TestServer(limits: limits, service: small())
        let client = server.connect()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
        client.send(String(repeating: "b", count: 500_000))
        let answer = client.readAll()
        #expect(answer.hasStatus(413))
        #expect(answer.contains("Connection: close"))
        #expect(!answer.contains("<reset>"))
    }

    @Test func `follows the service's decision about the head`() throws {
        let server = try TestServer(
            service: TestService(admitting: { head, handler in
                head.fields.contains("authorization")
                    ? .accept(handler, bodyBytesMax: 100) : .refuse(HTTPResponse(status: .unauthorized))
            }))
        let client = server.connect()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
        #expect(client.readAnswer().hasStatus(401))
        client.send("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: y\r\nContent-Length: 3\r\n\r\nabc")
        #expect(client.readAnswer().content == "POST / abc")
    }

    @Test func `answers 503 when there are too many connections`() async throws {
        var limits = ListenerLimits()
        limits.connectionsMax = 2
        let server = try TestServer(limits: limits)
        let kept = [server.connect(), server.connect()]
        for client in kept {
            client.send(get)
            #expect(client.readAnswer().hasStatus(200))
        }
        let refused = server.connect()
        refused.send(get)
        let answer = refused.readAll()
        #expect(answer.hasStatus(503))
        #expect(answer.content == "overload.connections")
        refused.vanish()
        kept[0].vanish()
        #expect(await eventually { server.listener.connectionCount == 1 })
        let next = server.connect()
        next.send(get)
        #expect(next.readAnswer().hasStatus(200))
    }

    @Test func `answers 503 when bodies would take too much memory, and serves on afterwards`() async throws {
        var limits = ListenerLimits()
        limits.bodyBytesTotalMax = 1000
        let server = try TestServer(limits: limits)
        let first = server.connect()
        first.send(
            "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n" + String(repeating: "a", count: 800))
        #expect(await eventually { server.listener.connectionCount == 1 })
        // Earlier input has been read when another client has been served twice.
        let other = server.connect()
        for _ in 1...2 {
            other.send(get)
            #expect(other.readAnswer().hasStatus(200))
        }
        let second = server.connect()
        let request =
            "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 300\r\n\r\n" + String(repeating: "b", count: 300)
        second.send(request)
        let answer = second.readAll()
        #expect(answer.hasStatus(503))
        #expect(answer.content == "overload.bodies")
        first.send(String(repeating: "a", count: 100))
        #expect(first.readAnswer().hasStatus(200))
        let third = server.connect()
        third.send(request)
        #expect(third.readAnswer().hasStatus(200))
    }

    @Test func `explains why a port is unavailable`() throws {
        let server = try TestServer()
        let port = server.listener.port
        let error = #expect(throws: EventIOError.self) {
            try HTTPListener(
                loop: server.loop, address: .tcp(host: "127.0.0.1", port: port), service: TestService())
        }
        #expect(error?.code == .addressInUse)
        #expect(
            error?.description.hasPrefix("Could not listen on 127.0.0.1:\(port): the port is taken") == true)
        let invalid = #expect(throws: EventIOError.self) {
            try HTTPListener(
                loop: server.loop, address: .tcp(host: "not an address", port: 0), service: TestService())
        }
        #expect(invalid?.code == .addressInvalid)
    }
}
