import StrictJSON
import Testing

@Suite struct `A parse error` {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let pointer: String
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Case(text: "", line: 1, column: 1, pointer: ""),
        Case(text: "{\"a\":1,\n \"b\":tru}", line: 2, column: 6, pointer: "/b"),
        Case(text: "{\"a\":1,\r\n \"b\":tru}", line: 2, column: 6, pointer: "/b"),
        Case(text: "{\"a\":1,\r \"b\":tru}", line: 2, column: 6, pointer: "/b"),
        Case(text: "[1,\n\n\n2,\n  x]", line: 5, column: 3, pointer: "/2"),
        Case(text: "[\"\u{e9}\u{1F600}\u{4E2D}\" x]", line: 1, column: 8, pointer: ""),
        Case(text: "{\"a/b\":{\"m~n\":[0,{\"c\":01}]}}", line: 1, column: 23, pointer: "/a~1b/m~0n/1/c"),
        Case(text: "{\"a\":[1,2", line: 1, column: 10, pointer: "/a"),
        Case(text: "{\"a\":{\"b\":1,\"b\":2}}", line: 1, column: 13, pointer: "/a/b"),
        Case(text: "{\"x\":\"a\\qb\"}", line: 1, column: 8, pointer: "/x"),
        Case(text: "[1] 2", line: 1, column: 5, pointer: ""),
    ])
    func `has the position of the problem`(example: Case) throws {
        let error = try #require(throws: JSONParseError.self) { try JSONParser.parse(text: example.text) }
        #expect(error.line == example.line)
        #expect(error.column == example.column)
        #expect(error.pointer.description == example.pointer)
        #expect(error.description.hasPrefix("line \(error.line), column \(error.column): "))
    }

    @Test(arguments: [
        ("", "The document is empty"), ("{\"a\":1,}", "Remove the comma"), ("[1,2,]", "Remove the comma"),
        ("{'a':1}", "double quotes"), ("['a']", "Write strings in double quotes"),
        ("[True]", "true in small letters"),
        ("[None]", "Write null"), ("[NaN]", "use null or a string"), ("[+1]", "without a sign"),
        ("[.5]", "a digit before the decimal point"), ("[1.]", "after the decimal point"),
        ("[01]", "Remove the zero"),
        ("[0x1F]", "in decimal"), ("// a\n[]", "JSON has no comments"), ("[1 # a\n]", "JSON has no comments"),
        ("[\u{201c}a\u{201d}]", "plain double quotes"), ("\u{feff}{}", "byte order mark"),
        ("[\"a\nb\"]", "Write \\n"), ("[\"a\tb\"]", "Write \\t"), ("[\"\u{1}\"]", "Write \\u0001"),
        ("[\"C:\\dir\"]", "write \\\\ for a backslash"), ("[\"\\ud800\"]", "Write both halves"),
        ("[\"\\u12\"]", "four hexadecimal digits"), ("{\"a\":1,\"a\":2}", "\"a\" is already in this object"),
        ("{\"a\":1 \"b\":2}", "Put a comma between"), ("{\"a\" 1}", "A colon was expected"),
        ("[1", "starts in line 1, column 1"), ("[\"abc", "starts in line 1, column 2"),
        ("{} {}", "exactly one value"),
        ("[\u{a0}1]", "the invisible character U+00A0"), ("[1,2", "Close it with ]"), ("{a:1}", "\"a\""),
    ])
    func `has a remedy for people`(text: String, hint: String) throws {
        let error = try #require(throws: JSONParseError.self) { try JSONParser.parse(text: text) }
        #expect(error.detail.contains(hint), "\(error.detail)")
    }

    @Test(
        arguments: [
            ([0x22, 0xC3, 0x22], 1), ([0x5B, 0x22, 0x61, 0xE2, 0x82, 0x61, 0x22, 0x5D], 3),
            ([0x22, 0x5C, 0x6E, 0xFF, 0x22], 3),
            ([0x5B, 0xFF, 0x5D], 1),
        ] as [([UInt8], Int)])
    func `points at the first byte that is not UTF-8`(bytes: [UInt8], offset: Int) throws {
        let error = try #require(throws: JSONParseError.self) { try JSONParser.parse(bytes) }
        #expect(error.code == .utf8)
        #expect(error.offset == offset)
    }

    @Test func `cuts long names in its sentence and keeps them in its pointer`() throws {
        let name = String(repeating: "n", count: 10_000)
        let error = try #require(throws: JSONParseError.self) {
            try JSONParser.parse(text: "{\"\(name)\":1,\"\(name)\":2}")
        }
        #expect(error.detail.utf8.count < 200)
        #expect(error.pointer.tokens == [name])
    }

    @Test func `has no raw control character in its sentence`() {
        for byte in UInt8(0)...255 {
            for document in [
                [0x5B, byte], [0x7B, byte], [0x5B, 0x31, byte], [0x22, 0x5C, byte], [0x22, byte],
            ] {
                do {
                    _ = try JSONParser.parse(document)
                } catch {
                    let isPrintable = error.detail.unicodeScalars.allSatisfy {
                        $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                    }
                    #expect(isPrintable, "\(document)")
                }
            }
        }
    }
}
