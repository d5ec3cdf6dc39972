import EventIO
import HTTPMessage
import Testing

@Suite struct `Listeners on one port` {
    @Test func `share the connections between their loops`() throws {
        let loops = try (1...2).map { try EventLoop(name: "shared-\($0)") }
        let first = try HTTPListener(
            loop: loops[0], address: .tcp(host: "127.0.0.1", port: 0), reusePort: true, service: naming(1))
        let second = try HTTPListener(
            loop: loops[1], address: .tcp(host: "127.0.0.1", port: first.port), reusePort: true,
            service: naming(2))
        for loop in loops { loop.start() }
        var answers: Set<String> = []
        for _ in 0..<64 {
            let client = RawClient(port: first.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answers.insert(String(client.readAll().content))
        }
        #expect(answers == ["1", "2"])
        for listener in [first, second] { listener.close() }
        for loop in loops { loop.stop() }
    }

    private func naming(_ number: Int) -> TestService {
        TestService(handling: { $0.respond(.text("\(number)")) })
    }
}
