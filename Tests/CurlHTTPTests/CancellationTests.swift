import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A cancelled call` {
    @Test func `ends immediately and reports the delivery`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        try await withClient { client in
            let task = Task {
                try await expectFailure(client, HTTPCall(method: "POST", url: server.url(), body: [1]))
            }
            try await until { !server.requests.isEmpty }
            let began = ContinuousClock.now
            task.cancel()
            let failure = try await task.value
            #expect(failure.code == "cancelled.transport")
            #expect(failure.delivery == .sentUnknown)
            #expect(.now - began < .seconds(2))
            #expect(openDescriptors(to: server.port) == 0)
        }
    }

    @Test func `that had not begun is not sent`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        try await withClient { client in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await expectFailure(client, HTTPCall(method: "POST", url: server.url()))
            }
            let failure = try await task.value
            #expect(failure.code == "cancelled.transport")
            #expect(failure.delivery == .notSent)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `is every call in flight when the client closes`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        try await withClient { client in
            let tasks = (0..<5).map { _ in
                Task { try await expectFailure(client, HTTPCall(method: "GET", url: server.url())) }
            }
            try await until { server.requests.count == 5 }
            await client.close()
            for task in tasks { #expect(try await task.value.code == "cancelled.transport") }
            let late = try await expectFailure(client, HTTPCall(method: "GET", url: server.url()))
            #expect(late.code == "cancelled.transport")
            #expect(late.delivery == .notSent)
        }
    }
}

@Suite struct `A probe` {
    @Test(arguments: HTTPReachabilityProbe.Depth.allCases)
    func `succeeds where something answers`(depth: HTTPReachabilityProbe.Depth) async throws {
        let server = FaultServer { connection, _ in
            connection.answerAll("", status: "503 Service Unavailable")
        }
        defer { server.stop() }
        try await withClient { client in
            try await client.reach(HTTPReachabilityProbe(url: server.url("/health"), depth: depth))
            try await client.reach(HTTPReachabilityProbe(url: server.url("/health"), depth: depth))
        }
        #expect(server.requests.count == (depth == .http ? 2 : 0))
        #expect(server.requests.allSatisfy { $0.hasPrefix("HEAD /health ") })
        #expect(openDescriptors(to: server.port) == 0)
    }

    @Test(arguments: HTTPReachabilityProbe.Depth.allCases)
    func `fails without a listener`(depth: HTTPReachabilityProbe.Depth) async throws {
        let url = "http://127.0.0.1:\(FaultServer.refusingPort())/"
        try await withClient { client in
            let error = await #expect(throws: HTTPCallFailure.self) {
                try await client.reach(HTTPReachabilityProbe(url: url, depth: depth))
            }
            #expect(error?.code == "connect.refused")
        }
    }

    @Test func `of depth http ends with its timeout`() async throws {
        let server = FaultServer { connection, _ in connection.waitForClose() }
        defer { server.stop() }
        let probe = HTTPReachabilityProbe(url: server.url(), depth: .http, timeout: .milliseconds(100))
        try await withClient { client in
            let error = await #expect(throws: HTTPCallFailure.self) {
                try await client.reach(probe)
            }
            #expect(error?.code.hasPrefix("timeout.") == true)
        }
    }
}
