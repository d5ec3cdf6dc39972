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
        #expect(bundle(files) == "let a=7,c=\"import x\",b=()=>a;b(a);\n")
    }

    @Test func `bundles style sheets, too`() {
        let files = [
            "main.css": "@import \"View/a.css\";\nb { c: d; }\n",
            "View/a.css": "/* A. */\na {\n  b: c;\n}\n",
        ]
        #expect(bundle(files, "main.css") == "a{b:c}b{c:d}\n")
    }

    @Test func `is absent without its first file`() { #expect(bundle([:]) == nil) }

    @Test(arguments: [
        ("window.x = 1 + +2 - -3;", "window.x=1+ +2- -3;"),
        ("fetch(\"a = b\", 'c \\' d', null)", "fetch(\"a = b\",'c \\' d',null)"),
        ("fetch(`a ${1 + `c ${2} ` } e { f } ` + 1.5);", "fetch(`a ${1+`c ${2} `} e { f } `+1.5);"),
        (
            "window.t.replace(/ [/ \"] /g, \"a b\") / 2 / 3;",
            "window.t.replace(/ [/ \"] /g,\"a b\")/2/3;"
        ), ("if (this.x) { return /a b/; }", "if(this.x){return/a b/}"),
        (
            "if (window.true === undefined) { return true; } send({ true: false });",
            "if(window.true===void 0){return!0}a({true:!1});"
        ),
    ])
    func `has no insignificant spaces`(line: String, tight: String) {
        #expect(TightScript.make(line) == tight + "\n")
    }

    @Test(arguments: [
        ("const job = job.job?.job;", "let a=a.job?.job;"),
        ("const { job, state: next = job, ...rest } = old;", "let{job:a,state:b=a,...d}=c;"),
        (
            "send({ job, text: job ? text : job, [job]: 1, run(job) { return { job }; } });",
            "b({job:a,text:a?c:a,[a]:1,run(a){return{job:a}}});"
        ),
        (
            "class Jobs extends HTMLElement { job = job; static all() { job(); } async job() {} }",
            "class b extends HTMLElement{$a=a;static $b(){a()}async $a(){}}"
        ),
        (
            "const h = ({ job = 1 }) => { job: for (const text of job) break; };",
            "let b=({job:a=1})=>{a:for(let c of a)break};"
        ),
        ("switch (job) { case \"a\": { job(); text(); } }", "switch(a){case\"a\":{a();b()}}"),
        ("const f = (job) => async (text) => g(job, text,);", "let c=a=>async b=>d(a,b);"),
        ("function f(job) { return job; } function g() { return { f }; }", "let a=b=>b,c=()=>({f:a});"),
        (
            "async function f(job) { return job; } class A { f() { return 1; } }",
            "let c=async a=>a;class b{$a(){return 1}}"
        ),
        (
            "function f(job) { job(); return job; } function g() { return; }",
            "function b(a){a();return a}function c(){return}"
        ),
        ("const [, a] = [b, c,]; f({ a, });", "let[,a]=[b,c];d({a:a});"),
        ("document.title = `${job} job ${{ job }.job}`;", "document.title=`${a} job ${{job:a}.job}`;"),
        ("h(\"b\", { class: \"job\", job });", "a(\"b\",{class:\"job\",job:b});"),
    ])
    func `has short names for variables, not for members`(line: String, tight: String) {
        #expect(TightScript.make(line) == tight + "\n")
    }

    @Test(arguments: [
        (
            "class A { rows = 1; all() { this.rows += 1; this.all(); } }",
            "class a{$b=1;$a(){this.$b+=1;this.$a()}}"
        ),
        ("class A { constructor() { this.rows = 1; } }", "class a{constructor(){this.$a=1}}"),
        ("class A { rows = 1; } fetch({ rows: 1 });", "class a{rows=1}fetch({rows:1});"),
        ("class A { rows = 1; } new A().rows();", "class a{rows=1}new a().rows();"),
        ("class A { rows = 1; } window[\"rows\"]();", "class a{rows=1}window[\"rows\"]();"),
        ("class A { all() { this.append(this.hidden); } }", "class a{$a(){this.append(this.hidden)}}"),
    ])
    func `has short names for members that only this reaches`(line: String, tight: String) {
        #expect(TightScript.make(line) == tight + "\n")
    }

    @Test(arguments: [
        (".a .b > c:hover, d { e: f g; h: i(j, k) }", ".a .b>c:hover,d{e:f g;h:i(j,k)}"),
        (".a :not(b) { width: calc(1px + 2px); }", ".a :not(b){width:calc(1px + 2px)}"),
        (
            ":root { --line: 1px; --line-strong: 2px; } b { width: var(--line-strong, var(--depth)); }",
            ":root{--a:1px;--b:2px}b{width:var(--b,var(--depth))}"
        ),
    ])
    func `has no insignificant spaces in style sheets`(line: String, tight: String) {
        #expect(TightStyle.make(line) == tight + "\n")
    }

    @Test func `is at most 190 KB, and 70 KB packed`() throws {
        let files = try ["index.html", "icon.svg", "main.js", "main.css"].map { path in
            try #require(PageBundle.make(path) { EmbeddedFile.page[$0] })
        }
        let sizes = files.map(\.count)
        let packed = try files.map { try #require(Gzip.pack($0)).count }
        #expect(sizes.reduce(0, +) <= 190_000, "\(sizes)")
        #expect(packed.reduce(0, +) <= 70_000, "\(packed)")
    }

    @Test func `is embedded in the program`() throws {
        let script = try #require(PageBundle.make("main.js") { EmbeddedFile.page[$0] })
        #expect(script.count > 50_000)
        #expect(!String(decoding: script, as: UTF8.self).contains("\nimport "))
        let packed = try #require(Gzip.pack(script))
        #expect(packed.count < script.count / 2 && packed.starts(with: [0x1F, 0x8B]))
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
        for cookie in ["jobserver_session=\(value)", "a=b; jobserver_session=\(value); c=d"] {
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
