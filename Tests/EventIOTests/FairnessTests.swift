import Dispatch
import HTTPMessage
import Synchronization
import Testing

@testable import EventIO

@Suite struct `A client among others` {
    private let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `waits for only a part of another one's earlier requests`() throws {
        let order = Mutex<[String]>([])
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try TestServer(
            service: TestService(handling: { exchange in
                let path = exchange.request.head.target.description
                if path == "/hold" {
                    isHeld.signal()
                    mayGoOn.wait()
                }
                order.withLock { $0.append(path) }
                exchange.respond(.text(""))
            }))
        let first = server.connect()
        let greedy = server.connect()
        let modest = server.connect()
        // All three are known to the loop before it is blocked.
        for client in [first, greedy, modest] {
            client.send(get)
            #expect(client.readAnswer().hasStatus(200))
        }
        first.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
        isHeld.wait()
        greedy.send(String(repeating: "GET /greedy HTTP/1.1\r\nHost: x\r\n\r\n", count: 1_500))
        modest.send("GET /modest HTTP/1.1\r\nHost: x\r\n\r\n")
        mayGoOn.signal()
        #expect(modest.readAnswer().hasStatus(200))
        for _ in 0..<1_500 { #expect(greedy.readAnswer().hasStatus(200)) }
        let before = order.withLock { $0.prefix { $0 != "/modest" }.count { $0 == "/greedy" } }
        #expect(before <= 192, "\(before)")
    }

    @Test func `has as many connections as one address may have`() throws {
        let census = ConnectionCensus(connectionsMax: 100) { _ in 2 }
        let server = try TestServer(census: census)
        let kept = [server.connect(), server.connect()]
        for client in kept {
            client.send(get)
            #expect(client.readAnswer().hasStatus(200))
        }
        let refused = server.connect()
        refused.send(get)
        let answer = refused.readAll()
        #expect(answer.hasStatus(429))
        #expect(answer.content == "overload.client")
        kept[0].send(get)
        #expect(kept[0].readAnswer().hasStatus(200))
    }

    @Test func `cannot fill the memory for request bodies alone`() throws {
        var limits = ListenerLimits()
        limits.bodyBytesTotalMax = 2_000
        let server = try TestServer(
            limits: limits, census: ConnectionCensus(connectionsMax: 100) { _ in 10 })
        func post(_ bytes: Int) -> String {
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(bytes)\r\n\r\n"
        }
        let first = server.connect()
        first.send(post(900) + String(repeating: "a", count: 800))
        // Earlier input has been read when another client has been served twice.
        let other = server.connect()
        for _ in 1...2 {
            other.send(get)
            #expect(other.readAnswer().hasStatus(200))
        }
        let second = server.connect()
        second.send(post(300) + String(repeating: "b", count: 300))
        let answer = second.readAll()
        #expect(answer.hasStatus(429))
        #expect(answer.content == "overload.client")
        first.send(String(repeating: "a", count: 100))
        #expect(first.readAnswer().hasStatus(200))
        let third = server.connect()
        third.send(post(300) + String(repeating: "b", count: 300))
        #expect(third.readAnswer().hasStatus(200))
    }

    @Test func `leaves half of that memory to others`() {
        var memory = BodyMemory(bytesMax: 100)
        let (one, other) = (IPAddress(v4: 1), IPAddress(v4: 2))
        let pieces: [(Int, IPAddress?)] = [(50, one), (1, one), (40, other), (10, nil), (1, nil)]
        var codes: [String?] = []
        for (count, owner) in pieces { codes.append(memory.take(count, for: owner)?.code) }
        #expect(codes == [nil, "overload.client", nil, nil, "overload.bodies"])
        memory.release(50, of: one)
        let refusal = memory.take(50, for: one)
        #expect(refusal == nil)
    }
}
