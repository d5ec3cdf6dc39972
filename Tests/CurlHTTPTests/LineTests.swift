import Dispatch
import EventIO
import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A call in line for a connection` {
    typealias Outcome = Result<HTTPCallAnswer, HTTPCallFailure>

    /// A client and its loop, for the length of one test.
    private func withLine(
        perHost: Int = 1, all: Int = 1_000, _ body: (CurlClient, EventLoop) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "curl-line")
        loop.start()
        var limits = CurlLimits()
        limits.connectionsPerHostMax = perHost
        limits.connectionsMax = all
        let client = CurlClient(loop: loop, allows: { _, _ in true }, limits: limits)
        let result: Result<Void, any Error>
        do { result = .success(try await body(client, loop)) } catch { result = .failure(error) }
        await client.close()
        loop.stop()
        try result.get()
    }

    /// Makes a call. Calls of one executor reach the client in the order in which they are made.
    private func send(
        _ client: CurlClient, _ call: HTTPCall, on executor: any TaskExecutor
    ) -> Task<Outcome, Never> {
        Task(executorPreference: executor) {
            do throws(HTTPCallFailure) { return .success(try await client.send(call)) } catch {
                return .failure(error)
            }
        }
    }

    /// Waits until the calls made before have reached the client.
    private func settle(_ executor: any TaskExecutor) async {
        await Task(executorPreference: executor) {}.value
    }

    /// A call that has all the time that a busy machine may need.
    private func get(_ server: FaultServer, _ path: String = "/") -> HTTPCall {
        var call = HTTPCall(method: "GET", url: server.url(path))
        call.connectTimeout = .seconds(600)
        call.firstByteTimeout = .seconds(600)
        call.attemptTimeout = .seconds(600)
        return call
    }

    /// A server that answers `/hold` when the gate opens, and everything else at once.
    private func holding(_ gate: DispatchSemaphore, fields: String = "") -> FaultServer {
        FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.hasPrefix("GET /hold") { gate.wait() }
                connection.answer("x", fields: fields)
                if !fields.isEmpty { return }
            }
        }
    }

    @Test func `is one of five hundred on four connections, and all of them end`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine(perHost: 4) { client, loop in
            let calls = (0..<500).map { send(client, get(server, $0 < 4 ? "/hold" : "/\($0)"), on: loop) }
            await settle(loop)
            for _ in 0..<4 { gate.signal() }
            var answers: [HTTPCallAnswer] = []
            for call in calls { answers.append(try await call.value.get()) }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(answers.filter { $0.exchange.lineMilliseconds == nil }.count == 4)
            #expect(answers.filter { !$0.exchange.reusedConnection }.count <= 4)
        }
        #expect(server.requests.count == 500)
        #expect(server.connections <= 4)
    }

    @Test func `comes first when it was made first`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        try await withLine { client, loop in
            let calls = (0..<60).map { send(client, get(server, "/\($0)/"), on: loop) }
            for call in calls { _ = try await call.value.get() }
        }
        #expect(server.requests.map { $0.split(separator: " ")[1] } == (0..<60).map { "/\($0)/" })
    }

    @Test func `takes turns with the calls of others`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine { client, loop in
            let (greedy, modest) = (LoopShare(of: loop), LoopShare(of: loop))
            var calls = [send(client, get(server, "/hold"), on: greedy)]
            calls += (0..<40).map { send(client, get(server, "/greedy/\($0)"), on: greedy) }
            await settle(greedy)
            calls += (0..<3).map { send(client, get(server, "/modest/\($0)"), on: modest) }
            await settle(modest)
            gate.signal()
            for call in calls { _ = try await call.value.get() }
        }
        let places = server.requests.indices.filter { server.requests[$0].hasPrefix("GET /modest") }
        #expect(places == [2, 4, 6])
    }

    @Test func `has its time to connect from its turn on, and tells the wait apart`() async throws {
        let server = FaultServer { connection, number in
            connection.readRequest()
            if number == 0 { connection.pause(milliseconds: 700) }
            connection.answer("x", fields: "Connection: close\r\n")
        }
        defer { server.stop() }
        try await withLine { client, loop in
            var call = get(server)
            call.connectTimeout = .milliseconds(500)
            let calls = (0..<3).map { _ in send(client, call, on: loop) }
            let exchanges = [
                try await calls[0].value.get(), try await calls[1].value.get(),
                try await calls[2].value.get(),
            ].map(\.exchange)
            #expect(exchanges[0].lineMilliseconds == nil)
            for exchange in exchanges[1...] {
                #expect(!exchange.reusedConnection)
                let queued = try #require(exchange.lineMilliseconds)
                #expect(queued > 500)
                #expect(try #require(exchange.connectMilliseconds) < 500)
                #expect(try #require(exchange.totalMilliseconds) >= queued)
            }
        }
        #expect(server.connections == 3)
    }

    @Test func `never connects when it is cancelled, and keeps none behind it waiting`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine { client, loop in
            let first = send(client, get(server, "/hold"), on: loop)
            let second = send(client, get(server, "/second"), on: loop)
            let third = send(client, get(server, "/third"), on: loop)
            await settle(loop)
            second.cancel()
            guard case .failure(let failure) = await second.value else {
                Issue.record("It was answered")
                return
            }
            #expect(failure.code == "cancelled.transport")
            #expect(failure.delivery == .notSent)
            #expect(failure.phase == .line)
            #expect(failure.exchange.lineMilliseconds != nil)
            gate.signal()
            _ = try await first.value.get()
            _ = try await third.value.get()
        }
        #expect(server.requests.allSatisfy { !$0.contains("/second") })
        #expect(server.connections == 1)
    }

    @Test func `ends with its attempt, and says where it was`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine { client, loop in
            let first = send(client, get(server, "/hold"), on: loop)
            var call = get(server, "/second")
            call.attemptTimeout = .milliseconds(100)
            call.connectTimeout = .milliseconds(50)
            guard case .failure(let failure) = await send(client, call, on: loop).value else {
                Issue.record("It was answered")
                return
            }
            #expect(failure.code == "timeout.attempt")
            #expect(failure.phase == .line)
            #expect(failure.delivery == .notSent)
            #expect(failure.detail.contains("in line for a connection after 100 ms"))
            #expect(failure.detail.contains("1 connection at most"))
            #expect(try #require(failure.exchange.lineMilliseconds) > 90)
            gate.signal()
            _ = try await first.value.get()
        }
        #expect(server.requests.count == 1)
    }

    @Test func `keeps its turn over a redirect to the same host`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                guard request.hasPrefix("GET /from") else {
                    connection.answer("x")
                    continue
                }
                connection.answer("", status: "302 Found", fields: "Location: /to\r\n")
            }
        }
        defer { server.stop() }
        try await withLine { client, loop in
            var call = get(server, "/from")
            call.redirectsMax = 1
            let calls = [call, get(server, "/second")].map { send(client, $0, on: loop) }
            for call in calls { _ = try await call.value.get() }
        }
        #expect(server.requests.map { $0.split(separator: " ")[1] } == ["/from", "/to", "/second"])
    }

    @Test func `waits again where a redirect leads, and leaves its place to others`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let there = holding(gate)
        defer { there.stop() }
        let place = there.url("/to")
        let here = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                guard request.hasPrefix("GET /from") else {
                    connection.answer("x")
                    continue
                }
                connection.answer("", status: "302 Found", fields: "Location: \(place)\r\n")
            }
        }
        defer { here.stop() }
        try await withLine { client, loop in
            let held = send(client, get(there, "/hold"), on: loop)
            var call = get(here, "/from")
            call.redirectsMax = 1
            let redirected = send(client, call, on: loop)
            // It ends while the redirected one waits.
            _ = try await send(client, get(here, "/second"), on: loop).value.get()
            #expect(there.requests.count <= 1)
            gate.signal()
            _ = try await held.value.get()
            let exchange = try await redirected.value.get().exchange
            #expect(exchange.redirects == 1)
            #expect(exchange.lineMilliseconds != nil)
        }
        #expect(there.requests.map { $0.split(separator: " ")[1] } == ["/hold", "/to"])
    }

    @Test func `waits for any connection when all of them are in use`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let servers = (0..<3).map { _ in holding(gate) }
        defer { for server in servers { server.stop() } }
        try await withLine(perHost: 8, all: 2) { client, loop in
            let held = servers[0...1].map { send(client, get($0, "/hold"), on: loop) }
            let last = send(client, get(servers[2]), on: loop)
            await settle(loop)
            try await until { servers[0].requests.count + servers[1].requests.count == 2 }
            #expect(servers[2].connections == 0)
            gate.signal()
            #expect(try await last.value.get().exchange.lineMilliseconds != nil)
            gate.signal()
            for call in held { _ = try await call.value.get() }
        }
        #expect(servers[2].connections == 1)
    }

    @Test func `waits for the connection to a proxy, whatever its host`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (first, second) = (holding(gate), holding(gate))
        defer {
            first.stop()
            second.stop()
        }
        let proxy = try ProxyServer()
        try await withLine { client, loop in
            var calls = [get(first, "/hold"), get(second)]
            for index in calls.indices { calls[index].route.proxy = proxy.url() }
            let tasks = calls.map { send(client, $0, on: loop) }
            await settle(loop)
            try await until { first.requests.count == 1 }
            #expect(second.connections == 0)
            gate.signal()
            _ = try await tasks[0].value.get()
            #expect(try await tasks[1].value.get().exchange.lineMilliseconds != nil)
        }
    }

    @Test func `does not wait for calls on another route`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine { client, loop in
            let held = send(client, get(server, "/hold"), on: loop)
            var call = get(server)
            call.route.pins = ["unused.invalid:80": [IPAddress(v4: 1)]]
            #expect(try await send(client, call, on: loop).value.get().exchange.lineMilliseconds == nil)
            gate.signal()
            _ = try await held.value.get()
        }
    }

    @Test func `has its turn when the calls before it fail`() async throws {
        let url = "http://127.0.0.1:\(FaultServer.refusingPort())/"
        try await withLine(perHost: 2) { client, loop in
            let calls = (0..<300).map { _ in send(client, HTTPCall(method: "GET", url: url), on: loop) }
            for call in calls {
                guard case .failure(let failure) = await call.value else {
                    Issue.record("It was answered")
                    return
                }
                #expect(failure.code == "connect.refused")
            }
        }
    }

    @Test func `is cancelled when the client closes`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine { client, loop in
            let calls = ["/hold", "/second", "/third"].map { send(client, get(server, $0), on: loop) }
            await settle(loop)
            await client.close()
            for call in calls {
                guard case .failure(let failure) = await call.value else {
                    Issue.record("It was answered")
                    return
                }
                #expect(failure.code == "cancelled.transport")
            }
            gate.signal()
        }
        #expect(server.connections <= 1)
    }

    @Test func `fails at once when it cannot be sent`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = holding(gate)
        defer { server.stop() }
        try await withLine { client, loop in
            let held = send(client, get(server, "/hold"), on: loop)
            var call = get(server)
            call.fields = [("X A", "1")]
            guard case .failure(let failure) = await send(client, call, on: loop).value else {
                Issue.record("It was answered")
                return
            }
            #expect(failure.code == "http.field")
            gate.signal()
            _ = try await held.value.get()
        }
    }
}
