import FaultyHTTP
import Glibc
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A route` {
    private func call(_ port: Int, _ route: HTTPCallRoute) -> HTTPCall {
        var call = HTTPCall(method: "POST", url: "https://127.0.0.1:\(port)/", body: [1])
        call.route = route
        return call
    }

    @Test func `trusts its own authorities, and no others`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good")
        let other = try TestAuthority()
        var get = call(server.port, try authority.route())
        get.method = "GET"
        get.body = nil
        let answer = try await withClient(authoritiesFile: other.file) { [get] in try await $0.send(get) }
        #expect(answer.status == 200)
        let stranger = call(server.port, try other.route())
        let failure = try await withClient(authoritiesFile: authority.file) {
            try await expectFailure($0, stranger)
        }
        #expect(failure.code == "tls.certificate_untrusted")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `reports the TLS version and the certificate's expiry`(version: String) async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good", options: version)
        var get = call(server.port, try authority.route())
        get.method = "GET"
        get.body = nil
        let answer = try await withClient { [get] in try await $0.send(get) }
        #expect(answer.exchange.tlsVersion == (version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"))
        let now = time(nil)
        let end = try #require(answer.exchange.certificateExpiresAt)
        #expect((now + 86_400..<now + 3 * 86_400).contains(end))
    }

    @Test func `reports no TLS without TLS`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let answer = try await withClient { try await $0.send(HTTPCall(method: "GET", url: server.url())) }
        #expect(answer.exchange.tlsVersion == nil)
        #expect(answer.exchange.certificateExpiresAt == nil)
        #expect(!answer.exchange.usedProxy)
    }

    @Test func `does not speak an older TLS than it allows`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good", options: "-tls1_2")
        var route = try authority.route()
        route.tlsMinimum = .v1_3
        let strict = call(server.port, route)
        let failure = try await withClient { try await expectFailure($0, strict) }
        #expect(failure.code == "tls.handshake")
        #expect(failure.phase == .tls)
        #expect(failure.delivery == .notSent)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `shows its certificate to a server that asks for one`(version: String) async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        try authority.issue("ada", for: "DNS:ada.example")
        let server = try TLSServer(
            authority, certificate: "good",
            options: "\(version) -Verify 1 -verify_return_error -CAfile ca.pem")
        var get = call(server.port, try authority.route(showing: "ada"))
        get.method = "GET"
        get.body = nil
        let answer = try await withClient { [get] in try await $0.send(get) }
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("Subject: CN=ada"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `without the certificate that is asked for has sent nothing`(version: String) async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(
            authority, certificate: "good",
            options: "\(version) -Verify 1 -verify_return_error -CAfile ca.pem")
        let bare = call(server.port, try authority.route())
        let failure = try await withClient { try await expectFailure($0, bare) }
        #expect(failure.code.hasPrefix("tls."), "\(failure)")
        #expect(version == "-tls1_2" || failure.code == "tls.client_certificate_required", "\(failure)")
        #expect(failure.phase == .tls)
        #expect(failure.delivery == .notSent)

        let other = try TestAuthority()
        try other.issue("eve", for: "DNS:eve.example")
        var route = try other.route(showing: "eve")
        route.authoritiesPEM = try authority.bytes("ca.pem")
        let wrong = call(server.port, route)
        let second = try await withClient { try await expectFailure($0, wrong) }
        #expect(second.code == "tls.client_certificate_refused", "\(second)")
        #expect(second.delivery == .notSent)
    }

    @Test func `with texts that are no certificates sends nothing`() async throws {
        let authority = try TestAuthority()
        try authority.issue("ada", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "ada")
        let noise = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        var badAuthorities = HTTPCallRoute()
        badAuthorities.authoritiesPEM = noise
        var badCertificate = try authority.route(showing: "ada")
        badCertificate.clientCertificatePEM = noise
        var badKey = try authority.route(showing: "ada")
        badKey.clientKeyPEM = try authority.bytes("ca.key")
        var noKey = try authority.route(showing: "ada")
        noKey.clientKeyPEM = nil
        let all = [
            ("tls.authorities", badAuthorities), ("tls.client_certificate", badCertificate),
            ("tls.client_certificate", badKey), ("tls.client_certificate", noKey),
        ]
        for (code, route) in all {
            let call = call(server.port, route)
            let failure = try await withClient { try await expectFailure($0, call) }
            #expect(failure.code == code, "\(failure)")
            #expect(failure.phase == .tls)
            #expect(failure.delivery == .notSent)
        }
    }

    @Test func `can leave compressed content unchanged`() async throws {
        let packed = try GzipSample.zeros(count: 1000)
        let server = FaultServer { connection, _ in
            while connection.readRequest() != nil {
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
                connection.send(packed)
            }
        }
        defer { server.stop() }
        var plain = HTTPCall(method: "GET", url: server.url())
        plain.route.compression = false
        let bodies = try await withClient { [plain] client in
            [
                try await client.send(plain).body,
                try await client.send(HTTPCall(method: "GET", url: server.url())).body,
            ]
        }
        #expect(bodies[0] == packed)
        #expect(bodies[1] == [UInt8](repeating: 0, count: 1000))
        #expect(!server.requests[0].contains("Accept-Encoding"))
        #expect(server.requests[1].contains("Accept-Encoding: "))
    }

    @Test func `opens ranges for its own calls only`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        var open = HTTPCall(method: "GET", url: server.url())
        open.route.egressAllow = [try #require(CIDR("127.0.0.0/8"))]
        var elsewhere = open
        elsewhere.route.egressAllow = [try #require(CIDR("10.0.0.0/8"))]
        try await withClient(allows: { _, _ in false }) { [open, elsewhere] client in
            let first = try await client.send(open)
            #expect(first.status == 200)
            for call in [HTTPCall(method: "GET", url: server.url()), elsewhere] {
                let failure = try await expectFailure(client, call)
                #expect(failure.code == "egress.blocked")
            }
            let second = try await client.send(open)
            #expect(second.exchange.reusedConnection)
        }
    }

    @Test func `pins addresses for its own calls only`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let url = "http://shop.invalid:\(server.port)/"
        var pinned = HTTPCall(method: "GET", url: url)
        pinned.route.pins = ["shop.invalid:\(server.port)": [IPAddress(v4: 0x7f00_0001)]]
        try await withClient { [pinned] client in
            let answer = try await client.send(pinned)
            #expect(answer.exchange.peer == "127.0.0.1:\(server.port)")
            let failure = try await expectFailure(client, HTTPCall(method: "GET", url: url))
            #expect(failure.phase == .dns)
        }
        #expect(server.requests[0].contains("Host: shop.invalid:\(server.port)"))
        let blocked = try await withClient(allows: { _, _ in false }) { [pinned] in
            try await expectFailure($0, pinned)
        }
        #expect(blocked.code == "egress.blocked")
    }

    @Test(arguments: ["shop.invalid", "127.0.0.1:80", ":80", "a b:80", "*:80"])
    func `cannot pin a malformed name and port`(place: String) async throws {
        var call = HTTPCall(method: "GET", url: "http://127.0.0.1:1/")
        call.route.pins = [place: [IPAddress(v4: 0x7f00_0001)]]
        let failure = try await withClient { [call] in try await expectFailure($0, call) }
        #expect(failure.code == "http.url")
    }

    @Test func `does not take the certificate along to another host`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        try authority.issue("ada", for: "DNS:ada.example")
        let other = try TLSServer(authority, certificate: "good", options: "-verify 1 -CAfile ca.pem")
        let place = "https://127.0.0.1:\(other.port)/"
        let first = FaultServer {
            $0.answerAll(
                "", status: "302 Found", fields: "Location: \(place)\r\n");
            _ = $1
        }
        defer { first.stop() }
        var call = HTTPCall(method: "GET", url: first.url())
        call.route = try authority.route(showing: "ada")
        call.redirectsMax = 1
        let answer = try await withClient { [call] in try await $0.send(call) }
        #expect(answer.status == 200)
        #expect(answer.exchange.redirects == 1)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("Subject: CN=ada"))
    }

    @Test func `may be left with a redirect when no other is kept`() async throws {
        let second = FaultServer { connection, _ in connection.answerAll("second") }
        defer { second.stop() }
        let place = second.url()
        let first = FaultServer { connection, _ in
            connection.answerAll("", status: "302 Found", fields: "Location: \(place)\r\n")
        }
        defer { first.stop() }
        var limits = CurlLimits()
        limits.routesMax = 1
        var call = HTTPCall(method: "GET", url: first.url())
        call.redirectsMax = 1
        call.route.pins = ["unused.invalid:80": [IPAddress(v4: 1)]]
        // Stays behind, and makes it another route.
        call.route.egressAllow = [try #require(CIDR("127.0.0.0/8"))]
        try await withClient(limits: limits) { [call] client in
            for _ in 0..<3 {
                let answer = try await client.send(call)
                #expect(answer.body == Array("second".utf8))
            }
        }
    }

    @Test func `gives its connections back when there are many`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        var limits = CurlLimits()
        limits.routesMax = 4
        try await withClient(limits: limits) { client in
            for index in 0..<20 {
                var call = HTTPCall(method: "GET", url: server.url())
                call.route.pins = ["unused-\(index).invalid:80": [IPAddress(v4: 1)]]
                let answer = try await client.send(call)
                #expect(answer.status == 200)
            }
            #expect(openDescriptors(to: server.port) <= 4)
        }
        #expect(server.connections == 20)
    }
}
