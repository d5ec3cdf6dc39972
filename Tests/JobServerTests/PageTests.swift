import HTTPMessage
import Testing

@testable import JobServer

@Suite struct `The page as one file` {
    private func bundle(_ files: [String: String], _ path: String = "main.js") -> String? {
        PageBundle.make(path) { files[$0].map { Array($0.utf8) } }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `has each module once, after its imports`() {
        let files = [
            "main.js":
                "import { say } from \"./A/a.js\";\nimport { seven } from \"./B/b.js\";\nsay(seven);\n",
            "A/a.js":
                "import { seven } from \"../B/b.js\";\n/** Says it. */\nexport function say() {\n  return seven; // It.\n}\n",
            "B/b.js":
                "// A constant.\nexport const seven = 7;\n\n/*\n * More.\n */\nconst text = \"import x\";\n",
        ]
        let script = """
            const seven = 7;
            const text = "import x";
            function say() {
              return seven; // It.
            }
            say(seven);

            """
        #expect(bundle(files) == script)
    }

    @Test func `bundles style sheets, too`() {
        let files = [
            "main.css": "@import \"View/a.css\";\nb { c: d; }\n",
            "View/a.css": "/* A. */\na {\n  b: c;\n}\n",
        ]
        #expect(bundle(files, "main.css") == "a {\n  b: c;\n}\nb { c: d; }\n")
    }

    @Test func `is absent without its first file`() { #expect(bundle([:]) == nil) }

    @Test func `is at most 100 KB as it is sent`() throws {
        let files = EmbeddedFile.page()
        let sizes = try ["index.html", "icon.svg", "main.js", "main.css"].map { path throws -> Int in
            let plain = try #require(PageBundle.make(path) { files[$0] })
            return try #require(Gzip.pack(plain)).count
        }
        #expect(sizes.reduce(0, +) <= 100_000, "\(sizes)")
    }

    @Test(arguments: [
        ("gzip", true), ("br, GZIP ; q=0.5", true), ("*;q=0.1", true), ("identity, *;q=0, gzip", true),
        ("gzip;q=0", false), ("*, gzip; q=0.000", false), ("identity", false), ("*;q=0", false), ("", false),
    ])
    func `is sent packed to clients that accept gzip`(coding: String, isPacked: Bool) throws {
        let file = try #require(PageFile(path: "main.css", bytes: Array("a { b: c; }\n".utf8)))
        let answer = file.answer(to: ["Accept-Encoding": coding])
        #expect(answer.fields.contains("content-encoding") == isPacked)
        #expect(answer.fields.first("vary")?.elementsEqual("Accept-Encoding".utf8) == true)
    }

    @Test func `is embedded in the program`() throws {
        let files = EmbeddedFile.page()
        let bytes = try #require(PageBundle.make("main.js") { files[$0] })
        #expect(bytes.count > 50_000)
        let script = String(decoding: bytes, as: UTF8.self)
        for start in ["import ", "export ", "//", "/*"] { #expect(!script.contains("\n" + start)) }
    }
}

@Suite struct `The sessions of the page` {
    private func head(
        _ method: String = "GET", cookie: String?, _ fields: [(String, String)] = []
    ) throws -> HTTPRequestHead {
        var text = "\(method) /v1/jobs HTTP/1.0\r\n"
        if let cookie { text += "Cookie: \(cookie)\r\n" }
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        let bytes = Array((text + "\r\n").utf8)
        var parser = HTTPRequestParser()
        var position = 0
        guard case .head(let head) = parser.next(bytes.span, from: &position) else { throw NoHead() }
        return head
    }

    private struct NoHead: Error {}

    private let token: [UInt8] = [1, 2, 3]

    @Test func `are found by their cookie among others`() throws {
        let sessions = PageSessions()
        let value = sessions.begin(tokenDigest: token)
        let marked = "a=\u{600}; jobserver_session=\(value);\u{301}c=d"
        for cookie in ["jobserver_session=\(value)", "a=b; jobserver_session=\(value); c=d", marked] {
            #expect(sessions.tokenDigest(of: try head(cookie: cookie)) == token)
        }
        let stale = "jobserver_session=old; jobserver_session=\(value)"
        #expect(sessions.tokenDigest(of: try head(cookie: stale)) == token)
    }

    @Test(arguments: [nil, "", "jobserver_session", "jobserver_session=", "jobserver_session=mine", "x=y"])
    func `are created by the server only`(cookie: String?) throws {
        let sessions = PageSessions()
        _ = sessions.begin(tokenDigest: token)
        #expect(sessions.tokenDigest(of: try head(cookie: cookie)) == nil)
    }

    @Test func `end after twelve hours, or when they are ended`() throws {
        let sessions = PageSessions()
        let now = ContinuousClock.now
        let value = sessions.begin(tokenDigest: token, now: now)
        let asked = try head(cookie: "jobserver_session=\(value)")
        #expect(sessions.tokenDigest(of: asked, now: now + .seconds(43_199)) == token)
        #expect(sessions.tokenDigest(of: asked, now: now + .seconds(43_200)) == nil)
        sessions.end(of: asked)
        #expect(sessions.tokenDigest(of: asked, now: now) == nil)
    }

    @Test func `are limited in number`() throws {
        let sessions = PageSessions(countMax: 2)
        let now = ContinuousClock.now
        let values = (0..<3).map { sessions.begin(tokenDigest: token, now: now + .seconds($0)) }
        let known = try values.map {
            sessions.tokenDigest(of: try head(cookie: "jobserver_session=\($0)"), now: now + .seconds(3))
                != nil
        }
        #expect(known == [false, true, true])
    }

    @Test func `of one token never end those of another`() throws {
        let sessions = PageSessions()
        let now = ContinuousClock.now
        let other = sessions.begin(tokenDigest: [9], now: now)
        let values = (1...1_100).map {
            sessions.begin(tokenDigest: token, now: now + .milliseconds($0))
        }
        let later = now + .seconds(2)
        #expect(sessions.tokenDigest(of: try head(cookie: "jobserver_session=\(other)"), now: later) == [9])
        let known = try values.filter {
            sessions.tokenDigest(of: try head(cookie: "jobserver_session=\($0)"), now: later) != nil
        }
        #expect(known == Array(values.suffix(20)))
    }

    @Test(arguments: [
        ("GET", "cross-site", false), ("GET", "same-site", false), ("GET", "same-origin", true),
        ("GET", "none", true), ("POST", "same-origin", true), ("POST", "cross-site", false),
    ])
    func `are valid for pages of this server only`(method: String, site: String, counts: Bool) throws {
        let sessions = PageSessions()
        let cookie = "jobserver_session=\(sessions.begin(tokenDigest: token))"
        let asked = try head(method, cookie: cookie, [("Sec-Fetch-Site", site)])
        #expect((sessions.tokenDigest(of: asked) != nil) == counts)
    }

    @Test func `permit no changes without origin fields`() throws {
        let sessions = PageSessions()
        let cookie = "jobserver_session=\(sessions.begin(tokenDigest: token))"
        #expect(sessions.tokenDigest(of: try head("POST", cookie: cookie)) == nil)
        #expect(sessions.tokenDigest(of: try head("GET", cookie: cookie)) == token)
        let said = try head("POST", cookie: cookie, [("Origin", "http://localhost")])
        #expect(sessions.tokenDigest(of: said) == token)
    }
}
