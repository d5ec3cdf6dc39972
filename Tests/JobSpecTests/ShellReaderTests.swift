@testable import JobSpec
import Testing

@Suite struct `A reader of shell words` {
    static let lines: [(String, [String])] = [
        ("curl  a\tb", ["curl", "a", "b"]), (#"a 'b c' "d e""#, ["a", "b c", "d e"]),
        (#"'a'"b"c\ d"#, ["abc d"]), ("a \\\n b", ["a", "b"]), ("a\\\nb", ["ab"]),
        (#""a\"b\\c\d\$x""#, [#"a"b\c\d$x"#]), (#"'a\nb'"#, [#"a\nb"#]), ("''", [""]),
        (#"a"" "" b"#, ["a", "", "b"]),
        ("a # b 'c", ["a"]), ("a#b c", ["a#b", "c"]), (#"$'a\tb\x41\101\u00e9\'\\'"#, ["a\tbAAé'\\"]),
        (#"$'\e\a\?\"\cA'"#, ["\u{1B}\u{7}?\"\u{1}"]), ("a$ b$", ["a$", "b$"]), (#""a$""#, ["a$"]),
        ("\"a\\\nb\"", ["ab"]), ("http://a/?b=1", ["http://a/?b=1"]), ("a=b~c", ["a=b~c"]), (#"\'"#, ["'"]),
        (#"$'\U0001F600'"#, ["\u{1F600}"]), ("'{\"a\":[1]}'", [#"{"a":[1]}"#]),
    ]

    @Test(arguments: lines)
    func `splits a line as a shell does`(line: String, words: [String]) {
        let reader = ShellReader(Array(line.utf8))
        #expect(reader.problems == [])
        #expect(reader.commands.map { $0.map(\.text) } == [words])
    }

    @Test(arguments: ["a b\nc", "a b;c", "a b && c", "a b ; \n\n# x\nc\n", "a b\r\nc\r\n"])
    func `ends a command at a line end and between commands`(text: String) {
        let reader = ShellReader(Array(text.utf8))
        #expect(reader.problems == [])
        #expect(reader.commands.map { $0.map(\.text) } == [["a", "b"], ["c"]])
    }

    @Test(arguments: [
        ("a $HOME", 1, 3, "$HOME"), ("a \"x ${Y}\"", 1, 6, "expanded"), ("a\nb $(ls)", 2, 3, "expanded"),
        ("a `ls`", 1, 3, "backticks"), ("a | b", 1, 3, "pipe"), ("a > b", 1, 3, "redirection"),
        ("a 2>&1", 1, 4, "redirection"), ("a <<X", 1, 3, "redirection"), ("a &", 1, 3, "background"),
        ("a || b", 1, 3, "on\": \"failed"), ("(a)", 1, 1, "quotes"), ("a 'b", 1, 3, "no end"),
        ("a \"b", 1, 3, "no end"), ("a $'b", 1, 3, "no end"), ("a ~/x", 1, 3, "home"),
        ("a $'\\x00'", 1, 9, "NUL"), ("a $\"b\"", 1, 3, "expanded"), ("a $1", 1, 3, "$1"),
    ])
    func `names the position of unsupported syntax`(text: String, line: Int, column: Int, hint: String) throws
    {
        let problem = try #require(ShellReader(Array(text.utf8)).problems.first)
        #expect(problem.place == ShellPlace(line: line, column: column))
        #expect(problem.detail.contains(hint), "\(problem.detail)")
    }

    @Test func `finds all problems at once`() {
        #expect(ShellReader(Array("a $B `c` > d | e".utf8)).problems.count == 4)
    }

    @Test func `never fails on any bytes`() {
        var state: UInt64 = 7
        let alphabet = Array("ab '\"\\$`|&;<>()#~\n\r\t{}x0u'".utf8) + [0, 0x80, 0xFF]
        for _ in 0..<3_000 {
            var bytes: [UInt8] = []
            for _ in 0..<24 {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                bytes.append(alphabet[Int(state >> 33) % alphabet.count])
            }
            let reader = ShellReader(bytes)
            #expect(reader.commands.allSatisfy { !$0.isEmpty })
        }
    }
}
