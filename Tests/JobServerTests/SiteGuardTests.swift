import HTTPMessage
import Testing

@testable import JobServer

@Suite struct `The guard against other sites` {
    private func verdict(
        _ method: String = "GET", host: String?, checksHost: Bool = true, names: [String] = [],
        isPageReadOnly: Bool = false, _ fields: [(String, String)] = []
    ) throws -> SiteGuard.Verdict {
        var text = "\(method) / HTTP/1.0\r\n"
        if let host { text += "Host: \(host)\r\n" }
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        let bytes = Array((text + "\r\n").utf8)
        var parser = HTTPRequestParser()
        var position = 0
        guard case .head(let head) = parser.next(bytes.span, from: &position) else {
            Issue.record("no head: \(text)")
            return .fine
        }
        return SiteGuard(checksHost: checksHost, names: names, isPageReadOnly: isPageReadOnly)
            .verdict(on: head, path: head.target.pathBytes)
    }

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST", "localhost.", "jobs.localhost:1", "127.0.0.1:8080",
        "127.1.2.3", "192.168.1.7:80", "[::1]:8080", "[fd00::1]", "Build-Box", "build-box:8080",
    ])
    func `serves requests for this machine's names`(host: String) throws {
        #expect(try verdict(host: host, names: ["build-box"]) == .fine)
    }

    @Test(arguments: [
        ("evil.example", "evil.example"), ("evil.example:8080", "evil.example"),
        ("localhost.evil.example", "localhost.evil.example"), ("notlocalhost", "notlocalhost"),
        ("127.0.0.1.evil.example", "127.0.0.1.evil.example"), ("0x7f.1", "0x7f.1"),
    ])
    func `refuses a name that a stranger may own`(host: String, name: String) throws {
        #expect(try verdict(host: host) == .otherHost(name))
        #expect(try verdict(host: host, checksHost: false) == .fine)
        #expect(try verdict(host: host, names: [name.uppercased()]) == .fine)
    }

    @Test func `serves programs that name no host`() throws {
        #expect(try verdict(host: nil) == .fine)
    }

    @Test(arguments: ["cross-site", "same-site", "odd"])
    func `refuses changes that a browser marks as cross-site`(site: String) throws {
        let fields = [("Sec-Fetch-Site", site), ("Origin", "http://evil.example")]
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            #expect(try verdict(method, host: "localhost", fields) == .otherSite("http://evil.example"))
        }
        #expect(
            try verdict("POST", host: "x", checksHost: false, [("Sec-Fetch-Site", site)]) == .otherSite(site))
        #expect(try verdict("GET", host: "localhost", fields) == .fine)
        #expect(try verdict("HEAD", host: "localhost", fields) == .fine)
    }

    @Test(arguments: ["same-origin", "none"])
    func `lets its own pages and typed addresses change something`(site: String) throws {
        let fields = [("Sec-Fetch-Site", site), ("Origin", "https://jobs.example")]
        #expect(try verdict("POST", host: "127.0.0.1", fields) == .fine)
    }

    @Test func `lets pages of its own only look when that is said`() throws {
        let page = [("Sec-Fetch-Site", "same-origin")]
        #expect(try verdict("POST", host: "localhost", isPageReadOnly: true, page) == .readOnlyPage)
        #expect(
            try verdict("PUT", host: "localhost", isPageReadOnly: true, [("Origin", "http://localhost")])
                == .readOnlyPage)
        #expect(try verdict("GET", host: "localhost", isPageReadOnly: true, page) == .fine)
        #expect(try verdict("POST", host: "localhost", isPageReadOnly: true) == .fine)
        let other = [("Sec-Fetch-Site", "cross-site")]
        #expect(
            try verdict("POST", host: "localhost", isPageReadOnly: true, other) == .otherSite("cross-site"))
    }

    @Test(arguments: [
        ("http://localhost:8080", true), ("http://LOCALHOST:8080", true), ("http://localhost", false),
        ("http://evil.example", false), ("http://localhost:8080.evil.example", false), ("null", false),
        ("", false),
        // Behind a proxy the Host may be another one.
        ("https://jobs.example", true), ("https://jobs.example:443", true), ("http://JOBS.example:80", true),
        ("http://jobs.example:8080", true),
        // Another service of that machine.
        ("https://jobs.example:8443", false), ("http://jobs.example:443", false),
        ("http://jobs.example:808", false), ("https://jobs.example:8080.evil.example", false),
    ])
    func `compares the origin with the host for older browsers`(origin: String, isFine: Bool) throws {
        let found = try verdict(
            "POST", host: "localhost:8080", names: ["jobs.example"], [("Origin", origin)])
        #expect(found == (isFine ? .fine : .otherSite(origin)))
    }

    @Test func `finds no port to compare in a host without one`() throws {
        for host in ["jobs.example", nil] {
            let other = [("Origin", "http://jobs.example:9090")]
            #expect(
                try verdict("POST", host: host, names: ["jobs.example"], other)
                    == .otherSite("http://jobs.example:9090"))
            let own = [("Origin", "https://jobs.example")]
            #expect(try verdict("POST", host: host, names: ["jobs.example"], own) == .fine)
        }
    }
}
