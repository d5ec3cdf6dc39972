import Foundation
import HTTPMessage
@testable import JobKit
@testable import JobSpec
import OpenSSLCrypto
import StrictJSON
import Synchronization
import Testing

@Suite struct `The sender of a request` {
    /// A request that a library of its receivers signed (`Tests/Suites/signatures`).
    private struct Vector: Decodable, CustomStringConvertible {
        let name: String
        let secrets: [String: String]
        let headers: [String: String]
        let body: String
        let at: Int64
        var description: String { name }
    }

    private struct Vault: SecretVault {
        var values: [String: String]
        func secret(named name: String) -> [UInt8]? { values[name].map { Array($0.utf8) } }
    }

    private static let vectors: [(vector: Vector, spec: VerifySpec)] = {
        let file = URL(filePath: #filePath).appending(path: "../../../Suites/signatures/vectors.json")
        guard let data = try? Data(contentsOf: file.standardized),
            let vectors = try? JSONDecoder().decode([Vector].self, from: data),
            let list = (try? JSONParser.parse(Array(data)))?.array
        else { return [] }
        return zip(vectors, list).compactMap { vector, value in
            value.object?["verify"].flatMap { Self.read($0).0 }.map { (vector, $0) }
        }
    }()

    private static func read(_ value: JSONValue) -> (VerifySpec?, [SpecProblem]) {
        var reading = SpecReading(
            limits: .standard, now: Timestamp(milliseconds: 0), kinds: OperationKinds.none)
        return (VerifyReader.read(value, &reading), reading.problems)
    }

    private static func read(_ text: String) throws -> (VerifySpec?, [SpecProblem]) {
        read(try JSONParser.parse(Array(text.utf8)))
    }

    private static func request(_ headers: [String: String], _ body: [UInt8]) -> ArrivedRequest {
        var fields = HTTPFields()
        for (name, value) in headers { fields.add(name, value) }
        return ArrivedRequest(
            method: "POST", host: Array("a.example".utf8), target: Array("/hooks/a?b=1".utf8), fields: fields,
            body: body)
    }

    private static func refusal(
        _ spec: VerifySpec, _ secrets: [String: String], _ headers: [String: String], _ body: [UInt8],
        at milliseconds: Int64
    ) -> VerifyRefusal? {
        do throws(VerifyRefusal) {
            try RequestVerifier(spec, vault: Vault(values: secrets), checks: OpenSSLDigests())
                .verify(request(headers, body), at: Timestamp(milliseconds: milliseconds))
            return nil
        } catch { return error }
    }

    private static func changes(_ body: [UInt8]) -> [[UInt8]] {
        [body + [0x20], body.isEmpty ? [0] : Array(body.dropLast()), [0x20] + body]
    }

    @Test func `is verified by what the libraries of receivers sign`() throws {
        #expect(Self.vectors.count == 37)
        for (vector, spec) in Self.vectors {
            let body = try #require(Base64.decode(Array(vector.body.utf8)))
            let refusal = Self.refusal(spec, vector.secrets, vector.headers, body, at: vector.at)
            #expect(refusal == nil, "\(vector)")
        }
    }

    @Test func `is refused with another body, another key or without the signature`() throws {
        for (vector, spec) in Self.vectors {
            let body = try #require(Base64.decode(Array(vector.body.utf8)))
            for other in Self.changes(body) {
                #expect(
                    Self.refusal(spec, vector.secrets, vector.headers, other, at: vector.at)?.code == .wrong,
                    "\(vector)")
            }
            let key = ["key": "whsec_" + String(decoding: Base64.encode(Array("other".utf8)), as: UTF8.self)]
            #expect(Self.refusal(spec, key, vector.headers, body, at: vector.at)?.code == .wrong, "\(vector)")
            #expect(Self.refusal(spec, [:], vector.headers, body, at: vector.at)?.code == .noKey, "\(vector)")
            for name in vector.headers.keys {
                var fewer = vector.headers
                fewer[name] = nil
                let code = Self.refusal(spec, vector.secrets, fewer, body, at: vector.at)?.code
                #expect(code == .missing, "\(vector) without \(name)")
                fewer[name] = ";,=x"
                let other = Self.refusal(spec, vector.secrets, fewer, body, at: vector.at)?.code
                #expect(other == .malformed || other == .wrong, "\(vector) with another \(name)")
            }
        }
    }

