import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A call over TLS` {
    @Test func `succeeds with a certificate that fits`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        let server = try TLSServer(authority, certificate: "good")
        let answer = try await withClient(authoritiesFile: authority.file) {
            try await $0.send(HTTPCall(method: "GET", url: "https://127.0.0.1:\(server.port)/"))
        }
        #expect(answer.status == 200)
        #expect(answer.exchange.tlsMilliseconds ?? 0 > 0)
    }

    @Test func `fails with an untrusted certificate`() async throws {
        let authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        try await expect("tls.certificate_untrusted", authority, "good", trustsAuthority: false)
    }

    @Test func `fails with a certificate for another host`() async throws {
        let authority = try TestAuthority()
        try authority.issue("other", for: "DNS:other.example")
        let failure = try await expect("tls.hostname_mismatch", authority, "other")
        #expect(failure.detail.contains("127.0.0.1"))
    }

    @Test func `fails with a certificate of yesterday`() async throws {
        let authority = try TestAuthority()
        try authority.issue("old", for: "IP:127.0.0.1", isExpired: true)
        try await expect("tls.certificate_expired", authority, "old")
    }

    @Test func `fails where no TLS is spoken`() async throws {
        let server = FaultServer { connection, _ in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let failure = try await withClient {
            try await expectFailure($0, HTTPCall(method: "GET", url: "https://127.0.0.1:\(server.port)/"))
        }
        #expect(failure.code == "tls.handshake")
        #expect(failure.phase == .tls)
        #expect(failure.delivery == .notSent)
    }

    @discardableResult
    private func expect(
        _ code: String, _ authority: TestAuthority, _ certificate: String, trustsAuthority: Bool = true
    ) async throws -> HTTPCallFailure {
        let server = try TLSServer(authority, certificate: certificate)
        let url = "https://127.0.0.1:\(server.port)/"
        let failure = try await withClient(authoritiesFile: trustsAuthority ? authority.file : nil) {
            try await expectFailure($0, HTTPCall(method: "POST", url: url, body: [1]))
        }
        #expect(failure.code == code, "\(failure.detail)")
        #expect(failure.phase == .tls)
        #expect(failure.delivery == .notSent)
        #expect(failure.suggestion != nil)
        return failure
    }
}
