import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A kept connection that dies under a request` {
    /// Answers the first request of the first connection, then reads a second one and closes without an answer.
    private func dyingServer() -> FaultServer {
        FaultServer { connection, number in
            connection.readRequest()
            connection.answer("first")
            if number == 0 {
                connection.readRequest()
            } else {
                connection.answerAll("later")
            }
        }
    }

    @Test(arguments: ["POST", "PATCH", "REPORT"])
    func `does not make an unsafe request go out twice`(method: String) async throws {
        let server = dyingServer()
        defer { server.stop() }
        var limits = CurlLimits()
        limits.idleConnectionAgeMaxForUnsafeCalls = .seconds(60)
        let failure = try await withClient(limits: limits) { client in
            _ = try await client.send(HTTPCall(method: "GET", url: server.url("/warm")))
            return try await expectFailure(
                client, HTTPCall(method: method, url: server.url("/once"), body: Array("pay".utf8)))
        }
        #expect(failure.code == "connect.reset")
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.phase == .wait)
        #expect(server.requests.count { $0.contains("/once") } == 1)
    }

    @Test(arguments: ["GET", "PUT", "DELETE"])
    func `makes an idempotent request go out again`(method: String) async throws {
        let server = dyingServer()
        defer { server.stop() }
        let answer = try await withClient { client in
            _ = try await client.send(HTTPCall(method: "GET", url: server.url("/warm")))
            return try await client.send(HTTPCall(method: method, url: server.url("/again")))
        }
        #expect(answer.status == 200)
        #expect(server.requests.count { $0.contains("/again") } == 2)
    }

    @Test func `and was seen to be dead is not used`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.answer("bye")
        }
        defer { server.stop() }
        try await withClient { client in
            for index in 0..<5 {
                let answer = try await client.send(
                    HTTPCall(method: "POST", url: server.url("/\(index)"), body: Array("pay".utf8)))
                #expect(answer.status == 200)
                try await until { server.openConnections == 0 }
            }
        }
        #expect(server.requests.count == 5)
        #expect(server.connections == 5)
    }
}
