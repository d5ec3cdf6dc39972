import JobKit
import Testing

@testable import JobSpec

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
        #expect(try found(pattern, in: text) == isFound)
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

    @Test func `has limits on its length and its repetitions`() throws {
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "a", count: 257)) }
        #expect(throws: PatternError.self) { try Pattern("((a{250}){250}){250}") }
        #expect(try found("(((){250}){250}){250}", in: ""))
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "(", count: 60)) }
    }

    @Test func `is found at the end of a long text, too`() throws {
        let text = String(repeating: "a", count: 300_000)
        #expect(try found("ERROR$", in: text + "ERROR"))
        #expect(try !found("ERROR", in: text))
    }

    @Test(arguments: ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "^(.*a){12}$", "(a?){120}a{120}$"])
    func `that drives other engines mad takes steps in proportion to the text`(pattern: String) throws {
        let text = String(repeating: "a", count: 20_000) + "!"
        #expect(try !found(pattern, in: text, steps: 40 * text.utf8.count + 2_000_000))
    }

    @Test func `with more stands than are remembered goes on, and ends by the steps`() throws {
        // Which of the last eighteen characters are an "a" has more combinations than memory should hold.
        let pattern = "a.{18}b$"
        var text = ""
        var state: UInt32 = 1
        for _ in 0..<20_000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            text += state >> 31 == 0 ? "a" : "c"
        }
        #expect(try found(pattern, in: text + "a" + String(repeating: "c", count: 18) + "b"))
        #expect(try !found(pattern, in: text + String(repeating: "c", count: 20)))
        let error = #expect(throws: AOperationError.self) { try found(pattern, in: text, steps: 100_000) }
        #expect(error?.code == .evaluationTooLong)
        #expect(error?.detail.contains("searching with patterns") == true)
    }
}

private func found(_ pattern: String, in text: String, steps: Int = StepMeter.wholeMax) throws -> Bool {
    var matcher = PatternMatcher(try Pattern(pattern))
    return try matcher.isFound(in: text, StepMeter(steps))
}
