import StrictJSON
import Testing

@Suite struct `A JSON pointer` {
    /// The document and the addresses of RFC 6901 §5.
    private static let document: JSONValue = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
        "m~n": 8,
    ]

    @Test(
        arguments: [
            ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
            ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
        ] as [(String, JSONValue)])
    func `finds the values of RFC 6901`(text: String, expected: JSONValue) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(pointer.resolve(in: Self.document) == expected)
        #expect(pointer.description == text)
    }

    @Test func `finds the whole document at the root`() {
        #expect(JSONPointer("") == .root)
        #expect(JSONPointer.root.resolve(in: Self.document) == Self.document)
    }

    @Test(arguments: [
        "/foo/00", "/foo/01", "/foo/2", "/foo/-", "/foo/-1", "/foo/+1", "/foo/ 0", "/foo/٠",
        "/foo/99999999999999999999", "/foo/", "/nothing", "/foo/0/x", "/Foo",
    ])
    func `finds nothing at missing positions`(text: String) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(pointer.resolve(in: Self.document) == nil)
    }

    @Test(arguments: ["foo", "#/foo", "/a~", "/a~2", "/~/b", " /a"])
    func `refuses text that is no address`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test func `escapes the names it is given`() {
        let pointer = JSONPointer.root.appending("a/b").appending(0).appending("m~n").appending("")
        #expect(pointer.description == "/a~1b/0/m~0n/")
        #expect(JSONPointer(pointer.description) == pointer)
    }

    @Test func `reads ~01 as ~1`() {
        #expect(JSONPointer("/~01")?.tokens == ["~1"])
    }

    @Test func `distinguishes canonically equivalent names`() {
        let document: JSONValue = ["\u{e9}": 1, "e\u{301}": 2]
        #expect(JSONPointer("/\u{e9}")?.resolve(in: document) == 1)
        #expect(JSONPointer("/e\u{301}")?.resolve(in: document) == 2)
        #expect(JSONPointer("/\u{e9}") != JSONPointer("/e\u{301}"))
    }

    @Test func `appends a relative address`() throws {
        let relative = try #require(JSONPointer("/request/url"))
        #expect(
            JSONPointer.root.appending("operations").appending(3).appending(relative).description
                == "/operations/3/request/url")
    }
}
