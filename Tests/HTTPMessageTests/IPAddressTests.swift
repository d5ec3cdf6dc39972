import HTTPMessage
import Testing

@Suite struct `An IP address` {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::ffff:7f00:1", "::ffff:127.0.0.1"),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("fe80:0:0:0:0:0:0:1", "fe80::1"),
    ])
    func `has one canonical text`(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "1.2.3.4 ", "0x7f.0.0.1", "127.1", ":", ":::",
        "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::12345", "fe80::1%eth0", "[::1]", "1:",
        "::1:", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::g",
    ])
    func `is not made from text that is none`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `comes back from its bytes`() {
        for text in ["10.1.2.3", "2001:db8::ff00:42:8329"] {
            let address = IPAddress(text)
            #expect(address != nil)
            #expect(IPAddress(bytes: address?.bytes ?? []) == address)
        }
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test func `that is mapped into IPv6 unmaps to the IPv4 one`() {
        #expect(IPAddress("::ffff:10.0.0.1")?.unmapped == IPAddress("10.0.0.1"))
        #expect(IPAddress("2001:db8::1")?.unmapped == IPAddress("2001:db8::1"))
    }
}
