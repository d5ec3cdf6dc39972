import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A call that fails` {
    @Test func `is refused without a listener`() async throws {
        let port = FaultServer.refusingPort()
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "POST", url: "http://127.0.0.1:\(port)/", body: [1]))
        }
        #expect(failure.code == "connect.refused")
        #expect(failure.phase == .connect)
        #expect(failure.delivery == .notSent)
        #expect(failure.detail.contains("127.0.0.1:\(port)"))
        #expect(failure.suggestion?.contains("\(port)") == true)
        #expect(failure.exchange.bytesSent == 0)
    }

    @Test func `knows a name that does not exist`() async throws {
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: "http://no-such-host.invalid/"))
        }
        #expect(failure.code == "dns.not_found" || failure.code == "dns.failed")
        #expect(failure.phase == .dns)
        #expect(failure.delivery == .notSent)
        #expect(failure.detail.contains("no-such-host.invalid"))
    }

    @Test func `was cut by a reset before the answer`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.reset()
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "connect.reset")
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.status == nil)
        #expect(failure.exchange.bytesSent > 0)
    }

    @Test func `was closed without an answer`() async throws {
        let server = FaultServer { connection, _ in connection.readRequest() }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "POST", url: server.url()))
        }
        #expect(failure.code == "connect.reset")
        #expect(failure.phase == .wait)
        #expect(failure.delivery == .sentUnknown)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nServer: a\r\n",
    ])
    func `got only a part of the answer`(answer: String) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(answer)
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "body.truncated")
        #expect(failure.phase == .receive)
        #expect(failure.delivery == .answered)
        #expect(failure.status == 200)
    }

    @Test func `had a field longer than any limit`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "x", count: 110_000) + "\r\n\r\n")
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "http.protocol")
        #expect(failure.detail.contains("header field"))
        #expect(failure.delivery == .answered)
    }

    @Test func `had more fields than any limit`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 5100) + "\r\n")
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "http.protocol")
        #expect(failure.detail.contains("4096 fields"))
        #expect(failure.delivery == .answered)
    }

    /// Lines that libcurl accepts in some versions.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n X: continued\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1  200 OK\r\n",
        "HTTP/1.1\t200 OK\r\n", "HTTP/3 200\r\n",
    ])
    func `had a malformed head`(lines: String) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("\(lines)Content-Length: 2\r\n\r\nab")
        }
        defer { server.stop() }
        for sink in [nil, RecordingSink()] {
            var call = HTTPCall(method: "GET", url: server.url())
            call.sink = sink
            let failure = try await withClient { [call] in try await expectFailure($0, call) }
            #expect(failure.code == "http.protocol")
        }
    }

    @Test(arguments: [true, false])
    func `had more content than allowed`(isAnnounced: Bool) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            let length = isAnnounced ? "Content-Length: 2000\r\n" : ""
            connection.send("HTTP/1.1 200 OK\r\n\(length)\r\n" + String(repeating: "x", count: 2000))
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.answerBytesMax = 1999
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "body.too_large")
        #expect(failure.detail.contains("1999"))
        #expect(failure.delivery == .answered)
        call.answerBytesMax = 2000
        #expect(try await withClient { try await $0.send(call) }.body.count == 2000)
    }

    @Test func `had content that grows beyond the limit when unpacked`() async throws {
        let bomb = try GzipSample.zeros(count: 4_000_000)
        #expect(bomb.count < 10_000)
        let server = FaultServer { connection, _ in
            while connection.readRequest() != nil {
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
                connection.send(bomb)
            }
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.answerBytesMax = 1_000_000
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "body.too_large")
        call.answerBytesMax = 4_000_000
        #expect(try await withClient { try await $0.send(call) }.body.count == 4_000_000)
        #expect(server.requests[0].contains("Accept-Encoding: "))
    }

    @Test func `had content that cannot be unpacked`() async throws {
        let server = FaultServer { connection, _ in
            connection.answerAll("this is no gzip at all", fields: "Content-Encoding: gzip\r\n")
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "body.encoding")
        #expect(failure.delivery == .answered)
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc\r\n\r\n", "\u{1}\u{2}\u{3}\r\n\r\n"])
    func `was answered with something else than HTTP`(answer: String) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(answer)
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "http.protocol")
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.status == nil)
    }

    @Test(
        arguments: [
            "101 Switching Protocols\r\n\r\n", "101 Switching Protocols\r\nUpgrade: x\r\n\r\nnoise",
            "100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nContent-Length: 5\r\n\r\nnoise",
            "000 Zero\r\n\r\n", "099 Almost\r\nContent-Length: 5\r\n\r\nnoise",
            "100 Continue\r\nContent-Length: 5\r\n\r\nnoise", "199 Unknown\r\n\r\nnoise",
        ], [false, true])
    func `was not answered by a status that ends a call`(answer: String, hasSink: Bool) async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 \(answer)")
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        let sink = RecordingSink()
        if hasSink { call.sink = sink }
        let failure = try await withClient { [call] in try await expectFailure($0, call) }
        #expect(failure.code == "http.protocol")
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.status == nil)
        #expect(sink.all.byteCount == 0)
        if answer.contains("101") { #expect(failure.detail.contains("answered 101")) }
    }

    @Test func `had interim answers of more bytes than a head may have`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            let hint = "HTTP/1.1 103 Early Hints\r\nLink: </\(String(repeating: "a", count: 900))>\r\n\r\n"
            for _ in 0..<1_000 { connection.send(hint) }
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "http.protocol")
        #expect(failure.detail.contains("head"))
        #expect(failure.delivery == .sentUnknown)
        #expect(failure.exchange.bytesReceived < 400 << 10)
    }

    @Test func `had an endless head`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n")
            for index in 0..<10_000 {
                connection.send("X-\(index): \(String(repeating: "v", count: 60))\r\n")
            }
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: server.url()))
        }
        #expect(failure.code == "http.protocol")
        #expect(failure.detail.contains("head"))
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-B: 2"), ("X-A", "1\nX-B: 2"), ("X-A", "1\0"), ("X A", "1"), ("X-A:", "1"), ("", "1"),
        ("X-A\r\nX-B", "1"), ("Host", "elsewhere"), ("content-length", "5"), ("Transfer-Encoding", "chunked"),
        ("Connection", "close"), ("Expect", "100-continue"),
    ])
    func `brought a field that cannot be sent`(name: String, value: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let call = HTTPCall(method: "GET", url: server.url(), fields: [(name, value)])
        let failure = try await withClient { try await expectFailure($0, call) }
        #expect(failure.code == "http.field")
        #expect(failure.delivery == .notSent)
        #expect(server.connections == 0)
    }

    @Test(arguments: ["", "GE T", "GET\r\nX: y", "CONNECT", "GÉT"])
    func `brought a method that cannot be sent`(method: String) async throws {
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: method, url: "http://127.0.0.1:9/"))
        }
        #expect(failure.code == "http.method")
        #expect(failure.delivery == .notSent)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "file:///etc/passwd", "http://", "http:/127.0.0.1/",
        "http:///x",
        "http://user@example.com/", "http://a:b@example.com/", "http://example.com:0/",
        "http://example.com:99999/",
        "http://exa mple.com/", "http://example.com\\@evil.test/", "http://example.com/a b",
        "http://%31%32%37.0.0.1/",
        "http://①②⑦.0.0.1/", "http://[::1/", "http://[::1]x/", "http://example.com:80x/", "http://a\r\nb/",
        "http://127.1:1/", "http://2130706433:1/", "http://0x7f.0.0.1:1/",
    ])
    func `brought an invalid or ambiguous URL`(url: String) async throws {
        let failure = try await withClient { try await expectFailure($0, HTTPCall(method: "GET", url: url)) }
        #expect(failure.code == "http.url")
        #expect(failure.delivery == .notSent)
        #expect(failure.suggestion != nil)
    }

    @Test func `leaves no descriptor open, five hundred times`() async throws {
        let server = FaultServer { connection, number in
            connection.readRequest()
            switch number % 4 {
            case 0: connection.answer("x")
            case 1: connection.reset()
            case 2: connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            default: break
            }
        }
        defer { server.stop() }
        try await withClient { client in
            _ = try? await client.send(HTTPCall(method: "GET", url: server.url()))
            let before = openDescriptors(to: server.port)
            for _ in 0..<500 { _ = try? await client.send(HTTPCall(method: "GET", url: server.url())) }
            #expect(openDescriptors(to: server.port) <= before + 2)
        }
        #expect(openDescriptors(to: server.port) == 0)
        #expect(server.connections >= 500)
    }
}
