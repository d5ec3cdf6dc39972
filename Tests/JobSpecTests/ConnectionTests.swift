import HTTPMessage
import JobKit
@testable import JobSpec
import StrictJSON
import Synchronization
import TestOperations
import Testing

/// Named upstreams.
@Suite struct `A connection` {
    private struct OneConnection: ConnectionBook {
        let spec: ConnectionSpec

        func connection(named name: String) -> ConnectionSpec? { name == "crm" ? spec : nil }
    }

    private func read(
        _ text: String, openable: [CIDR] = [], isNew: Bool = true
    ) -> Result<ConnectionSpec, SpecProblems> {
        guard let value = try? JSONParser.parse(Array(text.utf8)) else { return .failure(SpecProblems([])) }
        return ConnectionReader.read(value, egress: isNew ? EgressPolicy() : nil, openable: openable)
    }

    /// The request that is sent over a connection.
    private func sent(
        _ request: String, by connection: String, defaults: String = "", openable: [CIDR] = []
    ) async throws -> HTTPCall {
        let spec = try read(connection, openable: openable).get()
        let run = SpecRun()
        run.connections.withLock { $0 = OneConnection(spec: spec) }
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s3cret") } }
        let ending = try await run.ending(
            #"{"type": "network", "connection": "crm", "request": \#(request)\#(defaults)}"#)
        #expect(ending.state == .succeeded, "\(ending.errors)")
        return try #require(run.calls.all.first)
    }

    private func value(_ name: String, _ call: HTTPCall) -> String? {
        call.fields.first { $0.name.lowercased() == name }?.value
    }

    @Test(arguments: [
        ("orders", "https://api.example/v2/orders"), ("/orders", "https://api.example/orders"),
        ("?a=1", "https://api.example/v2/?a=1"), ("https://other.example/x", "https://other.example/x"),
        ("//other.example/x", "https://other.example/x"), ("../v3/orders", "https://api.example/v3/orders"),
        ("/a/../orders", "https://api.example/a/../orders"),
    ])
    func `is the base of relative URLs`(url: String, expected: String) async throws {
        let call = try await sent("\"\(url)\"", by: #"{"base_url": "https://api.example/v2/"}"#)
        #expect(call.url == expected)
    }

    @Test func `is the base of URL templates`() async throws {
        let call = try await sent(
            #"{"url": "orders/{id}{?q}", "vars": {"id": "a/b", "q": 7}, "query": {"r": 1}}"#,
            by: #"{"base_url": "https://api.example/v2/"}"#)
        #expect(call.url == "https://api.example/v2/orders/a%2Fb?q=7&r=1")
    }

    @Test(arguments: [
        (#""orders/{x}""#, #""..""#, "dot segment"), (#""{x}""#, #"".""#, "dot segment"),
        (#""{x}/orders""#, #""%2e%2e""#, "dot segment"), (#""/{x}/evil.example/""#, #""""#, "a host"),
        (#""{/x*}""#, #"["", "evil.example"]"#, "a host"), (#""{x}/orders""#, #""""#, "leaves its base"),
    ])
    func `is not changed by a value`(url: String, value: String, why: String) async throws {
        let spec = try read(#"{"base_url": "https://api.example/v2/"}"#).get()
        let run = SpecRun()
        run.connections.withLock { $0 = OneConnection(spec: spec) }
        let ending = try await run.ending(
            #"""
            {"type": "group", "operations": [{"type": "value", "name": "a", "value": {"v": \#(value)}},
              {"type": "network", "name": "b", "connection": "crm", "request":
                {"url": \#(url), "vars": {"x": {"$get": "a", "at": "/body/v"}}}}]}
            """#)
        #expect(ending.errors.first?.code == .templateInvalid)
        #expect(ending.errors.first?.detail.contains(why) == true, "\(ending.errors)")
        #expect(run.calls.all.isEmpty)
    }

    private let full = #"""
        {"base_url": "https://api.example:8443/", "auth": {"type": "bearer", "token": {"$secret": "word"}},
         "headers": {"Accept": "text/plain", "X-Key": {"$secret": "word"}}, "idempotency_header": "Request-Id",
         "tls": {"client_cert": {"$secret": "word"}, "min": "1.3", "ca": "-----BEGIN CERTIFICATE-----"},
         "proxy": {"url": "http://proxy.example:3128", "bypass": [".corp"], "password": {"$secret": "word"}},
         "egress": ["10.1.0.0/16"]}
        """#
    private let open = CIDR("10.0.0.0/8").map { [$0] } ?? []

    @Test func `has the credentials and the route of its calls`() async throws {
        let call = try await sent(
            #"{"method": "POST", "url": "x", "idempotency_key": "k", "headers": {"accept": "a/b"}}"#,
            by: full,
            openable: open)
        #expect(value("authorization", call) == "Bearer s3cret")
        #expect(value("x-key", call) == "s3cret")
        #expect(call.fields.filter { $0.name.lowercased() == "accept" }.map(\.value) == ["a/b"])
        #expect(value("request-id", call) == "k")
        #expect(value("idempotency-key", call) == nil)
        #expect(call.route.clientCertificatePEM == Array("s3cret".utf8))
        #expect(call.route.clientKeyPEM == Array("s3cret".utf8))
        #expect(call.route.tlsMinimum == .v1_3)
        #expect(call.route.authoritiesPEM == Array("-----BEGIN CERTIFICATE-----".utf8))
        #expect(call.route.proxy == "http://proxy.example:3128")
        #expect(call.route.proxyBypass == [".corp"])
        #expect(call.route.proxyPassword == "s3cret")
        #expect(call.route.egressAllow.map(\.description) == ["10.1.0.0/16"])
        #expect(call.redirectScope == .sameHost)
        #expect(call.confidentialFields == ["authorization", "x-key"])
    }

    @Test(arguments: [
        "https://api.example/x", "http://api.example:8443/x", "https://api.example.evil.example:8443/x",
        "https://other.example/",
    ])
    func `gives a URL of another origin nothing that is confidential`(url: String) async throws {
        let call = try await sent("\"\(url)\"", by: full, openable: open)
        #expect(value("authorization", call) == nil)
        #expect(value("x-key", call) == nil)
        #expect(call.route.clientCertificatePEM == nil)
        #expect(call.route.clientKeyPEM == nil)
        #expect(call.route.egressAllow == [])
    }

    @Test func `gives a request with its own proxy nothing that is confidential`() async throws {
        let call = try await sent(
            #"{"url": "x", "proxy": "http://elsewhere.example:8080"}"#, by: full, openable: open)
        #expect(call.url == "https://api.example:8443/x")
        #expect(call.route.proxy == "http://elsewhere.example:8080")
        #expect(value("authorization", call) == nil)
        #expect(value("x-key", call) == nil)
        #expect(call.route.clientCertificatePEM == nil)
        #expect(call.route.egressAllow == [])
    }

    @Test func `lets a request override or disable the authentication`() async throws {
        let none = try await sent(#"{"url": "x", "auth": {"type": "none"}}"#, by: full, openable: open)
        #expect(value("authorization", none) == nil)
        let own = try await sent(
            #"{"url": "x", "auth": {"type": "basic", "username": "a", "password": "b"}}"#, by: full,
            openable: open)
        #expect(value("authorization", own) == "Basic YTpi")
    }

    @Test(arguments: [("", ["10.1.0.0/16"]), (#", "auth": {"type": "none"}"#, [])])
    func `is the way of the fetch of a token, too, and opens something for its own only`(
        own: String, opened: [String]
    ) async throws {
        let client =
            #"{"type": "oauth2_client_credentials", "token_url": "https://login.example/t", "client_id": "a", "#
            + #""client_secret": {"$secret": "word"}}"#
        let connection = full.replacing(
            #"{"type": "bearer", "token": {"$secret": "word"}}"#,
            with: own.isEmpty ? client : #"{"type": "none"}"#)
        let spec = try read(connection, openable: open).get()
        let run = SpecRun { _, _ in (200, #"{"access_token": "abcdef"}"#) }
        run.connections.withLock { $0 = OneConnection(spec: spec) }
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s3cret") } }
        let auth = own.isEmpty ? "" : ", \"auth\": \(client)"
        _ = try await run.ending(
            #"{"type": "network", "connection": "crm", "request": {"url": "x"\#(auth)}}"#)
        let fetch = try #require(run.calls.all.first { $0.url == "https://login.example/t" })
        #expect(fetch.route.proxy == "http://proxy.example:3128")
        #expect(fetch.route.clientCertificatePEM == nil)
        #expect(fetch.route.egressAllow.map(\.description) == opened)
    }

    @Test func `that is not there fails the call before anything is sent`() async throws {
        let run = SpecRun()
        let ending = try await run.ending(#"{"type": "network", "connection": "gone", "request": "/x"}"#)
        #expect(ending.errors.first?.code == .authConnectionMissing)
        #expect(ending.errors.first?.delivery == "not_sent")
        #expect(run.calls.all.isEmpty)
    }

    @Test func `can be the default of a job`() async throws {
        let spec = try read(#"{"base_url": "https://api.example/"}"#).get()
        let run = SpecRun()
        run.connections.withLock { $0 = OneConnection(spec: spec) }
        let ending = try await run.ending(
            #"""
            {"type": "group", "defaults": {"connection": "crm"}, "operations": [
              {"type": "network", "request": "/a"}, {"type": "poll", "request": "/b", "follow": true}]}
            """#
        )
        #expect(ending.state == .succeeded)
        #expect(run.calls.all.map(\.url).sorted() == ["https://api.example/a", "https://api.example/b"])
    }

    @Test(arguments: [
        (#"[]"#, "", "spec.wrong_type"), (#"{}"#, "", "spec.missing_member"),
        (#"{"base_url": "api.example"}"#, "/base_url", "spec.bad_url"),
        (#"{"base_url": "https://api.example/?a=b"}"#, "/base_url", "spec.bad_url"),
        (#"{"base_url": "http://10.1.2.3/"}"#, "/base_url", "egress.blocked"),
        (#"{"base_url": "https://a.example/", "egress": ["10.1.0.0/16"]}"#, "/egress/0", "egress.blocked"),
        (#"{"base_url": "https://a.example/", "egress": ["10.1"]}"#, "/egress/0", "spec.out_of_range"),
        (
            #"{"base_url": "https://a.example/", "auth": {"type": "bearer", "token": "plain"}}"#,
            "/auth/token",
            "spec.literal_secret"
        ),
        (
            #"{"base_url": "https://a.example/", "headers": {"X": {"$get": "other"}}}"#, "/headers/X/$get",
            "spec.unknown_reference"
        ),
        (
            #"{"base_url": "https://a.example/", "headers": {"X-Api-Key": "plain"}}"#, "/headers/X-Api-Key",
            "spec.literal_secret"
        ),
        (#"{"base_url": "https://a.example/", "bse": 1}"#, "/bse", "spec.unknown_member"),
        (
            #"{"base_url": "https://a.example/", "tls": {"client_key": {"$secret": "k"}}}"#,
            "/tls/client_key",
            "spec.missing_member"
        ),
        (#"{"base_url": "https://a.example/", "tls": {"ca": "x"}}"#, "/tls/ca", "spec.wrong_type"),
        (#"{"base_url": "https://a.example/", "tls": {"min": "1.1"}}"#, "/tls/min", "spec.unknown_word"),
        (
            #"{"base_url": "https://a.example/", "proxy": "http://p.example:1/x"}"#, "/proxy", "spec.bad_url"
        ),
        (
            #"{"base_url": "https://a.example/", "idempotency_header": "a b"}"#, "/idempotency_header",
            "spec.bad_header"
        ),
    ])
    func `that is invalid reports the position`(text: String, pointer: String, code: String) {
        guard case .failure(let problems) = read(text) else {
            Issue.record("taken: \(text)")
            return
        }
        #expect(problems.list.map(\.pointer.description) == [pointer])
        #expect(problems.list.map(\.code) == [code])
    }

    @Test func `opens only permitted ranges, also when these were reduced`() throws {
        let text = #"{"base_url": "http://10.1.2.3/", "egress": ["10.1.0.0/16", "10.2.0.0/16"]}"#
        #expect(try read(text, openable: open).get().egress.count == 2)
        let less = CIDR("10.2.0.0/15").map { [$0] } ?? []
        #expect(
            try read(text, openable: less, isNew: false).get().egress.map(\.description) == ["10.2.0.0/16"])
        #expect(try read(text, openable: [], isNew: false).get().egress == [])
    }

    @Test func `must be there for a relative URL`() {
        let found = problems(#"{"type": "network", "request": "/orders"}"#)
        #expect(found.map(\.code) == ["spec.bad_url"])
        #expect(problems(#"{"type": "network", "connection": "crm", "request": "/orders"}"#) == [])
        #expect(
            problems(#"{"type": "network", "connection": "No!", "request": "/orders"}"#).map(\.code)
                == ["spec.bad_name"])
    }
}

/// Further authentication of requests.
@Suite struct `The identity of a request` {
    @Test(arguments: [
        (#"{"type": "aws_sigv4", "access_key": "a", "secret_key": "b", "region": "r"}"#, "/request/auth"),
        (
            #"{"type": "aws_sigv4", "access_key": "a", "secret_key": "b", "region": "r x", "service": "s3"}"#,
            "/request/auth/region"
        ),
        (
            #"{"type": "oauth2_client_credentials", "token_url": "nowhere", "client_id": "a", "client_secret": "b"}"#,
            "/request/auth/token_url"
        ),
        (#"{"type": "hmac", "key": "k", "signed": []}"#, "/request/auth/signed"),
        (#"{"type": "hmac", "key": "k", "signed": ["body", "body"]}"#, "/request/auth/signed/1"),
        (
            #"{"type": "hmac", "key": "k", "scheme": "standard_webhooks", "header": "X"}"#,
            "/request/auth/header"
        ),
        (#"{"type": "hmac", "key": "k", "encoding": "hexx"}"#, "/request/auth/encoding"),
        (#"{"type": "bearer", "token": "a", "scope": "b"}"#, "/request/auth/scope"),
    ])
    func `that is invalid reports the position`(auth: String, pointer: String) {
        let found = problems(
            #"{"type": "network", "request": {"url": "https://a.example/", "auth": \#(auth)}}"#)
        #expect(found.map(\.pointer.description) == [pointer])
    }

    @Test func `is not taken along where a poll is led to another origin`() async throws {
        let run = SpecRun(
            fields: { call in
                call.url.contains("start") ? [("Operation-Location", "https://other.example/op")] : []
            }, answer: { _, _ in (200, "{}") })
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s3cret") } }
        let task = run.start(
            #"""
            {"type": "poll", "follow": true, "every": "1s",
             "request": {"url": "https://a.example/start",
                         "auth": {"type": "header", "name": "X-Key", "value": {"$secret": "word"}}}}
            """#)
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(1))
        #expect(try await task.value.state == .succeeded)
        #expect(run.calls.all.map { $0.fields.contains { $0.name == "X-Key" } } == [true, false])
    }
}
