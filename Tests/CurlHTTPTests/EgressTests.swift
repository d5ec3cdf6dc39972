import FaultyHTTP
import HTTPMessage
import Synchronization
import Testing

@testable import CurlHTTP

@Suite struct `The egress rules` {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `stop a connection before it is made`(host: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let url = "http://\(host):\(server.port)/"
        let failure = try await withClient(allows: { _, _ in false }) {
            try await expectFailure($0, HTTPCall(method: "POST", url: url, body: [1]))
        }
        #expect(failure.code == "egress.blocked")
        #expect(failure.delivery == .notSent)
        #expect(failure.phase == .connect)
        #expect(failure.detail.contains(host))
        let isIPv4 = failure.suggestion?.contains("--egress-allow 127.0.0.1/32") == true
        let isIPv6 = failure.suggestion?.contains("--egress-allow ::1/128") == true
        #expect(isIPv4 || isIPv6)
        #expect(server.connections == 0)
    }

    @Test func `see the address and the port`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let asked = Mutex(Set<String>())
        let allows: @Sendable (IPAddress, Int) -> Bool = { address, port in
            asked.withLock { _ = $0.insert("\(address) \(port)") }
            return true
        }
        _ = try await withClient(allows: allows) {
            try await $0.send(HTTPCall(method: "GET", url: server.url()))
        }
        #expect(asked.withLock { $0 } == ["127.0.0.1 \(server.port)"])
    }

    @Test func `see an IPv4 address behind its IPv6 form`() async throws {
        let asked = Mutex<[IPAddress]>([])
        let allows: @Sendable (IPAddress, Int) -> Bool = { address, _ in
            asked.withLock { $0.append(address) }
            return false
        }
        let failure = try await withClient(allows: allows) {
            try await expectFailure($0, HTTPCall(method: "GET", url: "http://[::ffff:127.0.0.1]:9/"))
        }
        #expect(failure.code == "egress.blocked")
        #expect(asked.withLock { $0 } == [IPAddress(v4: 0x7f00_0001)])
    }

    @Test func `hold for every redirect`() async throws {
        let secret = FaultServer { connection, _ in connection.answerAll("secret") }
        defer { secret.stop() }
        let place = secret.url()
        let server = FaultServer {
            $0.answerAll("", status: "302 Found", fields: "Location: \(place)\r\n"); _ = $1
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.redirectsMax = 3
        let allowed = server.port
        let failure = try await withClient(allows: { _, port in port == allowed }) {
            try await expectFailure($0, call)
        }
        #expect(failure.code == "egress.blocked")
        #expect(secret.connections == 0)
    }

    @Test func `hold for a connection that was kept`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let isOpen = Mutex(true)
        let failure = try await withClient(allows: { _, _ in isOpen.withLock { $0 } }) { client in
            _ = try await client.send(HTTPCall(method: "GET", url: server.url()))
            isOpen.withLock { $0 = false }
            return try await expectFailure(client, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "egress.blocked")
        #expect(failure.delivery == .notSent)
        #expect(server.requests.count == 1)
    }

    @Test func `hold for probes`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        try await withClient(allows: { _, _ in false }) { client in
            for depth in HTTPReachabilityProbe.Depth.allCases {
                await #expect(throws: HTTPCallFailure.self) {
                    try await client.reach(HTTPReachabilityProbe(url: server.url(), depth: depth))
                }
            }
        }
        #expect(server.connections == 0)
    }
}
