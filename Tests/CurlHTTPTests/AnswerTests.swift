import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A call that is answered` {
    @Test func `has status, fields, content and exchange`() async throws {
        let server = FaultServer { connection, _ in
            connection.answerAll("hello", fields: "X-Kind: plain\r\nX-Empty:\r\n")
        }
        defer { server.stop() }
        let answer = try await withClient {
            try await $0.send(HTTPCall(method: "GET", url: server.url("/a?b=c")))
        }
        #expect(answer.status == 200)
        #expect(answer.field("x-kind") == "plain")
        #expect(answer.field("x-empty") == "")
        #expect(answer.body == Array("hello".utf8))
        #expect(answer.exchange.peer == "127.0.0.1:\(server.port)")
        #expect(answer.exchange.protocolName == "HTTP/1.1")
        #expect(!answer.exchange.reusedConnection)
        #expect(answer.exchange.bytesSent == server.requests[0].utf8.count)
        #expect(answer.exchange.totalMilliseconds ?? -1 > 0)
        #expect(server.requests[0].hasPrefix("GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
    }

    @Test(arguments: [
        "/a/../b/./c/..", "/a/%2e%2e/%2E/b", "/..", "/a|b^c`d{e}[f]?g=|^`&h=../i", "/?", "/a?b?", "/a//b/",
        "/%c3?%",
        "/a;b=../c",
    ])
    func `sends the target byte for byte, through a proxy too`(target: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("ok") }
        defer { server.stop() }
        let target = target.replacing("?%", with: "?%25")
        var call = HTTPCall(method: "GET", url: server.url(target))
        _ = try await withClient { [call] in try await $0.send(call) }
        #expect(server.requests[0].hasPrefix("GET \(target) HTTP/1.1\r\n"))
        call.url = "http://a.example\(target)"
        call.route.proxy = server.url()
        _ = try await withClient { [call] in try await $0.send(call) }
        #expect(server.requests[1].hasPrefix("GET http://a.example\(target) HTTP/1.1\r\n"))
    }

    @Test func `uses a kept connection again`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        try await withClient { client in
            for index in 0..<10 {
                let answer = try await client.send(HTTPCall(method: "GET", url: server.url()))
                #expect(answer.exchange.reusedConnection == (index > 0))
            }
        }
        #expect(server.connections == 1)
        #expect(server.requests.count == 10)
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"])
    func `sends the method, the fields and the content as given`(method: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("ok") }
        defer { server.stop() }
        let content = Array(String(repeating: "0123456789", count: 10).utf8)
        let call = HTTPCall(
            method: method, url: server.url("/p"),
            fields: [("X-One", "1"), ("X-None", ""), ("Accept", "text/x")],
            body: content)
        let answer = try await withClient { try await $0.send(call) }
        let request = server.requests[0]
        #expect(answer.status == 200)
        #expect(request.hasPrefix("\(method) /p HTTP/1.1\r\n"))
        #expect(request.contains("\r\nX-One: 1\r\n"))
        #expect(request.contains("\r\nX-None:\r\n"))
        #expect(request.contains("\r\nAccept: text/x\r\n"))
        #expect(request.contains("\r\nContent-Length: 100\r\n"))
        #expect(!request.contains("Expect"))
        #expect(!request.contains("Content-Type"))
        #expect(request.hasSuffix(String(repeating: "0123456789", count: 10)))
    }

    @Test func `has an empty content where the method expects one`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("ok") }
        defer { server.stop() }
        try await withClient { client in
            for method in ["POST", "PUT", "PATCH", "DELETE", "GET"] {
                _ = try await client.send(HTTPCall(method: method, url: server.url()))
            }
        }
        let lengths = server.requests.map { $0.contains("Content-Length: 0\r\n") }
        #expect(lengths == [true, true, true, false, false])
    }

    @Test(arguments: [100, 20_000, 65_535, 65_536, 3_000_000])
    func `sends long content whole and counts it once`(count: Int) async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() { connection.answer("\(request.utf8.count)") }
        }
        defer { server.stop() }
        let call = HTTPCall(
            method: "POST", url: server.url(), body: [UInt8](repeating: UInt8(ascii: "a"), count: count))
        let answer = try await withClient { try await $0.send(call) }
        #expect(answer.body == Array("\(answer.exchange.bytesSent)".utf8))
        #expect(server.requests[0].utf8.count > count)
    }

    @Test func `does not wait for content after HEAD, 204 and 304`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let status = request.contains("/204") ? "204 No Content" : "304 Not Modified"
                let isHead = request.hasPrefix("HEAD")
                connection.send("HTTP/1.1 \(isHead ? "200 OK\r\nContent-Length: 9" : status)\r\n\r\n")
            }
        }
        defer { server.stop() }
        try await withClient { client in
            var statuses: [Int] = []
            for (method, path) in [("HEAD", "/"), ("GET", "/204"), ("GET", "/304")] {
                statuses.append(try await client.send(HTTPCall(method: method, url: server.url(path))).status)
            }
            #expect(statuses == [200, 204, 304])
        }
        #expect(server.connections == 1)
    }

    @Test func `leaves interim answers out`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")
            connection.answer("done", status: "201 Created")
            connection.waitForClose()
        }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(HTTPCall(method: "GET", url: server.url())) }
        #expect(answer.status == 201)
        #expect(answer.field("x-interim") == nil)
        #expect(answer.field("link") == nil)
        #expect(answer.body == Array("done".utf8))
    }

    @Test func `may be chunked, with trailers that are dropped`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(HTTPCall(method: "GET", url: server.url())) }
        #expect(answer.body == Array("abcde".utf8))
        #expect(answer.field("x-trailer") == nil)
    }

    @Test(arguments: [
        "Content-Length: 5\r\nCONTENT-LENGTH: 5", "Content-Length: 5, 5", "content-length:  5 ",
    ])
    func `may announce its length more than once`(lines: String) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nabcde")
            connection.waitForClose()
        }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(HTTPCall(method: "GET", url: server.url())) }
        #expect(answer.body == Array("abcde".utf8))
    }

    @Test func `does not count when it comes without a request`() async throws {
        let server = FaultServer { connection, _ in
            while connection.readRequest() != nil {
                connection.answer("abc")
                connection.pause(milliseconds: 20)
                connection.answer("smuggled", fields: "X-Smuggled: 1\r\n")
            }
        }
        defer { server.stop() }
        try await withClient { client in
            for _ in 1...5 {
                let answer = try await client.send(HTTPCall(method: "GET", url: server.url()))
                #expect(answer.body == Array("abc".utf8))
                #expect(answer.field("x-smuggled") == nil)
                // Newer libraries close such a connection when it is to be used again.
                for _ in 0..<100 where server.openConnections > 0 {
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
        }
        #expect(server.connections == 5)
    }

    @Test func `is one of many at the same time`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                connection.answer(String(request.split(separator: " ")[1]))
            }
        }
        defer { server.stop() }
        try await withClient { client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<300 {
                    group.addTask {
                        let answer = try await client.send(
                            HTTPCall(method: "GET", url: server.url("/\(index)")))
                        return answer.body == Array("/\(index)".utf8)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        #expect(server.requests.count == 300)
        #expect(server.connections <= 256)
    }

    @Test func `waits in line when the host has all its connections`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        var limits = CurlLimits()
        limits.connectionsPerHostMax = 2
        try await withClient(limits: limits) { client in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask { try await client.send(HTTPCall(method: "GET", url: server.url())).status }
                }
                for try await status in group { #expect(status == 200) }
            }
        }
        #expect(server.connections <= 2)
    }
}
