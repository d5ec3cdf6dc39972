import EventIO
import HTTPMessage
import Testing

@Suite struct `The end of a connection` {
    private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `is reported to pending exchanges`() async throws {
        let held = Log<HTTPExchange>()
        let told = Log<Bool>()
        let server = try TestServer(
            service: TestService(handling: { exchange in
                exchange.whenAbandoned { told.add(exchange.loop.isCurrent) }
                held.add(exchange)
            }))
        let client = server.connect()
        client.send(get + get)
        #expect(await eventually { held.all.count == 2 })
        client.vanish()
        #expect(await eventually { told.all == [true, true] })
        // A late answer does no harm, and a late handler is called at once.
        held.all.first?.respond(.text("nobody"))
        held.all.last?.whenAbandoned { told.add(false) }
        #expect(await eventually { told.all == [true, true, false] })
        #expect(server.listener.connectionCount == 0)
    }

    @Test(arguments: ["GET /a HT", "GET /held HTTP/1.1\r\nHost: x\r\n\r\n", ""])
    func `is immediate with a reset right after some bytes`(bytes: String) async throws {
        let server = try TestServer(service: TestService(handling: { _ in }))
        let patient = server.connect()
        patient.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<300 {
            let client = server.connect()
            client.send(bytes)
            client.vanish()
        }
        #expect(await eventually { server.listener.connectionCount == 1 })
    }

    @Test func `is not reported after the answer`() async throws {
        let told = Log<Bool>()
        let server = try TestServer(
            service: TestService(handling: { exchange in
                exchange.whenAbandoned { told.add(true) }
                exchange.respond(.text("done"))
            }))
        let client = server.connect()
        client.send(get)
        #expect(client.readAnswer().content == "done")
        client.vanish()
        #expect(await eventually { server.listener.connectionCount == 0 })
        #expect(told.all.isEmpty)
    }

    @Test func `comes after the owed answers when the listener drains`() async throws {
        let held = Log<HTTPExchange>()
        let server = try TestServer(
            service: TestService(handling: { exchange in
                if exchange.echo.hasPrefix("GET /wait") {
                    held.add(exchange)
                } else {
                    exchange.respond(.text("now"))
                }
            }))
        let idle = server.connect()
        idle.send(get)
        #expect(idle.readAnswer().content == "now")
        let busy = server.connect()
        busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await eventually { held.all.count == 1 })
        let drained = Log<Bool>()
        let drain = Task {
            await server.listener.drain(within: .seconds(10))
            drained.add(true)
        }
        #expect(idle.readAll() == "")
        #expect(!server.connect().isConnected)
        #expect(drained.all.isEmpty)
        held.all.first?.respond(.text("last"))
        let answer = busy.readAll()
        #expect(answer.content == "last")
        #expect(answer.contains("Connection: close"))
        busy.vanish()
        await drain.value
        #expect(server.listener.connectionCount == 0)
    }

    @Test func `comes after an answer that a slow reader was still reading when the drain began`()
        async throws
    {
        let size = 16 << 20
        let server = try TestServer(
            service: TestService(handling: { exchange in
                exchange.respond(HTTPResponse(status: .ok, body: .bytes(Array(repeating: 65, count: size))))
            }))
        let client = server.connect(receiveBufferBytes: 4096)
        client.send(get)
        _ = client.read(atLeast: 1)
        let drain = Task { await server.listener.drain(within: .seconds(10)) }
        try await server.loop.sleep(for: .milliseconds(20))
        #expect(server.listener.connectionCount == 1)
        #expect(client.readAll().utf8.count > size - (1 << 20))
        await drain.value
        #expect(server.listener.connectionCount == 0)
    }

    @Test func `comes at the latest when the time to drain is over`() async throws {
        let told = Log<String>()
        let server = try TestServer(
            service: TestService(handling: { exchange in
                exchange.whenAbandoned { told.add("abandoned") }
                told.add("asked")
            }))
        let client = server.connect()
        client.send(get)
        #expect(await eventually { told.all == ["asked"] })
        await server.listener.drain(within: .milliseconds(30))
        #expect(server.listener.connectionCount == 0)
        #expect(told.all == ["asked", "abandoned"])
    }

    @Test func `leaves no connection behind after a thousand clients`() async throws {
        let server = try TestServer()
        for number in 0..<1000 {
            let client = server.connect()
            client.send(get)
            if number % 2 == 0 { #expect(client.readAnswer().hasStatus(200)) }
            if number % 3 == 0 { client.vanish() }
        }
        #expect(await eventually { server.listener.connectionCount == 0 })
    }
}
