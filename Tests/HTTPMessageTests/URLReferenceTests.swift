import HTTPMessage
import Testing

/// References to URLs in answers and specs.
@Suite struct `A reference to a URL` {
    /// The examples of RFC 3986 §5.4 that end in http or https.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("http://b/x/../y", "http://b/y"), ("1:2", "http://a/b/c/1:2"),
    ])
    func `is resolved according to RFC 3986`(reference: String, url: String) throws {
        #expect(try URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == url)
    }

    @Test(arguments: [
        ("/status of 7", "https://a.example/status%20of%207"), (" /x ", "https://a.example/x"),
        ("/caf\u{e9}", "https://a.example/caf%C3%A9"), ("/\"x\"?<y>", "https://a.example/%22x%22?%3Cy%3E"),
        ("HTTPS://B.Example:443", "https://b.example/"), ("/a|b^c`d", "https://a.example/a|b^c`d"),
    ])
    func `is repaired where its meaning is plain`(reference: String, url: String) throws {
        #expect(try URLReference.resolve(reference, against: "https://a.example/p") == url)
    }

    @Test(arguments: [
        ("/100%", URLPartsError.Code.escape), ("/%zz", .escape), ("/a\\b", .character),
        ("ftp://b.example/", .scheme),
        ("javascript:alert(1)", .scheme), ("http:x", .scheme), ("https://u:p@b.example/", .userInformation),
        ("https://b\u{fc}cher.example/", .host), ("/" + String(repeating: "x", count: 8 << 10), .tooLong),
        ("https://b.example:0/", .port),
    ])
    func `reports why it cannot be called`(reference: String, code: URLPartsError.Code) {
        do throws(URLPartsError) {
            let url = try URLReference.resolve(reference, against: "https://a.example/")
            Issue.record("\(url)")
        } catch {
            #expect(error.code == code)
        }
    }

    @Test(arguments: [
        ("x", "https://a.example/v/x"), ("../x", "https://a.example/x"),
        ("/x/../y", "https://a.example/x/../y"),
        ("?q=../", "https://a.example/v/?q=../"), ("https://b.example/x/./y", "https://b.example/x/./y"),
        ("//b.example/..", "https://b.example/.."),
    ])
    func `in a spec stays as written, except for a path without a leading slash`(
        written: String, url: String
    ) throws {
        #expect(try URLReference.complete(written, from: "https://a.example/v/") == url)
    }

    @Test(arguments: [
        ("HTTP://A.Example:80", "http://a.example/"), ("https://a.example:443/x?", "https://a.example/x?"),
        ("https://a.example:8443/../x", "https://a.example:8443/../x"),
        ("https://a.example?q", "https://a.example/?q"),
        ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/"), ("http://a.example:080/", "http://a.example/"),
        ("no URL", "no URL"),
    ])
    func `has one spelling in which it is sent`(url: String, sent: String) {
        #expect(URLReference.normalized(url) == sent)
    }
}
