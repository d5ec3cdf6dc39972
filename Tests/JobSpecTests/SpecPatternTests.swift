@testable import JobSpec
import Testing

@Suite struct `A pattern` {
    @Test(arguments: [
        ("abc", "xxabcxx", true), ("^abc$", "abc", true), ("^abc$", "abcd", false), ("", "", true),
        ("a|b|", "", true),
        ("^(a|bc)+$", "abca", true), ("^(a|bc)+$", "ab", false), ("^a*b?c+$", "aacc", true),
        ("^a{2,3}$", "aa", true),
        ("^a{2,3}$", "aaaa", false), ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaaa", true),
        ("^a{0}$", "", true),
        (#"^\d{4}-\d\d$"#, "2026-11", true), (#"^[^a-c]+$"#, "xyz", true), (#"^[^a-c]+$"#, "xbz", false),
        (#"^[\w.-]+@[a-z]+\.[a-z]{2,}$"#, "ada.l-x@example.org", true), (#"^\S+\s\S+$"#, "a b", true),
        (#"^\W\D$"#, "!x", true), ("^.$", "é", true), ("^.$", "\n", false), ("^[]a]+$", "]a", true),
        ("^[a-]+$", "a-", true),
        (#"^\^\$\.\*$"#, "^$.*", true), ("(?:ab)*c", "ababc", true), ("^(a?){3}a{3}$", "aaa", true),
        ("(^a|b$)", "xb", true),
        ("[ä-ü]", "ö", true), ("^(a*)*$", "aaaa", true), ("^(()|a)+$", "aa", true),
        (#"^[\d_]+$"#, "1_2", true),
        (#"^\t\n\r$"#, "\t\n\r", true),
    ])
    func `is found or not`(pattern: String, text: String, isFound: Bool) throws {
        #expect(try Pattern(pattern).isFound(in: text) == isFound)
    }

    @Test(arguments: [
        "(", ")", "[a", "a**", "*a", "a{3,2}", "a{", "a{300}", #"\q"#, #"\"#, "(?=a)", "(?<n>a)", "[z-a]",
        #"(a)\1"#, "a+?",
        #"[\D]"#,
    ])
    func `that cannot be read is refused with a reason`(pattern: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.detail.isEmpty == false)
    }

    @Test func `has limits on its length, its repetitions and its text`() throws {
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "a", count: 257)) }
        #expect(throws: PatternError.self) { try Pattern("((a{250}){250}){250}") }
        #expect(try Pattern("(((){250}){250}){250}").isFound(in: ""))
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "(", count: 60)) }
        #expect(try !Pattern("a").isFound(in: String(repeating: "a", count: (64 << 10) + 1)))
    }

    @Test func `that drives other engines mad ends quickly`() throws {
        let text = String(repeating: "a", count: 20_000) + "!"
        let clock = ContinuousClock()
        for pattern in ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "^(.*a){12}$"] {
            let pattern = try Pattern(pattern)
            let time = clock.measure { #expect(!pattern.isFound(in: text)) }
            #expect(time < .seconds(60))
        }
    }
}
