import HTTPMessage
import StrictJSON
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Access tokens fetched for calls.
@Suite struct `A fetched token` {
    private static let issuer = "https://login.example/token"

    private static func auth(_ more: String = "") -> String {
        #"""
        "auth": {"type": "oauth2_client_credentials", "token_url": "\#(issuer)", "client_id": "me/1",
                 "client_secret": {"$secret": "word"}\#(more)}
        """#
    }

    private static func call(_ name: String = "call", _ more: String = "") -> String {
        #"""
        {"type": "network", "name": "\#(name)", "request": {"url": "https://api.example/\#(name)", \#(auth(more))},
         "retry": {"backoff": "1s", "jitter": "none"}}
        """#
    }

    /// A run in which the token endpoint issues `token-1`, `token-2` … and everything else answers like `api`.
    private func run(
        expiresIn: Int? = 3_600, _ api: @escaping @Sendable (HTTPCall) -> Int = { _ in 200 }
    ) -> SpecRun {
        let tokens = Record<Int>()
        let run = SpecRun { call, _ in
            guard call.url == Self.issuer else { return (api(call), "{}") }
            tokens.append(1)
            let lifetime = expiresIn.map { #", "expires_in": \#($0)"# } ?? ""
            return (
                200, #"{"access_token": "token-\#(tokens.all.count)", "token_type": "bearer"\#(lifetime)}"#
            )
        }
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s p&ce") } }
        return run
    }

    private func authorization(_ call: HTTPCall) -> String? {
        call.fields.first { $0.name == "Authorization" }?.value
    }

    private func fetches(_ run: SpecRun) -> [HTTPCall] { run.calls.all.filter { $0.url == Self.issuer } }

    private func calls(_ run: SpecRun) -> [HTTPCall] { run.calls.all.filter { $0.url != Self.issuer } }

    @Test func `is requested according to RFC 6749, and sent as a bearer token`() async throws {
        let run = run()
        let ending = try await run.ending(Self.call("call", #", "scope": "read write", "audience": "api""#))
        #expect(ending.state == .succeeded)
        let fetch = try #require(fetches(run).first)
        #expect(fetch.method == "POST")
        #expect(
            String(decoding: fetch.body ?? [], as: UTF8.self)
                == "grant_type=client_credentials&scope=read+write&audience=api")
        let pair = Base64.encode(Array("me%2F1:s+p%26ce".utf8))
        #expect(authorization(fetch) == "Basic " + String(decoding: pair, as: UTF8.self))
        #expect(calls(run).map(authorization) == ["Bearer token-1"])
    }

    @Test func `is asked for with the client in the content where that is wanted`() async throws {
        let run = run()
        _ = try await run.ending(Self.call("call", #", "client_auth": "client_secret_post""#))
        let fetch = try #require(fetches(run).first)
        #expect(authorization(fetch) == nil)
        #expect(
            String(decoding: fetch.body ?? [], as: UTF8.self)
                == "grant_type=client_credentials&client_id=me%2F1&client_secret=s+p%26ce")
    }

    @Test func `serves many calls, also those that come while it is being fetched`() async throws {
        let run = run()
        let members = (1...20).map { Self.call("c\($0)") }.joined(separator: ",")
        let ending = try await run.ending(#"{"type": "group", "operations": [\#(members)]}"#)
        #expect(ending.state == .succeeded)
        #expect(fetches(run).count == 1)
        #expect(Set(calls(run).map(authorization)) == ["Bearer token-1"])
    }

    @Test func `is another one for another client, scope or audience`() async throws {
        let run = run()
        let members = [
            Self.call("a"), Self.call("b", #", "scope": "x""#), Self.call("c", #", "audience": "y""#),
        ].joined(separator: ",")
        _ = try await run.ending(#"{"type": "group", "operations": [\#(members)]}"#)
        #expect(fetches(run).count == 3)
    }

    @Test(arguments: [(569, 1), (571, 2)])
    func `is fetched anew shortly before it expires`(wait: Int, fetchesExpected: Int) async throws {
        let run = run(expiresIn: 600)
        let spec =
            #"""
            {"type": "group", "ordered": true, "operations": [
              \#(Self.call("a")), {"type": "delay", "for": "\#(wait)s"}, \#(Self.call("b"))]}
            """#
        let task = run.start(spec)
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(Int64(wait)))
        #expect(try await task.value.state == .succeeded)
        #expect(fetches(run).count == fetchesExpected)
    }

    @Test func `that is not accepted is fetched anew once, and the call sent again`() async throws {
        let run = run { call in
            call.fields.contains { $0.value == "Bearer token-1" } ? 401 : 200
        }
        #expect(try await run.ending(Self.call()).state == .succeeded)
        #expect(calls(run).map(authorization) == ["Bearer token-1", "Bearer token-2"])
    }

    @Test func `that is refused twice leaves the refusal unchanged`() async throws {
        let run = run { _ in 401 }
        let ending = try await run.ending(Self.call())
        #expect(ending.errors.first?.code == .httpStatus)
        #expect(ending.errors.first?.upstream?.status == 401)
        #expect(calls(run).count == 2)
        #expect(fetches(run).count == 2)
    }

    @Test func `that many calls find rejected is fetched anew once for all of them`() async throws {
        let run = run { call in
            call.fields.contains { $0.value == "Bearer token-1" } ? 401 : 200
        }
        let members = (1...10).map { Self.call("c\($0)") }.joined(separator: ",")
        #expect(try await run.ending(#"{"type": "group", "operations": [\#(members)]}"#).state == .succeeded)
        #expect(fetches(run).count == 2)
    }

    @Test func `that is refused reports the reason, and is not requested again`() async throws {
        let run = SpecRun { call, _ in
            call.url == Self.issuer
                ? (401, #"{"error": "invalid_client", "error_description": "No s p&ce here"}"#) : (200, "{}")
        }
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s p&ce") } }
        let error = try #require(try await run.ending(Self.call()).errors.first)
        #expect(error.code == .authTokenFetch)
        #expect(error.delivery == "not_sent")
        #expect(error.upstream?.status == 401)
        #expect(
            error.detail.contains("https://login.example/token answered 401 (invalid_client): No *** here"))
        #expect(error.upstream?.bodyExcerpt?.contains("s p&ce") == false)
        #expect(fetches(run).count == 1)
        #expect(calls(run).isEmpty)
    }

    @Test func `is asked for again when the upstream is busy`() async throws {
        let run = SpecRun { call, before in
            if call.url != Self.issuer { return (200, "{}") }
            return before == 0 ? (503, "{}") : (200, #"{"access_token": "late", "expires_in": "60"}"#)
        }
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s p&ce") } }
        let task = run.start(Self.call())
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(2))
        #expect(try await task.value.state == .succeeded)
        #expect(calls(run).map(authorization) == ["Bearer late"])
    }

    @Test(arguments: [
        #"{}"#, #"{"access_token": ""}"#, #"{"access_token": "a b"}"#, #"{"access_token": 7}"#, "[", "",
        #"{"access_token": "abcdef", "token_type": "mac"}"#,
    ])
    func `must be one that can be sent`(answer: String) async throws {
        let run = SpecRun { _, _ in (200, answer) }
        run.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s p&ce") } }
        let error = try #require(try await run.ending(Self.call()).errors.first)
        #expect(error.code == .authTokenFetch)
        #expect(!error.retryable)
        #expect(error.upstream?.bodyExcerpt == nil)
    }

    @Test func `never comes back in an answer`() async throws {
        let tokens = SpecRun { call, _ in
            if call.url == Self.issuer { return (200, #"{"access_token": "very-secret-token"}"#) }
            return (200, #"{"you_sent": "Bearer very-secret-token"}"#)
        }
        tokens.prepare.withLock { $0 = { $0.vault = OneSecret(name: "word", value: "s p&ce") } }
        #expect(try await tokens.value(Self.call())?.object?["you_sent"] == "Bearer ***")
    }
}

/// A vault with one secret.
struct OneSecret: SecretVault {
    let name: String
    let value: String

    func secret(named name: String) -> [UInt8]? { name == self.name ? Array(value.utf8) : nil }
}
