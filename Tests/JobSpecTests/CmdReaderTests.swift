import StrictJSON
import Testing

@testable import JobSpec

/// Lines for cmd of Windows, as browsers copy them.
@Suite struct `A curl command line for cmd` {
    private func words(_ script: String) -> [[String]] {
        let bytes = Array(script.utf8)
        #expect(CmdReader.reads(bytes), "\(script)")
        let reader = CmdReader(bytes)
        #expect(reader.problems == [])
        return reader.commands.map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } }
    }

    static let lines: [(String, [String])] = [
        (
            #"curl ^"http://a.example/?b=^%^20c^&d=1^" -X ^"PUT^""#,
            ["http://a.example/?b=%20c&d=1", "-X", "PUT"]
        ),
        ("curl ^\"a^\" ^\r\n  -H ^\"b: c^\" ^\n  --compressed", ["a", "-H", "b: c", "--compressed"]),
        (
            #"curl ^"a^" --data-raw ^"^{^\^"b^\^":^\^"^\^\^\^"c^\^\^\^"^\^"^}^""#,
            ["a", "--data-raw", #"{"b":"\"c\""}"#]
        ),
        ("curl ^\"a^\" -d ^\"one^\n\ntwo^\r\n\r\n^%^PATH^%^\"", ["a", "-d", "one\ntwo\n%PATH%"]),
        ("curl ^\"a^\" -d ^\"it's ^^ (1) 'x'^\"", ["a", "-d", "it's ^ (1) 'x'"]),
        // Between quotes a caret is text, unless a browser has written it.
        (#"curl "a" -d "x^y" ^"b^""#, ["a", "-d", "x^y", "b"]),
        (#"curl "a?b=^%^20c&d" -d "^{^\^"e^\^":1^}""#, ["a?b=%20c&d", "-d", #"{"e":1}"#]),
        // Doubled quotes
        (
            #"curl "a" -H "b: ""c"";d=""1""" -d "{""e"":1}" -d "50"%"""#,
            ["a", "-H", #"b: "c";d="1""#, "-d", #"{"e":1}"#, "-d", "50%"]
        ),
        (#"curl.exe ^"a^" -d ^"b\\c^" -d ^"d\\^""#, ["a", "-d", #"b\\c"#, "-d", #"d\"#]),
    ]

    @Test(arguments: lines) func `has the words that curl gets from it`(line: String, wanted: [String]) {
        let found = words(line)
        #expect(found.map { Array($0.dropFirst()) } == [wanted])
    }

    @Test func `ends a command at a line end, and at an ampersand`() {
        #expect(words("curl ^\"a^\" &\r\ncurl b && curl c\ncurl d").map(\.last) == ["a", "b", "c", "d"])
    }

    @Test(arguments: [
        "curl 'a' -d '^\"b^\"'", "curl a \\\n -d $'it\\'s ^\"b'",
        "curl \"a^b\" -d \"{\\\"b\\\":\\\"[^\\\"]\\\"}\"", "curl a/^ -d b",
        "# it's ^\ncurl a", "curl \"a\"\"b\" -d 'c'", "curl -d \"\" a", "",
    ])
    func `is none without what is only in cmd`(script: String) {
        #expect(!CmdReader.reads(Array(script.utf8)))
    }

    @Test(arguments: [
        ("curl ^\"a^\" > b.txt", "redirection", "column 12"), ("curl ^\"a^\" | more", "pipe", "column 12"),
        ("curl 'a' ^\n -H 'b: c'", "single quotes", "line 1, column 6"),
        ("curl ^\"a^\" -d \"b\nc\"", "two line ends", "column 17"),
    ])
    func `is refused with position and remedy`(script: String, hint: String, place: String) throws {
        let error = #expect(throws: SpecProblems.self) { try CurlScript(Array(script.utf8)) }
        let problem = try #require(error?.list.first)
        #expect(problem.detail.contains(hint) && problem.detail.contains(place), "\(problem.detail)")
    }

    @Test func `warns of what a browser has changed`() throws {
        let script = try CurlScript(Array(#"curl ^"a.example^" -d ^"Zo^  ^  b\\c\\d^""#.utf8))
        #expect(script.warnings.count == 2, "\(script.warnings)")
        #expect(
            script.warnings.allSatisfy {
                $0.detail.contains("Copy the line for bash") || $0.detail.contains("copy the line for bash")
            })
    }

    @Test func `takes work in proportion to its length`() {
        for part in ["^\"a^\" ", "^\n\n", "\"\"", "\\", "^", "a&", "\r"] {
            let growth = Growth.ofDoubling(4_000) { count in
                let script = Array(("curl ^\"a^\" " + String(repeating: part, count: count)).utf8)
                if CmdReader.reads(script) { _ = try? CurlScript(script) }
            }
            #expect(growth < 2.6, "\(part): \(growth)")
        }
    }
}
