import HTTPMessage
import Testing

@Suite struct `A URL` {
    @Test func `is taken apart`() throws {
        let url = try URLParts("HTTPS://Example.COM:8443/a%20b?c=d")
        #expect(url.isHTTPS && url.host == "example.com" && url.port == 8443)
        #expect(url.path == "/a%20b" && url.query == "c=d" && url.origin == "https://example.com:8443")
        let plain = try URLParts("http://[2001:DB8::1]")
        #expect(plain.host == "2001:db8::1" && plain.address != nil && plain.port == 80)
        #expect(plain.path == "/" && plain.query == nil && plain.origin == "http://[2001:db8::1]")
        #expect(try URLParts("http://192.0.2.1?x").address == IPAddress("192.0.2.1"))
        #expect(try URLParts("https://a:443").origin == "https://a")
        #expect(try URLParts("http://xn--bcher-kva.example./").host == "xn--bcher-kva.example.")
    }

    @Test(arguments: [
        ("", URLPartsError.Code.empty, 0), ("example.com", .scheme, 0), ("ftp://a/", .scheme, 0),
        ("http:/a", .scheme, 0), ("file:///etc/passwd", .scheme, 0), ("//a/b", .scheme, 0),
        ("http://", .host, 7), ("http:///a", .host, 7), ("http://?a", .host, 7),
        ("http://u:p@h/", .userInformation, 10),
        ("http://h@/", .userInformation, 8), ("http://a b/", .character, 8),
        ("http://a/\u{E9}", .character, 9),
        ("http://\u{E9}/", .character, 7), ("http://a\\@b/", .character, 8), ("http://a/\r\n", .character, 9),
        ("http://a:0/", .port, 8), ("http://a:65536/", .port, 8), ("http://a:/", .port, 8),
        ("http://a:x/", .port, 8),
        ("http://[::1/", .host, 7), ("http://[::1]x/", .port, 12), ("http://[1.2.3.4]/", .host, 7),
        ("http://[fe80::1%25eth0]/", .host, 7), ("http://a%41/", .host, 8), ("http://a..b/", .host, 7),
        ("http://127.1/", .host, 7), ("http://2130706433/", .host, 7), ("http://0x7f.1/", .host, 7),
        ("http://0177.0.0.1/", .host, 7), ("http://1.2.3.4.5/", .host, 7), ("http://256.1.1.1/", .host, 7),
        ("http://a.0x1/", .host, 7), ("http://a/#b", .fragment, 9), ("http://a/%zz", .escape, 9),
        ("http://a/<", .character, 9), ("http://a,b/", .host, 8),
    ])
    func `is refused with its place and a remedy`(text: String, code: URLPartsError.Code, offset: Int) {
        let error = #expect(throws: URLPartsError.self) { try URLParts(text) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
        #expect(error?.suggestion.isEmpty == false)
    }

    @Test func `has a limited length`() {
        let error = #expect(throws: URLPartsError.self) {
            try URLParts("http://a/" + String(repeating: "b", count: 8200))
        }
        #expect(error?.code == .tooLong)
    }
}

@Suite struct `Percent-encoding` {
    @Test(arguments: [
        (PercentCoding.Place.anywhere, "a%20%2F%3F%23%26%3D%2B%3A%40%25%C3%A9~-._"),
        (.pathSegment, "a%20%2F%3F%23&=+:@%25%C3%A9~-._"), (.path, "a%20/%3F%23&=+:@%25%C3%A9~-._"),
        (.queryPart, "a%20/?%23%26%3D%2B:@%25%C3%A9~-._"), (.form, "a+%2F%3F%23%26%3D%2B%3A%40%25%C3%A9~-._"),
        (.reserved, "a%20/?#&=+:@%25%C3%A9~-._"),
    ])
    func `keeps valid characters`(place: PercentCoding.Place, encoded: String) {
        #expect(PercentCoding.encode("a /?#&=+:@%é~-._", for: place) == encoded)
    }

    @Test func `comes back from every place`() {
        for place in PercentCoding.Place.allCases where place != .reserved {
            for text in ["", "a b+c&d=é/?#[]@!$'()*,;%", "\u{0}\u{7F}"] {
                let encoded = PercentCoding.encode(text, for: place)
                #expect(PercentCoding.decode(encoded, plusIsSpace: place == .form) == text)
            }
        }
    }

    @Test(arguments: ["%", "%1", "%g0", "a%", "%C3", "%FF"])
    func `is not undone when malformed`(text: String) {
        #expect(PercentCoding.decode(text) == nil)
    }
}