    @Test func `is refused when the signed time is more than the tolerance away, in both directions`() throws
    {
        for (vector, spec) in Self.vectors {
            let body = try #require(Base64.decode(Array(vector.body.utf8)))
            let codes = [-300_001, -300_000, 300_999, 301_000].map { (distance: Int64) in
                Self.refusal(spec, vector.secrets, vector.headers, body, at: vector.at + distance)?.code
            }
            if spec.signsTime {
                #expect(codes == [.future, nil, .old, .old], "\(vector)")
            } else {
                #expect(codes == [nil, nil, nil, nil], "\(vector)")
            }
        }
    }

    @Test func `may use an old key and a new one at once`() throws {
        for (vector, spec) in Self.vectors {
            let body = try #require(Base64.decode(Array(vector.body.utf8)))
            var both = spec
            both.secrets = ["new", "old", "gone"]
            let known = try #require(vector.secrets["key"])
            for secrets in [["new": known, "old": "other"], ["new": "whsec_AAAA", "old": known]] {
                #expect(
                    Self.refusal(both, secrets, vector.headers, body, at: vector.at) == nil, "\(vector)")
            }
        }
    }

    /// Counts the signatures that are made.
    private final class CountedChecks: SignatureChecks {
        let count = Mutex(0)

        func sha256(_ message: [UInt8]) -> [UInt8] { OpenSSLDigests().sha256(message) }

        func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
            hmac(.sha256, key: key, message: message)
        }

        func hmac(_ digest: KeyedDigest, key: [UInt8], message: [UInt8]) -> [UInt8] {
            count.withLock { $0 += 1 }
            return OpenSSLDigests().hmac(digest, key: key, message: message)
        }

        func isEd25519(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
            count.withLock { $0 += 1 }
            return false
        }

        func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { left == right }
    }

    @Test func `has one signature made with each key, however many it sends`() throws {
        let spec = try #require(
            try Self.read(
                #"{"scheme": "standard_webhooks", "key": [{"$secret": "new"}, {"$secret": "old"}]}"#
            ).0)
        let sent = (0..<16).map { _ in "v1,AAAA" }.joined(separator: " ")
        let request = Self.request(
            ["webhook-id": "a", "webhook-timestamp": "1764000000", "webhook-signature": sent], [1, 2, 3])
        let checks = CountedChecks()
        let verifier = try RequestVerifier(
            spec, vault: Vault(values: ["new": "whsec_AAAA", "old": "whsec_BBBB"]), checks: checks)
        #expect(throws: VerifyRefusal.self) {
            try verifier.verify(request, at: Timestamp(milliseconds: 1_764_000_000_000))
        }
        #expect(checks.count.withLock { $0 } == 2)
    }

    @Test func `costs few checks with open keys, however many keys and signatures there are`() throws {
        let spec = try #require(
            try Self.read(
                #"""
                {"scheme": "standard_webhooks", "key": [{"$secret": "a"}, {"$secret": "b"}, {"$secret": "c"}]}
                """#
            ).0)
        let sent = (0..<16).map { _ in "v1a,AAAA" }.joined(separator: " ")
        let request = Self.request(
            ["webhook-id": "a", "webhook-timestamp": "1764000000", "webhook-signature": sent], [1])
        let checks = CountedChecks()
        let values = ["a": "whpk_AAAA", "b": "whpk_BBBB", "c": "whpk_CCCC"]
        let verifier = try RequestVerifier(spec, vault: Vault(values: values), checks: checks)
        #expect(throws: VerifyRefusal.self) {
            try verifier.verify(request, at: Timestamp(milliseconds: 1_764_000_000_000))
        }
        #expect(checks.count.withLock { $0 } == 16)
    }

    @Test func `is not verified by a key of the other sort`() throws {
        let spec = try #require(
            try Self.read(#"{"scheme": "standard_webhooks", "key": {"$secret": "key"}}"#).0)
        let key = "whpk_" + String(decoding: Base64.encode([UInt8](repeating: 7, count: 32)), as: UTF8.self)
        // Anyone who knows the public key can make this.
        let message = Array("a.1764000000.".utf8)
        let digest = HMACSHA256.digest(of: message, key: Array(key.utf8))
        let text = String(decoding: Base64.encode(digest), as: UTF8.self)
        let headers = [
            "webhook-id": "a", "webhook-timestamp": "1764000000", "webhook-signature": "v1,\(text)",
        ]
        #expect(Self.refusal(spec, ["key": key], headers, [], at: 1_764_000_000_000)?.code == .wrong)
    }

    @Test func `may be known by a name and a password, or by a token`() throws {
        let basic = try #require(
            try Self.read(#"{"scheme": "basic", "username": "ada", "password": {"$secret": "key"}}"#).0)
        let bearer = try #require(try Self.read(#"{"scheme": "bearer", "token": {"$secret": "key"}}"#).0)
        let own = try #require(
            try Self.read(#"{"scheme": "bearer", "token": {"$secret": "key"}, "header": "X-Gitlab-Token"}"#).0
        )
        func code(_ spec: VerifySpec, _ headers: [String: String]) -> VerifyRefusal.Code? {
            Self.refusal(spec, ["key": "love:lace"], headers, [], at: 0)?.code
        }
        // ada:love:lace
        #expect(code(basic, ["Authorization": "basic YWRhOmxvdmU6bGFjZQ=="]) == nil)
        #expect(code(basic, ["Authorization": "Basic YWRhOmxvdmU6bGFj"]) == .wrong)
        #expect(code(basic, ["Authorization": "Bearer love:lace"]) == .malformed)
        #expect(code(bearer, ["Authorization": "Bearer love:lace"]) == nil)
        #expect(code(bearer, ["Authorization": "Bearer love:lac"]) == .wrong)
        #expect(code(bearer, [:]) == .missing)
        #expect(code(own, ["X-Gitlab-Token": "love:lace"]) == nil)
        #expect(code(own, ["Authorization": "Bearer love:lace"]) == .missing)
        let none = try #require(try Self.read(#"{"scheme": "none"}"#).0)
        #expect(Self.refusal(none, [:], [:], [], at: 0) == nil)
    }

    @Test func `signs with hmac what a call of this program signs with it`() throws {
        let spec = try #require(
            try Self.read(
                #"""
                {"scheme": "hmac", "key": {"$secret": "key"}, "signed": ["timestamp", "method", "host", "target", "body"]}
                """#
            ).0)
        var parts = HMACAuth.Parts()
        parts.signed = [.timestamp, .method, .host, .target, .body]
        var call = HTTPCall(method: "POST", url: "http://a.example/hooks/a?b=1", body: Array("{}".utf8))
        let now = Timestamp(milliseconds: 1_764_000_000_000)
        try HMACSignature(key: Array("k".utf8), digests: OpenSSLDigests())
            .sign(&call, as: .parts(parts), id: "", at: now)
        let headers = Dictionary(call.fields.map { ($0.name, $0.value) }) { $1 }
        #expect(Self.refusal(spec, ["key": "k"], headers, Array("{}".utf8), at: now.milliseconds) == nil)
    }

    @Test(arguments: [
        (#""github""#, "spec.wrong_type"),
        (#"{}"#, "spec.missing_member"),
        (#"{"scheme": "githbu"}"#, "spec.unknown_word"),
        (#"{"scheme": "github"}"#, "spec.missing_member"),
        (#"{"scheme": "github", "key": "a"}"#, "spec.literal_secret"),
        (#"{"scheme": "github", "key": []}"#, "spec.out_of_range"),
        (#"{"scheme": "github", "key": {"$secret": "a"}, "tolerance": "1m"}"#, "spec.unknown_member"),
        (#"{"scheme": "stripe", "key": {"$secret": "a"}, "tolerance": "1d"}"#, "spec.out_of_range"),
        (#"{"scheme": "hmac", "key": {"$secret": "a"}, "tolerance": "1m"}"#, "spec.conflict"),
        (#"{"scheme": "hmac", "key": {"$secret": "a"}, "signed": ["timestamp"]}"#, "spec.out_of_range"),
        (#"{"scheme": "basic", "password": {"$secret": "a"}}"#, "spec.missing_member"),
        (#"{"scheme": "none", "key": {"$secret": "a"}}"#, "spec.unknown_member"),
    ])
    func `is described strictly`(_ text: String, _ code: String) throws {
        let problems = try Self.read(text).1
        #expect(problems.map(\.code) == [code], "\(problems.map(\.detail))")
    }
}
