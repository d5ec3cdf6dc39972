import HTTPMessage
import Testing

@testable import JobServer

@Suite struct `A trusted proxy` {
    private let proxies = TrustedProxies(
        [CIDR("127.0.0.1"), CIDR("10.0.0.0/8"), CIDR("fd00::/8")].compactMap(\.self))

    private func client(_ forwarded: String?, from peer: String) throws -> String {
        var fields = HTTPFields()
        if let forwarded { fields.add("X-Forwarded-For", forwarded) }
        return proxies.client(of: fields, from: try #require(IPAddress(peer))).description
    }

    @Test(arguments: [
        ("203.0.113.7", "127.0.0.1", "203.0.113.7"), ("1.2.3.4, 203.0.113.7", "127.0.0.1", "203.0.113.7"),
        ("203.0.113.7, 10.1.2.3", "127.0.0.1", "203.0.113.7"),
        ("203.0.113.7:4711", "10.9.9.9", "203.0.113.7"),
        ("[2001:db8::7]:4711", "fd00::1", "2001:db8::7"), ("2001:db8::7", "fd00::1", "2001:db8::7"),
        ("::ffff:203.0.113.7", "127.0.0.1", "203.0.113.7"), ("10.1.1.1,10.2.2.2", "127.0.0.1", "10.1.1.1"),
    ])
    func `determines the client`(forwarded: String, peer: String, client: String) throws {
        #expect(try self.client(forwarded, from: peer) == client)
    }

    @Test(arguments: ["unknown", "", "203.0.113.7, nonsense", ",,"])
    func `counts as the client when its fields are unreadable`(forwarded: String) throws {
        #expect(try client(forwarded, from: "127.0.0.1") == "127.0.0.1")
        #expect(try client(nil, from: "127.0.0.1") == "127.0.0.1")
    }

    @Test func `is trusted, and no other peer`() throws {
        #expect(try client("203.0.113.7", from: "203.0.113.99") == "203.0.113.99")
        let fields: HTTPFields = ["X-Forwarded-Prefix": "/jobs"]
        #expect(proxies.prefix(of: fields, from: try #require(IPAddress("203.0.113.99"))) == "")
        #expect(TrustedProxies().prefix(of: fields, from: try #require(IPAddress("127.0.0.1"))) == "")
    }

    @Test(arguments: [
        ("/jobs", "/jobs"), ("/a/b/", "/a/b"), ("/", ""), ("", ""), ("jobs", ""), ("//evil.example", ""),
        ("/a/../b", ""), ("/a?b", ""), ("http://evil.example/", ""), ("/a b", ""), ("/a%20b", "/a%20b"),
    ])
    func `states the stripped prefix`(sent: String, prefix: String) throws {
        let fields: HTTPFields = ["X-Forwarded-Prefix": sent]
        #expect(proxies.prefix(of: fields, from: try #require(IPAddress("127.0.0.1"))) == prefix)
    }
}
