import HTTPMessage
import Testing

@Suite struct `A URI template` {
    /// The variables of RFC 6570 section 3.2.
    private static let variables: [(String, URITemplate.Value)] = [
        ("count", .list(["one", "two", "three"])), ("dom", .list(["example", "com"])),
        ("dub", .string("me/too")),
        ("hello", .string("Hello World!")), ("half", .string("50%")), ("var", .string("value")),
        ("who", .string("fred")), ("base", .string("http://example.com/home/")),
        ("path", .string("/foo/bar")),
        ("list", .list(["red", "green", "blue"])), ("v", .string("6")), ("x", .string("1024")),
        ("y", .string("768")),
        ("empty", .string("")), ("empty_keys", .pairs([])),
        ("keys", .pairs([("semi", ";"), ("dot", "."), ("comma", ",")])),
    ]

    private func expect(_ template: String, _ expansion: String) throws {
        #expect(try URITemplate(template).expand(Self.variables) == expansion, "\(template)")
    }

    @Test(arguments: [
        ("{count}", "one,two,three"), ("{count*}", "one,two,three"), ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"), ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"), ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"), ("{&count*}", "&count=one&count=two&count=three"),
        ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("{half}", "50%25"), ("O{empty}X", "OX"),
        ("O{undef}X", "OX"), ("{x,y}", "1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"), ("{var:3}", "val"),
        ("{var:30}", "value"), ("{list}", "red,green,blue"), ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"), ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    ])
    func `expands as in RFC 6570 sections 3.2.1 and 3.2.2`(template: String, expansion: String) throws {
        try expect(template, expansion)
    }

    @Test(arguments: [
        ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"), ("O{+undef}X", "OX"), ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"), ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"), ("{+list}", "red,green,blue"), ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"), ("{+keys*}", "semi=;,dot=.,comma=,"), ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"), ("{#half}", "#50%25"), ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"), ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#path:6}/here", "#/foo/b/here"), ("{#list}", "#red,green,blue"), ("{#list*}", "#red,green,blue"),
        ("{#keys}", "#semi,;,dot,.,comma,,"), ("{#keys*}", "#semi=;,dot=.,comma=,"),
    ])
    func `expands as in RFC 6570 sections 3.2.3 and 3.2.4`(template: String, expansion: String) throws {
        try expect(template, expansion)
    }

