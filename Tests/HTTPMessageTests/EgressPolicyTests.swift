import HTTPMessage
import Testing

@Suite struct `An egress policy` {
    private let policy = EgressPolicy()

    /// First and last address of each special block of IPv4.
    @Test(arguments: [
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"), ("100.64.0.0", "100.127.255.255"),
        ("127.0.0.0", "127.255.255.255"), ("169.254.0.0", "169.254.255.255"),
        ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"), ("192.88.99.0", "192.88.99.255"),
        ("192.168.0.0", "192.168.255.255"), ("198.18.0.0", "198.19.255.255"),
        ("198.51.100.0", "198.51.100.255"),
        ("203.0.113.0", "203.0.113.255"), ("224.0.0.0", "255.255.255.255"),
        ("168.63.129.16", "168.63.129.16"),
    ])
    func `blocks every special block of IPv4 and nothing beside it`(first: String, last: String) throws {
        let low = try #require(IPAddress(first)).low
        let high = try #require(IPAddress(last)).low
        for bits in [low, high, low + (high - low) / 2] {
            let address = IPAddress(v4: UInt32(bits))
            for form in Self.forms(of: address) {
                #expect(!policy.verdict(for: form).isAllowed, "\(form) for \(address)")
            }
        }
        for bits in [low &- 1, high + 1] where bits > 0 && bits < 1 << 32 {
            let address = IPAddress(v4: UInt32(bits))
            #expect(policy.verdict(for: address) == .allowed, "\(address)")
            #expect(policy.verdict(for: IPAddress(v6High: 0, low: 0xFFFF << 32 | bits)) == .allowed)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", EgressPolicy.Reason.loopback), ("::1", .loopback), ("0.0.0.0", .unspecified),
        ("::", .unspecified),
        ("10.1.2.3", .privateNetwork), ("fd12::1", .privateNetwork), ("fec0::1", .privateNetwork),
        ("169.254.1.1", .linkLocal), ("fe80::1", .linkLocal), ("169.254.169.254", .metadata),
        ("fd00:ec2::254", .metadata), ("100.100.100.200", .metadata), ("100.64.0.1", .carrierGradeNAT),
        ("224.0.0.1", .multicast), ("ff02::1", .multicast), ("240.0.0.1", .reserved),
        ("255.255.255.255", .reserved),
        ("192.0.2.1", .documentation), ("2001:db8::1", .documentation), ("3fff::1", .documentation),
        ("198.18.0.1", .benchmarking), ("2001:2::1", .benchmarking), ("64:ff9b:1::1", .reserved),
        ("100::1", .reserved),
        ("5f00::1", .reserved), ("4000::1", .reserved), ("2001:10::1", .reserved),
        ("::ffff:127.0.0.1", .loopback),
        ("64:ff9b::10.0.0.1", .privateNetwork), ("2002:7f00:1::1", .loopback), ("2002:808:808::1", .tunnel),
        ("2001:0:1:2::80ff:fffe", .loopback), ("::127.0.0.1", .loopback),
        ("::ffff:0:10.0.0.1", .privateNetwork),
    ])
    func `names the kind of a blocked address`(text: String, reason: EgressPolicy.Reason) throws {
        #expect(policy.verdict(for: try #require(IPAddress(text))) == .blocked(reason: reason))
        #expect(policy.literalVerdict(forHost: text) == .blocked(reason: reason))
        #expect(!reason.text.isEmpty)
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
        "223.255.255.255",
        "2606:4700::1111", "2a00:1450::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8", "2001:200::1",
        "3ffe:ffff::1",
    ])
    func `lets public addresses through`(text: String) throws {
        #expect(policy.verdict(for: try #require(IPAddress(text))) == .allowed)
    }

    @Test(arguments: [
        "127.1", "2130706433", "017700000001", "0x7f.1", "0x7f000001", "0", "127.0.0.1.", "0177.0.0.01",
        "[::1]",
        "[::ffff:7f00:1]", "[::]", "localhost", "LOCALHOST", "localhost.", "foo.localhost", "127.0.0.1..",
        "0x",
        "[0:0:0:0:0:0:0:1]", "10.1", "0xA9FEA9FE", "169.254.43518", "0300.0250.1", "%31%32%37.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1", "", ".", "127.0.0.1%00", "[fe80::1%25eth0]", "1.2.3.4.5", "999.1", "a.1", "a b", "a\\b",
        "0x7g.0x1",
    ])
    func `recognises an address in any spelling`(host: String) {
        #expect(!policy.literalVerdict(forHost: host).isAllowed)
    }

    @Test(arguments: [
        "example.com", "localhost.example.com", "a1.b2", "0x7f.example", "xn--bcher-kva.example", "134744072",
    ])
    func `leaves names to be decided on their address`(host: String) {
        #expect(policy.literalVerdict(forHost: host) == .allowed)
    }

    @Test func `permits configured ranges, in every form`() throws {
        let opened = EgressPolicy(allow: [
            try #require(CIDR("127.0.0.0/8")), try #require(CIDR("fd00::/8")),
        ])
        for text in ["127.0.0.1", "::ffff:127.1.2.3", "fd00::1"] {
            #expect(opened.verdict(for: try #require(IPAddress(text))) == .allowed)
        }
        #expect(opened.literalVerdict(forHost: "localhost") == .allowed)
        #expect(opened.literalVerdict(forHost: "127.1") == .allowed)
        #expect(!opened.verdict(for: try #require(IPAddress("10.0.0.1"))).isAllowed)
        #expect(!opened.verdict(for: try #require(IPAddress("::1"))).isAllowed)
    }

    /// The IPv6 addresses that embed an IPv4 one.
    private static func forms(of address: IPAddress) -> [IPAddress] {
        let bits = address.low
        return [
            address, IPAddress(v6High: 0, low: 0xFFFF << 32 | bits),
            IPAddress(v6High: 0x0064_FF9B << 32, low: bits),
            IPAddress(v6High: 0x2002 << 48 | bits << 16, low: 1),
            IPAddress(v6High: 0x2001_0000 << 32, low: ~bits & 0xFFFF_FFFF), IPAddress(v6High: 0, low: bits),
            IPAddress(v6High: 0, low: 0xFFFF_0000 << 32 | bits),
        ]
    }
}

@Suite struct `An address range` {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"), ("192.168.1.1", "192.168.1.1", "192.168.1.2"),
        ("0.0.0.0/0", "255.255.255.255", "::1"), ("fd00::/8", "fdff::1", "fe00::"),
        ("::/0", "ffff::", "1.2.3.4"),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", "2001:db8:0:0:8000::"), ("::1", "::1", "::2"),
        ("128.0.0.0/1", "255.0.0.0", "127.0.0.0"),
    ])
    func `contains the addresses with its prefix`(range: String, inside: String, outside: String) throws {
        let range = try #require(CIDR(range))
        #expect(range.contains(try #require(IPAddress(inside))))
        #expect(!range.contains(try #require(IPAddress(outside))))
        #expect(CIDR(range.description) == range)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.1/8", "10/8", "::/129",
        "fd00::1/8",
        "10.0.0.0/8/8", "10.0.0.0/+8", "10.0.0.0/8 ", "a/8", "10.0.0.0/999999999999999999999",
    ])
    func `is not made from malformed text`(text: String) {
        #expect(CIDR(text) == nil)
    }
}
