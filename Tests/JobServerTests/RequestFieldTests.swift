import HTTPMessage
@testable import JobServer
import Testing

@Suite struct `The preferences` {
    struct Example: Sendable {
        var values: [String]
        var wait: Int?
        var isMinimal = false
    }

    private static let examples: [Example] = [
        Example(values: ["wait=5"], wait: 5),
        Example(values: ["wait=100"], wait: 60),
        Example(values: ["return=minimal, wait=2"], wait: 2, isMinimal: true),
        Example(values: ["return=minimal", "wait=3"], wait: 3, isMinimal: true),
        Example(values: ["WAIT = \"4\""], wait: 4),
        Example(values: ["wait=1, wait=9"], wait: 1),
        Example(values: ["respond-async"]), Example(values: ["wait=-1"]), Example(values: ["wait=soon"]),
        Example(values: ["return=representation"]), Example(values: [""]), Example(values: [";"]),
        Example(values: ["="]), Example(values: ["wait=7;x=y"], wait: 7),
        Example(values: ["wait=x, wait=5"]), Example(values: ["return=representation, return=minimal"]),
        Example(values: ["foo=\"a, wait=9\""]), Example(values: ["Return=Minimal"], isMinimal: true),
    ]

    @Test(arguments: examples)
    func `are read according to RFC 7240`(example: Example) {
        let preferences = Preferences(example.values)
        #expect(preferences.wait == example.wait)
        #expect(preferences.isMinimal == example.isMinimal)
    }

    @Test func `report the applied preferences`() {
        #expect(Preferences(["wait=5, return=minimal"]).applied(waited: true) == "wait=5, return=minimal")
        #expect(Preferences(["wait=5"]).applied(waited: false) == nil)
        #expect(Preferences().applied(waited: true) == nil)
        for value in ["wait=0", "wait=7", "wait=60", "wait=9999"] {
            #expect(Preferences(waitAlone: Array(value.utf8)[...]) == Preferences([value]))
        }
        for value in ["wait", "wait=", "wait=1 ", "wait=-1", "Wait=1", "wait=10000", "wait=1,return=minimal"]
        {
            #expect(Preferences(waitAlone: Array(value.utf8)[...]) == nil)
        }
    }
}

@Suite struct `Entity tags` {
    @Test(arguments: [
        (["\"r3\""], true), (["W/\"r3\""], true), (["*"], true), (["\"r1\", \"r3\""], true),
        (["\"r1\"", "\"r3\""], true),
        (["\"r30\""], false), (["r3"], false), ([""], false), ([" \"r3\" "], true),
        (["\"a, \"r3\""], false), (["\"a,b\", \"r3\""], true),
    ])
    func `are compared weakly`(values: [String], matches: Bool) {
        #expect(EntityTag.isNamed(EntityTag.text(revision: 3), by: values) == matches)
    }
}

@Suite struct `Media types` {
    private func accepts(_ value: String) -> Bool {
        do throws(Problem) {
            try Negotiation.check(["Accept": value])
            return true
        } catch { return error.kind != .notAcceptable }
    }

    @Test(arguments: [
        ("*/*", true), ("application/json", true), ("text/html, application/*;q=0.8", true),
        ("application/problem+json", true), ("text/html", false), ("application/json;q=0", false),
        ("Application/JSON", true), ("", true), ("*/*;q=0", false), ("*/*; Q=0.001", true),
        ("text/html; note=\"a, application/json\"", false), ("text/html, application/json; q=0.000", false),
        ("application/json, application/json;profile=\"x\";q=0", true),
        ("application/json;profile=http://x/y, text/plain", true),
        ("text/html, application/json; q = 0.9", true),
    ])
    func `refuses only values that exclude JSON`(value: String, isAccepted: Bool) {
        #expect(accepts(value) == isAccepted)
    }

    @Test(arguments: [
        ("application/json", true), ("application/json; charset=utf-8", true), ("APPLICATION/JSON", true),
        ("application/vnd.job+json", true), ("application/x-www-form-urlencoded", false),
        ("text/plain", false),
        ("text/json", false),
    ])
    func `accepts bodies labelled as JSON`(type: String, isTaken: Bool) throws {
        let target = try #require(RequestTarget("/v1/jobs"))
        let head = HTTPRequestHead(method: .post, target: target, fields: ["Content-Type": type])
        do throws(Problem) {
            try Negotiation.checkJSONBody(head)
            #expect(isTaken)
        } catch {
            #expect(!isTaken)
            #expect(error.detail.contains("curl --json"))
        }
    }
}

@Suite struct `Request ids` {
    @Test func `are the client's own when those are sane`() {
        let ids = RequestIDs()
        #expect(ids.id(for: ["X-Request-Id": "abc-1.2_Z"]) == "abc-1.2_Z")
        #expect(ids.id(for: ["X-Request-Id": "a b"]).hasPrefix("req_"))
        #expect(ids.id(for: ["X-Request-Id": String(repeating: "a", count: 129)]).hasPrefix("req_"))
    }

    @Test func `are new otherwise`() {
        let ids = RequestIDs()
        let made = (0..<1_000).map { _ in ids.id(for: [:]) }
        #expect(Set(made).count == 1_000)
        #expect(made.allSatisfy { $0.hasPrefix("req_") && $0.utf8.count == 15 })
    }
}

@Suite struct `Idempotency keys` {
    @Test(arguments: [
        ("\"abc\"", "abc"), ("abc", "abc"), ("\"a b\"", "a b"), ("", nil), ("\"\"", nil), ("\"abc", nil),
        ("a\"b", nil), ("ä", nil),
    ])
    func `are quoted or bare`(value: String, key: String?) {
        #expect(IdempotencyKey.key(in: Array(value.utf8)[...]) == key)
    }

    @Test func `have at most 255 bytes`() {
        let longest = String(repeating: "k", count: 255)
        #expect(IdempotencyKey.key(in: Array(longest.utf8)[...]) == longest)
        #expect(IdempotencyKey.key(in: Array((longest + "k").utf8)[...]) == nil)
    }
}
