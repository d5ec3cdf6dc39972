import FaultyHTTP
import Foundation
import HTTPMessage
import Synchronization
import Testing

@testable import CurlHTTP

@Suite struct `A proxy` {
    private func call(_ url: String, proxy: String, method: String = "GET") -> HTTPCall {
        var call = HTTPCall(method: method, url: url)
        call.route.proxy = proxy
        return call
    }

    @Test func `carries a plain call`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("there") }
        defer { server.stop() }
        let proxy = try ProxyServer()
        let answer = try await withClient { try await $0.send(call(server.url("/a"), proxy: proxy.url())) }
        #expect(answer.body == Array("there".utf8))
        #expect(answer.exchange.usedProxy)
        #expect(answer.exchange.peer == "127.0.0.1:\(proxy.port)")
        #expect(server.requests[0].hasPrefix("GET /a HTTP/1."))
        #expect(proxy.log.contains("GET http://127.0.0.1:\(server.port)/a"))
    }

    @Test func `carries a call over TLS in a tunnel, and uses it again`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good")
        let proxy = try ProxyServer(credentials: "ada secret")
        var call = HTTPCall(method: "GET", url: "https://127.0.0.1:\(server.port)/")
        call.route = try authority.route()
        call.route.proxy = proxy.url("ada:secret@")
        let answer = try await withClient { [call] in try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(answer.exchange.usedProxy)
        #expect(answer.exchange.tlsVersion == "TLSv1.3")
        #expect(answer.exchange.bytesSent < 150)
        #expect(proxy.log.contains("CONNECT 127.0.0.1:\(server.port)"))
    }

    @Test(arguments: [("http", nil), ("https", nil), ("https", "ada:wrong@")])
    func `requires credentials`(scheme: String, given: String?) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("never") }
        defer { server.stop() }
        let proxy = try ProxyServer(credentials: "ada secret")
        let failure = try await withClient {
            try await expectFailure(
                $0, call("\(scheme)://127.0.0.1:\(server.port)/", proxy: proxy.url(given ?? "")))
        }
        #expect(failure.code == "proxy.auth")
        #expect(failure.delivery == .notSent)
        #expect(failure.phase == .connect)
        #expect(failure.detail.contains("127.0.0.1:\(proxy.port)"))
        #expect(!failure.detail.contains("wrong"))
        #expect(server.connections == 0)
    }

    @Test func `gets its credentials apart from its URL`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("there") }
        defer { server.stop() }
        let proxy = try ProxyServer(credentials: "ada s3cret")
        var call = call(server.url(), proxy: proxy.url())
        call.route.proxyUser = "ada"
        call.route.proxyPassword = "s3cret"
        let answer = try await withClient { [call] in try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(!server.requests[0].lowercased().contains("proxy-authorization"))
    }

    @Test(arguments: ["http", "https"])
    func `is not there`(scheme: String) async throws {
        let port = FaultServer.refusingPort()
        let failure = try await withClient {
            try await expectFailure(
                $0, call("\(scheme)://127.0.0.1:1/", proxy: "http://127.0.0.1:\(port)", method: "POST"))
        }
        #expect(failure.code == "proxy.refused")
        #expect(failure.phase == .connect)
        #expect(failure.delivery == .notSent)
        #expect(failure.exchange.bytesSent == 0)
    }

    @Test func `has an unknown name`() async throws {
        let failure = try await withClient {
            try await expectFailure(
                $0, call("http://127.0.0.1:1/", proxy: "http://no-such-proxy.invalid:3128"))
        }
        #expect(failure.code == "proxy.not_found")
        #expect(failure.phase == .dns)
        #expect(failure.detail.contains("no-such-proxy.invalid"))
    }

    @Test(arguments: [
        ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "403"),
        ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nno!", "502"), ("", "did not answer"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "did not answer"),
    ])
    func `opens no tunnel`(answer: String, words: String) async throws {
        let proxy = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(answer)
        }
        defer { proxy.stop() }
        let failure = try await withClient {
            try await expectFailure(
                $0, call("https://127.0.0.1:1/", proxy: proxy.url().dropLast().description, method: "POST"))
        }
        #expect(failure.code == "proxy.connect", "\(failure.detail)")
        #expect(failure.detail.contains(words))
        #expect(failure.phase == .connect)
        #expect(failure.delivery == .notSent)
        #expect(failure.status == nil)
    }

    @Test func `that is silent is waited for as long as for a connection`() async throws {
        let proxy = FaultServer { connection, _ in connection.waitForClose() }
        defer { proxy.stop() }
        var call = call("https://127.0.0.1:1/", proxy: "http://127.0.0.1:\(proxy.port)", method: "POST")
        call.connectTimeout = .milliseconds(150)
        let failure = try await withClient { [call] in try await expectFailure($0, call) }
        #expect(failure.code == "timeout.connect")
        #expect(failure.phase == .connect)
        #expect(failure.delivery == .notSent)
        #expect(failure.detail.contains("proxy"))
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.0/8", "*"])
    func `is not used for excluded hosts`(entry: String) async throws {
        let server = FaultServer { connection, _ in connection.answerAll("there") }
        defer { server.stop() }
        var call = call(server.url(), proxy: "http://127.0.0.1:1")
        call.route.proxyBypass = [".corp.example", entry]
        let answer = try await withClient { [call] in try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(!answer.exchange.usedProxy)
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "www.example.com", true),
        ("example.com", "notexample.com", false), (".corp", "a.corp", true), (".corp", "corp", false),
        ("*.corp", "a.b.corp", true), ("a.example:8080", "a.example", false),
        ("a.example:443", "a.example", true),
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false),
        ("EXAMPLE.com", "example.com", true),
        ("", "example.com", false), (".", "example.com", false), ("x:y", "x", false), ("*", "anything", true),
    ])
    func `is bypassed by name, range and port`(entry: String, host: String, isCovered: Bool) throws {
        let target = try CallTarget("https://\(host)/")
        let bypass = ProxyBypass([entry])
        #expect(bypass.covers(target) == isCovered)
    }

    @Test(arguments: [
        "http://127.0.0.2:9/", "https://127.0.0.2:9/", "http://localhost:9/", "http://a.localhost.:9/",
    ])
    func `cannot reach forbidden addresses`(url: String) async throws {
        let proxy = FaultServer { connection, _ in connection.answerAll("secret") }
        defer { proxy.stop() }
        let failure = try await withClient(allows: { _, port in port == proxy.port }) {
            try await expectFailure($0, call(url, proxy: "http://127.0.0.1:\(proxy.port)"))
        }
        #expect(failure.code == "egress.blocked")
        #expect(failure.delivery == .notSent)
        #expect(failure.suggestion?.contains("--egress-allow 127.0.0.") == true)
        #expect(proxy.connections == 0)
    }

    @Test func `must be allowed itself`() async throws {
        let proxy = FaultServer { connection, _ in connection.answerAll("x") }
        defer { proxy.stop() }
        let failure = try await withClient(allows: { _, port in port != proxy.port }) {
            try await expectFailure($0, call("http://example.com/", proxy: "http://127.0.0.1:\(proxy.port)"))
        }
        #expect(failure.code == "egress.blocked")
        #expect(failure.detail.contains("The proxy 127.0.0.1 is at 127.0.0.1"))
        #expect(proxy.connections == 0)
    }

    @Test(arguments: [
        "", "127.0.0.1:3128", "socks5://127.0.0.1:1080", "http://", "http://127.0.0.1/path", "http://a b/",
        "ftp://127.0.0.1",
    ])
    func `has an unusable URL`(url: String) async throws {
        let failure = try await withClient {
            try await expectFailure($0, call("http://127.0.0.1:1/", proxy: url))
        }
        #expect(failure.code == "proxy.url")
        #expect(failure.delivery == .notSent)
    }

    @Test(arguments: [
        ("http://ada:\u{301}x@p.example", "ada", "\u{301}x"),
        ("http://ada:x\u{600}@p.example", "ada", "x\u{600}"),
        ("http://\u{301}a:\u{301}@p.example", "\u{301}a", "\u{301}"),
    ])
    func `has marks in its credentials`(url: String, user: String, password: String) throws {
        let place = try ProxyPlace(url, user: nil, password: nil)
        #expect(place.url == "http://p.example:80")
        #expect(place.user?.utf8.elementsEqual(user.utf8) == true)
        #expect(place.password.utf8.elementsEqual(password.utf8))
    }

    @Test func `is another for every spelling of its user, password and bypass`() {
        let changes: [(inout HTTPCallRoute, String) -> Void] = [
            { $0.proxyUser = $1 }, { $0.proxyPassword = $1 }, { $0.proxyBypass = [$1] }, { $0.proxy = $1 },
        ]
        for change in changes {
            var (composed, decomposed) = (HTTPCallRoute(), HTTPCallRoute())
            change(&composed, "\u{E9}")
            change(&decomposed, "e\u{301}")
            #expect(composed != decomposed && composed == composed)
        }
        #expect(Mirror(reflecting: HTTPCallRoute()).children.count == 12, "a new member belongs to ==")
    }

    @Test func `does not share a connection between its users`() async throws {
        let proxy = FaultServer { connection, _ in connection.answerAll("x") }
        defer { proxy.stop() }
        try await withClient { client in
            for user in ["ada:1", "bob:1", "ada:2", "ada:1", "bob:1", "ada:2"] {
                let call = call("http://example.com/\(user)", proxy: "http://\(user)@127.0.0.1:\(proxy.port)")
                _ = try await client.send(call)
            }
        }
        #expect(proxy.connections == 3)
        for request in proxy.requests {
            let user = request.split(separator: "/")[2].split(separator: " ")[0]
            let token = Data(user.utf8).base64EncodedString()
            #expect(request.contains("Proxy-Authorization: Basic \(token)\r\n"))
        }
    }

    @Test func `does not share a tunnel between its users`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good", options: "")
        let proxy = try ProxyServer(credentials: "ada secret")
        var call = HTTPCall(method: "GET", url: "https://127.0.0.1:\(server.port)/")
        call.route = try authority.route()
        call.route.proxy = proxy.url("ada:secret@")
        let failure = try await withClient { [call] client in
            _ = try await client.send(call)
            var other = call
            other.route.proxy = proxy.url("eve:guess@")
            return try await expectFailure(client, other)
        }
        #expect(failure.code == "proxy.auth")
    }
}
