import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A redirect` {
    private let credentials = [
        ("Authorization", "Bearer s3cret"), ("Cookie", "a=b"), ("X-Api-Key", "k"), ("X-Trace", "t"),
        ("Idempotency-Key", "i"),
    ]

    private func call(_ method: String, _ url: String, max: Int = 5, body: [UInt8]? = nil) -> HTTPCall {
        var call = HTTPCall(method: method, url: url, fields: credentials, body: body)
        call.redirectsMax = max
        return call
    }

    @Test func `is the answer itself when none is to be followed`() async throws {
        let server = FaultServer {
            $0.answerAll("moved", status: "302 Found", fields: "Location: /b\r\n"); _ = $1
        }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(call("GET", server.url(), max: 0)) }
        #expect(answer.status == 302)
        #expect(answer.field("location") == "/b")
        #expect(answer.body == Array("moved".utf8))
        #expect(server.requests.count == 1)
    }

    @Test func `to the same origin keeps credentials, and reports its target`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.hasPrefix("GET /a/b ") {
                    connection.answer("", status: "302 Found", fields: "Location: ../c?d#e\r\n")
                } else {
                    connection.answer("here")
                }
            }
        }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(call("GET", server.url("/a/b"))) }
        #expect(answer.status == 200)
        #expect(answer.exchange.redirects == 1)
        #expect(answer.exchange.effectiveURL == server.url("/c?d"))
        #expect(server.requests[1].hasPrefix("GET /c?d HTTP/1.1\r\n"))
        #expect(server.requests[1].contains("Authorization: Bearer s3cret"))
        #expect(answer.exchange.bytesSent == server.requests.reduce(0) { $0 + $1.utf8.count })
    }

    @Test func `to another port closes the ranges that the route opened`() throws {
        var request = call("GET", "http://a.example:1/")
        request.route.egressAllow = [try #require(CIDR("10.1.0.0/16"))]
        RedirectRule.follow(&request, status: 302, to: "http://a.example:2/", keepsCredentials: false)
        #expect(request.route == HTTPCallRoute())
    }

    @Test func `to another port drops fields marked as confidential`() async throws {
        let second = FaultServer { connection, _ in connection.answerAll("second") }
        defer { second.stop() }
        let place = second.url("/x")
        let first = FaultServer {
            $0.answerAll("", status: "302 Found", fields: "Location: \(place)\r\n"); _ = $1
        }
        defer { first.stop() }
        var request = call("GET", first.url())
        request.fields += [("X-Acme", "hidden-value"), ("X-Plain", "shown")]
        request.confidentialFields = ["x-acme"]
        _ = try await withClient { [request] in try await $0.send(request) }
        #expect(first.requests.first?.contains("X-Acme: hidden-value") == true)
        #expect(second.requests.first?.contains("X-Acme") == false)
        #expect(second.requests.first?.contains("X-Plain: shown") == true)
    }

    @Test(arguments: [307, 308, 303])
    func `to another port does not take confidential content along`(status: Int) async throws {
        let second = FaultServer { connection, _ in connection.answerAll("second") }
        defer { second.stop() }
        let place = second.url("/x")
        let first = FaultServer {
            $0.answerAll("", status: "\(status) Moved", fields: "Location: \(place)\r\n"); _ = $1
        }
        defer { first.stop() }
        var request = call("POST", first.url(), body: Array("password=hidden".utf8))
        request.hasConfidentialContent = true
        guard status != 303 else {
            let answer = try await withClient { [request] in try await $0.send(request) }
            #expect(answer.body == Array("second".utf8), "a GET has no content to keep back")
            return
        }
        try await withClient { [request] client in
            let failure = try await expectFailure(client, request)
            #expect(failure.code == "http.redirect")
            #expect(failure.delivery == .answered)
            #expect(failure.detail.contains("holds a secret"))
        }
        #expect(second.requests.isEmpty)
        request.redirectScope = .anywhereWithCredentials
        _ = try await withClient { [request] in try await $0.send(request) }
        #expect(second.requests.first?.contains("password=hidden") == true)
    }

    @Test func `to another port drops credentials`() async throws {
        let second = FaultServer { connection, _ in connection.answerAll("second") }
        defer { second.stop() }
        let place = second.url("/x")
        let first = FaultServer {
            $0.answerAll("", status: "307 Temporary Redirect", fields: "Location: \(place)\r\n"); _ = $1
        }
        defer { first.stop() }
        let answer = try await withClient {
            try await $0.send(call("POST", first.url(), body: Array("data".utf8)))
        }
        #expect(answer.body == Array("second".utf8))
        let request = second.requests[0]
        #expect(request.hasPrefix("POST /x HTTP/1.1\r\n"))
        #expect(request.hasSuffix("\r\n\r\ndata"))
        #expect(request.contains("X-Trace: t"))
        #expect(request.contains("Idempotency-Key: i"))
        for secret in ["Authorization", "Cookie", "X-Api-Key"] { #expect(!request.contains(secret)) }
    }

    @Test func `keeps credentials when the call permits it`() async throws {
        let second = FaultServer { connection, _ in connection.answerAll("second") }
        defer { second.stop() }
        let place = second.url("/x")
        let first = FaultServer {
            $0.answerAll("", status: "302 Found", fields: "Location: \(place)\r\n"); _ = $1
        }
        defer { first.stop() }
        var call = call("GET", first.url())
        call.redirectScope = .anywhereWithCredentials
        _ = try await withClient { [call] in try await $0.send(call) }
        #expect(second.requests[0].contains("Authorization: Bearer s3cret"))
    }

    @Test(arguments: [("127.0.0.1", nil), ("127.0.0.2", "http.redirect")])
    func `stays on its host when the call requires it`(host: String, code: String?) async throws {
        let second = FaultServer { connection, _ in connection.answerAll("second") }
        defer { second.stop() }
        let place = "http://\(host):\(second.port)/x"
        let first = FaultServer {
            $0.answerAll("", status: "302 Found", fields: "Location: \(place)\r\n"); _ = $1
        }
        defer { first.stop() }
        var call = call("GET", first.url())
        call.redirectScope = .sameHost
        let failure = try await withClient { [call] client -> HTTPCallFailure? in
            do {
                _ = try await client.send(call)
                return nil
            } catch let failure as HTTPCallFailure { return failure }
        }
        #expect(failure?.code == code)
        #expect(failure?.status == (code == nil ? nil : 302))
        #expect(second.requests.count == (code == nil ? 1 : 0))
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (307, "POST", "POST"), (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "GET", "GET"),
    ])
    func `decides about the method by its status`(status: Int, method: String, then: String) async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.contains(" /next ") {
                    connection.answer(request.hasPrefix("HEAD") ? "" : "ok")
                } else {
                    connection.answer("", status: "\(status) Elsewhere", fields: "Location: /next\r\n")
                }
            }
        }
        defer { server.stop() }
        let body: [UInt8]? = method == "POST" || method == "PUT" ? Array("data".utf8) : nil
        var call = call(method, server.url(), body: body)
        call.fields.append(("Content-Type", "text/plain"))
        _ = try await withClient { try await $0.send(call) }
        let request = server.requests[1]
        #expect(request.hasPrefix("\(then) /next "))
        let keepsContent = body != nil && then != "GET"
        #expect(request.hasSuffix("data") == keepsContent)
        if body != nil { #expect(request.contains("Content-Type") == keepsContent) }
    }

    @Test func `in a circle ends`() async throws {
        let server = FaultServer {
            $0.answerAll("", status: "302 Found", fields: "Location: /again\r\n"); _ = $1
        }
        defer { server.stop() }
        let failure = try await withClient { try await expectFailure($0, call("GET", server.url(), max: 3)) }
        #expect(failure.code == "http.redirect")
        #expect(failure.status == 302)
        #expect(failure.delivery == .answered)
        #expect(failure.exchange.redirects == 3)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [
        ("ftp://example.com/", "neither http:// nor https://"),
        ("http://user:secret@127.0.0.1/", "user name"),
        ("http://", "no host"), ("file:///etc/passwd", "neither http:// nor https://"),
        ("/100%", "two hexadecimal digits"), ("/a\\b", "backslash"),
        ("/" + String(repeating: "x", count: 8 << 10), "longer than 8192 bytes"),
    ])
    func `without a target ends, with the reason`(location: String, why: String) async throws {
        let server = FaultServer {
            $0.answerAll("", status: "301 Moved", fields: "Location: \(location)\r\n"); _ = $1
        }
        defer { server.stop() }
        let failure = try await withClient { try await expectFailure($0, call("GET", server.url())) }
        #expect(failure.code == "http.redirect")
        #expect(failure.delivery == .answered)
        #expect(failure.detail.contains(why), "\(failure.detail)")
    }

    @Test(arguments: [
        ("../c d?e=\"#f", "/c%20d?e=%22"), ("#top", "/a/b?first"), ("", "/a/b?first"),
        ("./x/../y|z", "/a/y|z"),
    ])
    func `is read as a browser reads it`(location: String, target: String) async throws {
        let server = FaultServer { connection, _ in
            _ = connection.readRequest()
            connection.answer("", status: "302 Found", fields: "Location: \(location)\r\n")
            connection.answerAll("here")
        }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(call("GET", server.url("/a/b?first"), max: 1)) }
        #expect(answer.status == 200)
        #expect(
            server.requests.map { $0.prefix { $0 != "\r\n" } } == [
                "GET /a/b?first HTTP/1.1", "GET \(target) HTTP/1.1",
            ])
    }

    @Test func `after a POST that was answered keeps that in mind`() async throws {
        let port = FaultServer.refusingPort()
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let status = request.contains(" /303 ") ? "303 See Other" : "307 Temporary Redirect"
                connection.answer("", status: status, fields: "Location: http://127.0.0.1:\(port)/\r\n")
            }
        }
        defer { server.stop() }
        try await withClient { client in
            let done = try await expectFailure(client, call("POST", server.url("/303")))
            #expect(done.code == "connect.refused")
            #expect(done.delivery == .answered)
            let moved = try await expectFailure(client, call("POST", server.url("/307")))
            #expect(moved.delivery == .notSent)
        }
    }
}
