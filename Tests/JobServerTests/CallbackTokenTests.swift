import DurableJobs
import JobKit
import JobStore
import OpenSSLCrypto
import Testing

@testable import JobServer

@Suite struct `The token of a callback URL` {
    private let job = JobID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private let key = SecretKey(bytes: [UInt8](repeating: 7, count: 32))

    private func token(_ path: [String] = ["printed"], round: Int = 0) -> CallbackToken {
        key.callbackToken(of: job, CallbackPlace(path: path, round: round))
    }

    @Test func `has a key that is derived as RFC 5869 says`() {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let first = HKDFSHA256.key(
            of: 42, from: secret, salt: Array(0x00...0x0C), info: Array(0xF0...0xF9))
        #expect(
            HexText.encode(first)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = HKDFSHA256.key(of: 42, from: secret, info: [])
        #expect(
            HexText.encode(third)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `is redacted for each tenant, whoever handed it out`() {
        let scrubbers = TenantScrubbers()
        let early = scrubbers[Tenant("early")]
        scrubbers.knowCallbacks()
        let text = "POST /callbacks/\(token().text) timed out"
        for scrubber in [early, scrubbers[Tenant("late")], scrubbers[nil], scrubbers.all] {
            #expect(!scrubber.scrubbed(text).contains(token().text))
        }
    }

    @Test func `is the same each time, and another one for another job, operation or round`() {
        #expect(token().text == token().text)
        let other = key.callbackToken(
            of: JobID(high: job.high, low: job.low + 1), CallbackPlace(path: ["printed"], round: 0))
        let texts = [token(), token(["loop", "1", "printed"]), token(round: 1), other].map(\.text)
        #expect(Set(texts).count == 4)
        let same = SecretKey(bytes: [UInt8](repeating: 7, count: 32))
        #expect(same.callbackToken(of: job, CallbackPlace(path: ["printed"], round: 0)).text == texts[0])
    }

    @Test func `is read back, also for the root and a deep operation`() throws {
        for path in [[], ["printed"], ["outer", "12", "inner-1", "wait_2"]] {
            let made = token(path, round: 3)
            let read = try #require(CallbackToken(made.text.utf8))
            #expect(read == made)
            #expect(key.hasMade(read))
        }
    }

    @Test func `is refused when a bit of it is another one`() throws {
        let text = Array(token().text.utf8)
        for index in text.indices {
            for byte in Array("Aa0-_".utf8) where text[index] != byte {
                var forged = text
                forged[index] = byte
                let read = CallbackToken(forged)
                #expect(!(read.map { key.hasMade($0) } ?? false))
            }
        }
        let others = [
            Array(text.dropLast()), text + [0x41], Array(text.dropFirst()), [], text + [0x3D],
        ]
        for forged in others {
            let read = CallbackToken(forged)
            #expect(!(read.map { key.hasMade($0) } ?? false))
        }
    }

    @Test func `of a key that was replaced is still known, and new ones have the new key`() throws {
        let old = [UInt8](repeating: 7, count: 32)
        let rotated = SecretKey(bytes: [UInt8](repeating: 9, count: 32), former: [old])
        #expect(rotated.hasMade(token()))
        let new = rotated.callbackToken(of: job, token().place)
        #expect(rotated.hasMade(new))
        #expect(!key.hasMade(new))
        #expect(!SecretKey(bytes: [UInt8](repeating: 9, count: 32)).hasMade(token()))
        let sealed = key.seal(SecretValue(bytes: [1, 2], isText: false), name: "a", version: 1)
        #expect(rotated.open(sealed, name: "a", version: 1)?.bytes == [1, 2])
    }

    @Test func `is redacted wherever it stands, also one that this process has not made`() {
        let scrubber = SecretScrubber()
        let (url, other) = ("https://a.example/callbacks/\(token().text)", token(["other"]).text)
        scrubber.know(callbackURL: url)
        #expect(
            scrubber.scrubbed("see \(url)/heartbeat now")
                == "see https://a.example/callbacks/***/heartbeat now")
        #expect(scrubber.scrubbed("{\"url\":\"\(other)\"}") == "{\"url\":\"***\"}")
        let escaped = other.replacing("_", with: "%5F")
        #expect(!scrubber.scrubbed("a=\(escaped)&b=1").contains(escaped.suffix(20)))
        #expect(scrubber.scrubbed("jcb is no token, nor is jcb1") == "jcb is no token, nor is jcb1")
    }

    @Test func `is hidden in the paths that are logged`() {
        let path = Array("/jobs/callbacks/\(token().text)/fail".utf8)
        #expect(String(decoding: CallbackPath.shown(path[...]), as: UTF8.self) == "/jobs/callbacks/***")
        #expect(CallbackPath.shown(Array("/v1/jobs".utf8)[...]).elementsEqual("/v1/jobs".utf8))
        for mark in ["jcb1_", "jcb1%5F", "jcb1%5f"] {
            let token = token().text.replacing("jcb1_", with: mark)
            for astray in ["/\(token)", "/v1/jobs/\(token)/events", "/\(token)/callbacks/x"] {
                let path = Array(astray.utf8)[...]
                #expect(CallbackPath.isAstray(path), "\(astray)")
                #expect(String(decoding: CallbackPath.shown(path), as: UTF8.self) == "/callbacks/***")
            }
        }
    }

    @Test func `is not taken for a name that only begins like one`() {
        let long = String(repeating: "a-long-name.", count: 8)
        for name in ["jcb1", "jcb1_mail", "jcb1-\(long)", "\(long)jcb1_\(long)", "jcb1%5fmail.\(long)"] {
            let path = Array("/v1/templates/\(name)".utf8)[...]
            #expect(!CallbackPath.isAstray(path), "\(name)")
            #expect(CallbackPath.shown(path) == path)
        }
    }
}
