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

    private static let standard = TrustedProxies(
        [CIDR("127.0.0.1"), CIDR("10.0.0.0/8")].compactMap(\.self), family: .forwarded, userField: "X-User")

    @Test(arguments: [
        ("for=203.0.113.7", "203.0.113.7"), ("For=\"[2001:db8::7]:4711\"", "2001:db8::7"),
        ("for=1.2.3.4, for=203.0.113.7;proto=https;by=10.1.1.1", "203.0.113.7"),
        ("for=203.0.113.7, for=10.1.2.3", "203.0.113.7"), ("proto=https; for=203.0.113.7:80", "203.0.113.7"),
        ("for=1.2.3.4, for=unknown", "127.0.0.1"), ("for=1.2.3.4, for=_hidden", "127.0.0.1"),
        ("for=1.2.3.4, proto=https", "127.0.0.1"), ("for=\"203.0.113.7", "127.0.0.1"), ("for", "127.0.0.1"),
        ("\", for=203.0.113.7", "203.0.113.7"), ("for=\"1.2.3.4, for=\"203.0.113.7:80\"", "203.0.113.7"),
        ("for=203.0.113.7;host=\"a,b;c\\\"d\"", "203.0.113.7"), ("", "127.0.0.1"),
    ])
    func `determines the client by the standard field`(sent: String, client: String) throws {
        let fields: HTTPFields = ["Forwarded": sent, "X-Forwarded-For": "9.9.9.9"]
        let peer = try #require(IPAddress("127.0.0.1"))
        #expect(Self.standard.client(of: fields, from: peer).description == client)
        let stranger = try #require(IPAddress("203.0.113.99"))
        #expect(Self.standard.client(of: fields, from: stranger) == stranger)
        // A client may send the field of the other family, which its proxy passes on.
        #expect(proxies.client(of: fields, from: peer).description == "9.9.9.9")
    }

    @Test func `tells host, scheme and user, unlike another peer`() throws {
        let peer = try #require(IPAddress("127.0.0.1"))
        let stranger = try #require(IPAddress("203.0.113.99"))
        let one: HTTPFields = [
            "Forwarded": "host=evil, host=\"jobs.example:8443\";proto=HTTPS", "X-User": "ada@example.com",
        ]
        #expect(Self.standard.host(of: one, from: peer) == "jobs.example:8443")
        #expect(Self.standard.isSecure(one, from: peer))
        #expect(Self.standard.user(of: one, from: peer) == "ada@example.com")
        let other: HTTPFields = ["X-Forwarded-Host": "evil, jobs.example", "X-Forwarded-Proto": "https"]
        #expect(proxies.host(of: other, from: peer) == "jobs.example")
        #expect(proxies.isSecure(other, from: peer))
        for fields in [one, other] {
            #expect(Self.standard.host(of: fields, from: stranger) == nil)
            #expect(!Self.standard.isSecure(fields, from: stranger))
            #expect(Self.standard.user(of: fields, from: stranger) == nil)
        }
        let two: HTTPFields = ["X-User": "ada", "x-user": "eve"]
        #expect(Self.standard.user(of: two, from: peer) == nil)
        #expect(proxies.user(of: one, from: peer) == nil)
    }

    @Test(arguments: [
        ("/jobs/v1/jobs", "/v1/jobs"), ("/jobs/", "/"), ("/jobs", "/jobs"), ("/jobsx/v1", "/jobsx/v1"),
        ("/v1/jobs", "/v1/jobs"), ("/", "/"),
    ])
    func `may keep the configured prefix or strip it`(path: String, routed: String) throws {
        let prefix = try #require(PathPrefix("/jobs/"))
        #expect(prefix.stripped(from: Array(path.utf8)[...]).elementsEqual(routed.utf8))
        #expect(PathPrefix().stripped(from: Array(path.utf8)[...]).elementsEqual(path.utf8))
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
