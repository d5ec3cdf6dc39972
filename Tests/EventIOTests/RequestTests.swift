import EventIO
import HTTPMessage
import Testing

@Suite struct `A connection` {
    private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `is kept for the next request`() throws {
        let server = try TestServer()
        let client = server.connect()
        for path in ["/1", "/2", "/3"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = client.readAnswer()
            #expect(answer.hasStatus(200))
            #expect(answer.content == "GET \(path) ")
            #expect(answer.contains("\r\nDate: "))
            #expect(!answer.contains("Connection: close"))
        }
        #expect(server.listener.connectionCount == 1)
    }

    @Test func `reads a request that comes byte by byte`() throws {
        let server = try TestServer()
        let client = server.connect()
        for byte in "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" {
            client.send(String(byte))
        }
        #expect(client.readAnswer().content == "POST /slow hello")
    }

    @Test func `answers pipelined requests in their order, whatever the order of the answers`() throws {
        let held = Log<HTTPExchange>()
        let server = try TestServer(
            service: TestService(handling: { exchange in
                held.add(exchange)
                // The third request is answered first, the first last.
                if held.all.count == 3 {
                    for exchange in held.all.reversed() { exchange.respond(.text(exchange.echo)) }
                }
            }))
        let client = server.connect()
        client.send(["/1", "/2", "/3"].map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for path in ["/1", "/2", "/3"] { #expect(client.readAnswer().content == "GET \(path) ") }
    }

    @Test func `pauses reading when too many requests are unanswered, and goes on later`() throws {
        let log = Log<String>()
        var limits = ListenerLimits()
        limits.pipelinedRequestsMax = 4
        let server = try TestServer(
            limits: limits,
            service: TestService(handling: { exchange in
                log.add(exchange.echo)
                let loop = exchange.loop
                Task(executorPreference: loop) {
                    try await loop.sleep(for: .milliseconds(1))
                    exchange.respond(.text(exchange.echo))
                }
            }))
        let client = server.connect()
        let count = 100
        client.send((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for number in 0..<count { #expect(client.readAnswer().content == "GET /\(number) ") }
        #expect(log.all.count == count)
    }

    @Test func `notices the end of the client even while reading is paused`() async throws {
        let held = Log<HTTPExchange>()
        var limits = ListenerLimits()
        limits.pipelinedRequestsMax = 2
        let server = try TestServer(limits: limits, service: TestService(handling: { held.add($0) }))
        let client = server.connect()
        client.send(get + get + get)
        client.endSending()
        for count in [2, 3] {
            #expect(await eventually { held.all.count == count })
            try await server.loop.sleep(for: .milliseconds(5))
            for exchange in held.all { exchange.respond(.text("answered")) }
        }
        let all = client.readAll()
        #expect(all.count(of: "answered") == 3)
        #expect(!all.contains("<silence>"))
    }

    @Test func `reads chunked bodies and the requests after them`() throws {
        let server = try TestServer()
        let client = server.connect()
        client.send(
            "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
                + get)
        #expect(client.readAnswer().content == "POST /c hello world")
        #expect(client.readAnswer().content == "GET /a ")
    }

    @Test func `asks for the body when the client waits to be asked`() throws {
        let server = try TestServer()
        let client = server.connect()
        client.send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.readAnswer() == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(client.readAnswer().content == "POST /e ok")
    }

    @Test func `does not ask for a body that has come while an answer before it was made`() async throws {
        let held = Log<HTTPExchange>()
        let server = try TestServer(service: TestService(handling: { held.add($0) }))
        let client = server.connect()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        client.send(
            "POST /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        #expect(await eventually { held.all.count == 1 })
        client.send("0\r\n\r\n")
        #expect(await eventually { held.all.count == 2 })
        for exchange in held.all { exchange.respond(.text("done")) }
        client.endSending()
        #expect(!client.readAll().contains("100 Continue"))
    }

    @Test func `does not ask for a body that it refuses`() throws {
        let server = try TestServer(
            service: TestService(admitting: { _, _ in .refuse(HTTPResponse(status: .unauthorized)) }))
        let client = server.connect()
        client.send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        let answer = client.readAll()
        #expect(answer.hasStatus(401))
        #expect(answer.contains("Connection: close"))
        #expect(!answer.contains("100 Continue"))
    }

    @Test func `sends no content to HEAD, and stays in step`() throws {
        let server = try TestServer()
        let client = server.connect()
        client.send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n" + get)
        let head = client.readAnswer(isHead: true)
        #expect(head.contains("Content-Length: 8"))
        #expect(head.content.isEmpty)
        #expect(client.readAnswer().content == "GET /a ")
    }

    @Test func `answers a client that has ended its sending side`() async throws {
        let held = Log<HTTPExchange>()
        let server = try TestServer(service: TestService(handling: { held.add($0) }))
        let client = server.connect()
        client.send(get + get)
        client.endSending()
        #expect(await eventually { held.all.count == 2 })
        for exchange in held.all { exchange.respond(.text("late")) }
        let answers = client.readAll()
        #expect(answers.count(of: "late") == 2)
        #expect(answers.count(of: "Connection: close") == 1)
    }

    @Test func `closes after the answer when the client asks for it`() throws {
        let server = try TestServer()
        let client = server.connect()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + get)
        let all = client.readAll()
        #expect(all.count(of: "HTTP/1.1 200") == 1)
        #expect(all.contains("Connection: close"))
    }

    @Test func `speaks HTTP 1.0 with and without keep-alive`() throws {
        let server = try TestServer()
        let closing = server.connect()
        closing.send("GET /old HTTP/1.0\r\n\r\n")
        #expect(closing.readAll().content == "GET /old ")
        let keeping = server.connect()
        keeping.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(keeping.readAnswer().contains("Connection: keep-alive"))
        keeping.send("GET /again HTTP/1.0\r\n\r\n")
        #expect(keeping.readAll().content == "GET /again ")
    }

    @Test func `takes an answer from any thread, and only the first one`() async throws {
        let held = Log<HTTPExchange>()
        let server = try TestServer(service: TestService(handling: { held.add($0) }))
        let client = server.connect()
        client.send(get + get)
        #expect(await eventually { held.all.count == 2 })
        let first = try #require(held.all.first)
        first.respond(.text("one"))
        first.respond(.text("again"))
        held.all.last?.respond(.text("two"))
        #expect(client.readAnswer().content == "one")
        #expect(client.readAnswer().content == "two")
    }
}