    @Test(arguments: [
        ("{.who}", ".fred"), ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"), ("X{.var}", "X.value"), ("X{.empty}", "X."), ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"), ("X{.list}", "X.red,green,blue"), ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"), ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"), ("X{.empty_keys*}", "X"), ("{/who}", "/fred"), ("{/who,who}", "/fred/fred"),
        ("{/half,who}", "/50%25/fred"), ("{/who,dub}", "/fred/me%2Ftoo"), ("{/var}", "/value"),
        ("{/var,empty}", "/value/"), ("{/var,undef}", "/value"), ("{/var,x}/here", "/value/1024/here"),
        ("{/var:1,var}", "/v/value"), ("{/list}", "/red,green,blue"), ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"), ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
        ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    ])
    func `expands as in RFC 6570 sections 3.2.5 and 3.2.6`(template: String, expansion: String) throws {
        try expect(template, expansion)
    }

    @Test(arguments: [
        ("{;who}", ";who=fred"), ("{;half}", ";half=50%25"), ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"), ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"), ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"), ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"), ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        ("{?who}", "?who=fred"), ("{?half}", "?half=50%25"), ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="), ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"), ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"), ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        ("{&who}", "&who=fred"), ("{&half}", "&half=50%25"), ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&var:3}", "&var=val"), ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"), ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
    ])
    func `expands as in RFC 6570 sections 3.2.7 to 3.2.9`(template: String, expansion: String) throws {
        try expect(template, expansion)
    }

    @Test(arguments: [
        ("/a{", 2, URITemplateError.Code.brace), ("/a{b", 2, .brace), ("/a}", 2, .brace), ("{}", 1, .name),
        ("{a,}", 3, .name), ("{a b}", 2, .name), ("{.}", 2, .name), ("{a.}", 3, .name),
        ("{=a}", 1, .operation),
        ("{|a}", 1, .operation), ("{a:}", 2, .modifier), ("{a:0}", 2, .modifier), ("{a:10000}", 7, .name),
        ("{a*:3}", 3, .name), ("a b", 1, .character), ("%zz", 0, .character), ("{%4}", 1, .character),
        ("a\\b", 1, .character), ("{{a}}", 1, .name),
    ])
    func `has the position of a syntax error`(template: String, offset: Int, code: URITemplateError.Code) {
        let error = #expect(throws: URITemplateError.self) { try URITemplate(template) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
        #expect(error?.suggestion.isEmpty == false)
    }

    @Test func `refuses reserved expansion if configured`() {
        for template in ["http://h/{+x}", "http://h/{#x}"] {
            let error = #expect(throws: URITemplateError.self) {
                try URITemplate(template, allowsReserved: false)
            }
            #expect(error?.code == .reserved && error?.offset == 10)
        }
        #expect(throws: Never.self) { try URITemplate("http://h/{x}{?y}", allowsReserved: false) }
    }

    @Test func `refuses an undefined variable only where the URL would lead elsewhere`() throws {
        let template = try URITemplate("/{a}/{b}")
        #expect(template.variableNames == ["a", "b"])
        let error = #expect(throws: URITemplateError.self) {
            try template.expand([("a", .string("1"))], path: .isKept)
        }
        #expect(error?.code == .undefined && error?.offset == 6)
        #expect(try template.expand([("a", .string("1"))]) == "/1/")
        for refused in [
            "https://h/a/{x}", "https://h/a/{x}/b", "https://h/{x}?q=1", "https://h/{x,y}",
            "https://h/{x}{y}",
            "https://{x}/a", "https://{x}.h/a", "https://h{x}", "https://h{.x}/a", "https://h:{x}/a",
            "/a/{x}",
            "{x}", "https://h/a/{x:3}",
        ] {
            let error = #expect(throws: URITemplateError.self, "\(refused)") {
                try URITemplate(refused).expand([("x", .undefined)], path: .isKept)
            }
            #expect(error?.code == .undefined, "\(refused)")
        }
        for (omitted, url) in [
            ("https://h{/x}", "https://h"), ("https://h{?x}", "https://h"),
            ("https://h/a{/x}/b", "https://h/a/b"),
            ("https://h/a{.x}", "https://h/a"), ("https://h/a{;x}", "https://h/a"),
            ("https://h/a?b{&x}", "https://h/a?b"),
            ("https://h/a?b={x}", "https://h/a?b="), ("https://h/a{x}", "https://h/a"),
            ("https://h/{x}a", "https://h/a"),
            ("https://h/a/{?x}", "https://h/a/"), ("https://h/{x}{z}", "https://h/1"), ("{?x}", ""),
        ] {
            let values: [(String, URITemplate.Value)] = [("x", .pairs([])), ("z", .string("1"))]
            #expect(try URITemplate(omitted).expand(values, path: .isKept) == url, "\(omitted)")
        }
    }

    @Test func `refuses to cut a list to a length`() {
        let error = #expect(throws: URITemplateError.self) {
            try URITemplate("{list:3}").expand(Self.variables)
        }
        #expect(error?.code == .prefixOfList)
    }

    @Test func `keeps an inserted value inside its place`() throws {
        let attack = "../x?y=1&z#f//h@k:1\r\nA: b"
        let expanded = try URITemplate("https://h/{a}?q={a}").expand([("a", .string(attack))])
        let encoded = "..%2Fx%3Fy%3D1%26z%23f%2F%2Fh%40k%3A1%0D%0AA%3A%20b"
        #expect(expanded == "https://h/\(encoded)?q=\(encoded)")
        let pairs = try URITemplate("{?a*}").expand([("a", .pairs([("k&x=1", "v")]))])
        #expect(pairs == "?k%26x%3D1=v")
    }

    @Test func `encodes text outside ASCII as UTF-8 and cuts between characters`() throws {
        #expect(try URITemplate("/é/{x:2}").expand([("x", .string("üñ€"))]) == "/%C3%A9/%C3%BC%C3%B1")
    }

    @Test(arguments: [
        ("https://a.example/users/{x}/sessions", ".."), ("https://a.example/users/{x}", "."),
        ("/users/{x}", "%2e%2E"), ("/users/{x}", "%252e."), ("/users/%2e{x}", "."), ("/users/{x}%2e/a", "."),
        ("/users/.{x}/a", "."), ("/users/.{x}./a", ""), ("/users/..{x}", ""), ("/users/{x}", "../admin"),
        ("/users/{x}", "a/../../b"), ("/users/{x}", "..\\b"), ("/users/{x}", "..;v=1"),
        ("/users/{x};v=1/a", ".."),
        ("/users{/x}", ".."), ("/users/{.x}", "."), ("/users/{.x}", ""), ("/users{/x}../a", ""),
        ("{x}/a", ".."), ("/{x:2}/a", "..z"), ("HTTP://a.example/{x}?q=1", ".."),
    ])
    func `does not let a value make a dot segment`(template: String, value: String) throws {
        let template = try URITemplate(template)
        #expect(throws: URITemplateError.self) {
            try template.expand([("x", .string(value))], path: .isKept)
        }
        _ = try template.expand([("x", .string(value))])
    }

    @Test func `does not let values make a dot segment together, or name a host`() throws {
        func code(_ template: String, _ values: [(String, URITemplate.Value)]) throws -> URITemplateError
            .Code?
        {
            do throws(URITemplateError) {
                _ = try URITemplate(template).expand(values, path: .isKept)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try code("/a/{x}{y}/b", [("x", .string(".")), ("y", .string("."))]) == .dotSegment)
        #expect(try code("/a{/x*}", [("x", .list(["b", "..", "c"]))]) == .dotSegment)
        #expect(try code("/{x}/{y}", [("x", .string("")), ("y", .string("evil.example"))]) == .host)
        #expect(try code("{/x*}", [("x", .list(["", "evil.example"]))]) == .host)
        #expect(try code("{x}/orders", [("x", .string(""))]) == .root)
        #expect(try code("{x}{y}/orders", [("x", .string("")), ("y", .string("b"))]) == nil)
        #expect(try code("//{x}/{y}", [("x", .string("a.example")), ("y", .string("b"))]) == nil)
    }

    @Test(arguments: [
        ("/a/../{x}", "b", "/a/../b"), ("/a/..{?x}", "..", "/a/..?x=.."), ("/a{?x}", "../..", "/a?x=..%2F.."),
        ("/{x}", "...", "/..."), ("/{x}", "a..b", "/a..b"), ("/{x}", "v1.2", "/v1.2"),
        ("/.{x}", "git", "/.git"),
        ("/{x}", "a/b", "/a%2Fb"), ("/{x}/..", "a", "/a/.."),
        ("https://{x}/..", "a.example", "https://a.example/.."),
        ("/a{/x}/./b", "c", "/a/c/./b"),
    ])
    func `leaves dots that were written, and other values`(template: String, value: String, url: String)
        throws
    {
        #expect(try URITemplate(template).expand([("x", .string(value))], path: .isKept) == url)
    }
}
