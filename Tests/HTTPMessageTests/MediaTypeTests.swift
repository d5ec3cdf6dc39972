import HTTPMessage
import Testing

@Suite struct `A media type` {
    @Test func `is read with its parameters`() {
        let type = MediaType("Text/HTML; Charset=\"utf-8\" ;a=b")
        #expect(type?.essence == "text/html")
        #expect(type?.parameter("CHARSET") == "utf-8")
        #expect(type?.description == "text/html; charset=utf-8; a=b")
        #expect(MediaType("a/b;c=\"d\\\"e\"")?.parameter("c") == "d\"e")
        #expect(MediaType("a/b;c=\"d\\\"e\"")?.description == "a/b; c=\"d\\\"e\"")
        #expect(MediaType("a/b;")?.essence == "a/b")
        #expect(MediaType("A/B;c=d") == MediaType("a/b; C=d"))
        #expect(MediaType("a/b;c=d") != MediaType("a/b;c=e"))
    }

    @Test(arguments: [
        "", "a", "a/", "/b", "a b/c", "a/b c", "a/b;c", "a/b;=d", "a/b;c=\"d", "a/b,c/d", "a/b;c= d",
    ])
    func `is not made from malformed text`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(arguments: [
        ("application/json", true), ("application/problem+json", true), ("text/json", true),
        ("text/plain", false),
        ("application/jsonp", false), ("application/x+json; charset=utf-8", true),
    ])
    func `knows whether it is JSON`(text: String, isJSON: Bool) {
        #expect(MediaType(text)?.isJSON == isJSON)
    }

    @Test(arguments: [
        ("", 1000), ("*/*", 1000), ("application/*;q=0.5", 500), ("text/html", 0),
        ("application/json;q=0", 0),
        ("text/*, application/json;q=0.25, */*;q=0.1", 250), ("*/*;q=0.1, application/*;q=0.2", 200),
        ("application/json;q=x", 1000), (",, application/json ,", 1000),
        ("broken \"x,y\", application/json", 1000),
        ("application/json;q=1.001", 1000), ("application/json; q=0.333", 333),
    ])
    func `is weighed by the most specific range of an Accept field`(accept: String, quality: Int) throws {
        #expect(try #require(MediaType("application/json")).quality(inAccept: accept) == quality)
    }
}

@Suite struct `An entity tag` {
    @Test func `is compared strongly or weakly as in RFC 9110`() throws {
        let weak1 = try #require(EntityTag("W/\"1\""))
        let weak2 = try #require(EntityTag("W/\"2\""))
        let strong1 = try #require(EntityTag("\"1\""))
        #expect(!weak1.isIdentical(to: weak1) && weak1.isEquivalent(to: weak1))
        #expect(!weak1.isIdentical(to: weak2) && !weak1.isEquivalent(to: weak2))
        #expect(!weak1.isIdentical(to: strong1) && weak1.isEquivalent(to: strong1))
        #expect(strong1.isIdentical(to: strong1) && strong1.isEquivalent(to: strong1))
        #expect(weak1.description == "W/\"1\"" && strong1.description == "\"1\"")
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"b\", W/\"a\"", true), ("*", true), (" \"b\" , \"c\"", false),
        ("", false),
        ("a", false), ("\"a", false), ("\"b\"\"a\"", true), ("*, \"b\"", false), (",\"a\",", true),
        ("w/\"a\"", false),
    ])
    func `is found in an If-None-Match list`(list: String, found: Bool) throws {
        #expect(try #require(EntityTag(opaque: "a")).isNamed(inIfNoneMatch: list) == found)
    }

    @Test func `is found in an If-Match list only when strong`() throws {
        let tag = try #require(EntityTag(opaque: "a"))
        #expect(tag.isNamed(inIfMatch: "\"b\", \"a\"") && tag.isNamed(inIfMatch: "*"))
        #expect(!tag.isNamed(inIfMatch: "W/\"a\""))
    }

    @Test func `is not made from text with a quote or a blank`() {
        #expect(EntityTag(opaque: "a\"b") == nil && EntityTag(opaque: "a b") == nil)
        #expect(EntityTag("\"a\"x") == nil && EntityTag("a") == nil && EntityTag("W\"a\"") == nil)
    }
}

@Suite struct `A Prefer field` {
    @Test func `is read as in the examples of RFC 7240`() {
        let first = Prefer("respond-async, wait=100, handling=lenient")
        #expect(first.respondAsync && first.waitSeconds == 100 && first.handling == .lenient)
        #expect(Prefer(["return=minimal", "Wait=10"]).returning == .minimal)
        #expect(Prefer(["return=minimal", "Wait=10"]).waitSeconds == 10)
        #expect(Prefer("return=representation; foo=\"some, value\", wait=5").waitSeconds == 5)
        #expect(Prefer("foo; bar, Lenient").handling == nil)
        #expect(Prefer("wait=\"7\"").waitSeconds == 7)
    }

    @Test func `counts the first mention only`() {
        #expect(Prefer("wait=1, wait=2").waitSeconds == 1)
        #expect(Prefer(["wait=x", "wait=2"]).waitSeconds == nil)
    }

    @Test(arguments: [
        "", "wait=-1", "wait", "wait=1.5", "wait=\"", "=1", ";;,", "wait=1 2", "return=all", "a=\"\u{1}\"",
    ])
    func `ignores unknown parameters`(text: String) {
        #expect(Prefer(text) == Prefer())
    }

    @Test func `continues after a malformed element`() {
        #expect(Prefer("@, \"x,wait=9\", wait=3").waitSeconds == 3)
        #expect(Prefer(nil as String?) == Prefer())
    }

    @Test func `ends with a quoted string that does not end, which is looked through once`() {
        #expect(Prefer(#"x="\", wait=3"#) == Prefer())
        #expect(Prefer("wait=3, " + String(repeating: #"\""#, count: 1_000)).waitSeconds == 3)
    }
}
