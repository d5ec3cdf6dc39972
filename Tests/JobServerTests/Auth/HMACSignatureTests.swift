import DurableJobs
import HTTPMessage
@testable import JobKit
@testable import JobServer
@testable import JobSpec
import OpenSSLCrypto
import Testing

@Suite struct `An HMAC signature` {
    private func signed(
        _ key: String, _ scheme: HMACAuth.Scheme, _ body: String, id: String = "msg_1",
        seconds: Int64 = 1_614_265_330
    ) throws -> [String: String] {
        var call = HTTPCall(method: "POST", url: "https://a.example:444/p?q=1", body: Array(body.utf8))
        let signature = HMACSignature(
            key: try HMACSignature.key(from: Array(key.utf8)), digests: OpenSSLDigests())
        try signature.sign(&call, as: scheme, id: id, at: Timestamp(milliseconds: seconds * 1_000 + 999))
        return Dictionary(call.fields.map { ($0.name, $0.value) }) { $1 }
    }

    @Test func `is that of Standard Webhooks for its own example`() throws {
        let fields = try signed(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .standardWebhooks, #"{"test": 2432232314}"#,
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(fields["webhook-id"] == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(fields["webhook-timestamp"] == "1614265330")
        #expect(fields["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `needs a key that is what its prefix says`() {
        for key in [
            "whsec_no base64!", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", "whsec_",
        ] {
            let error = #expect(throws: AOperationError.self) {
                try signed(key, .standardWebhooks, "")
            }
            #expect(error?.code == .authSignature, "\(key)")
            #expect(error?.detail.contains("whsec_") == true)
        }
    }

    @Test func `of the body alone is that of many hooks`() throws {
        let fields = try signed("It's a Secret to Everybody", .parts(HMACAuth.Parts()), "Hello, World!")
        #expect(
            fields["X-Signature"]
                == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
        #expect(fields["X-Timestamp"] == nil)
    }

    @Test func `covers the parts that are named, in their order`() throws {
        var parts = HMACAuth.Parts()
        parts.signed = [.timestamp, .method, .host, .target, .body]
        parts.header = "X-Sig"
        parts.prefix = ""
        parts.encoding = .base64
        parts.timestampHeader = "X-Time"
        let fields = try signed("key", .parts(parts), "body", seconds: 12)
        let message = Array("12\nPOST\na.example:444\n/p?q=1\nbody".utf8)
        let digest = Base64.encode(HMACSHA256.digest(of: message, key: Array("key".utf8)))
        #expect(fields["X-Sig"] == String(decoding: digest, as: UTF8.self))
        #expect(fields["X-Time"] == "12")
    }

    @Test func `is the keyed digest of RFC 4231`() {
        let digest = HMACSHA256.digest(
            of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(
            HexText.encode(digest) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let empty = HMACSHA256.digest(of: [], key: [])
        #expect(HexText.encode(empty) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}

@Suite struct `Sealed bytes` {
    private let key = [UInt8](repeating: 7, count: 32)

    @Test func `can be opened with their key and context only`() {
        let message = Array("a secret".utf8)
        let sealed = AESGCM.seal(message, key: key, context: [1])
        #expect(AESGCM.open(sealed, key: key, context: [1]) == message)
        #expect(AESGCM.open(sealed, key: key, context: [2]) == nil)
        #expect(AESGCM.open(sealed, key: [UInt8](repeating: 8, count: 32), context: [1]) == nil)
        for index in sealed.indices {
            var broken = sealed
            broken[index] ^= 1
            #expect(AESGCM.open(broken, key: key, context: [1]) == nil, "\(index)")
        }
        #expect(AESGCM.open([], key: key, context: []) == nil)
    }

    @Test func `differ each time`() {
        #expect(AESGCM.seal([1], key: key, context: []) != AESGCM.seal([1], key: key, context: []))
        #expect(AESGCM.open(AESGCM.seal([], key: key, context: []), key: key, context: []) == [])
    }

    @Test func `are those of the standard's test vector`() {
        // NIST test case 14: a zero key, a zero nonce, 16 zero bytes.
        let sealed = HexText.decode(
            "000000000000000000000000" + "cea7403d4d606b6e074ec5d3baf39d18"
                + "d0d1c8a799996bf0265b98b5d48ab919")
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(AESGCM.open(sealed ?? [], key: zeros, context: []) == [UInt8](repeating: 0, count: 16))
    }
}

@Suite struct `A secret key file` {
    @Test(arguments: [
        (String(repeating: "ab", count: 32), true),
        (" " + String(repeating: "AB", count: 32) + "\n", true),
        ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\n", true),
        ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urqw==", false), ("", false), ("password", false),
        (String(repeating: "ab", count: 31), false),
    ])
    func `holds 32 bytes in hex or base 64`(text: String, isKey: Bool) {
        #expect(SecretKeyFile.bytes(in: text) == (isKey ? [UInt8](repeating: 0xAB, count: 32) : nil))
    }
}
