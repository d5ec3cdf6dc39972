import StrictJSON
import Testing

@Suite struct `A spelling suggestion` {
    private static let members = [
        "type", "name", "after", "conditions", "max_attempts", "url", "retry", "on_failure",
    ]

    @Test(arguments: [
        ("tpye", "type"), ("typ", "type"), ("Type", "type"), ("nmae", "name"),
        ("maxAttempts", "max_attempts"),
        ("max-attempts", "max_attempts"), ("conditons", "conditions"), ("ur", "url"), ("URL", "url"),
        ("onfailure", "on_failure"), ("retrry", "retry"),
    ])
    func `is the intended name`(written: String, meant: String) {
        #expect(SpellingSuggestion.nearest(to: written, in: Self.members) == meant)
    }

    @Test(arguments: ["", "x", "priority", "zzzz", "u", "conditionsandmuchmore"])
    func `is nothing when no name is near`(written: String) {
        #expect(SpellingSuggestion.nearest(to: written, in: Self.members) == nil)
    }

    @Test func `is nothing when half of a short name is wrong`() {
        #expect(SpellingSuggestion.nearest(to: "tz", in: ["to", "of"]) == nil)
        #expect(SpellingSuggestion.nearest(to: "too", in: ["to", "of"]) == "to")
        #expect(SpellingSuggestion.nearest(to: "TO", in: ["to", "of"]) == "to")
    }

    @Test func `is the first of equally near names`() {
        #expect(SpellingSuggestion.nearest(to: "cat", in: ["bat", "hat"]) == "bat")
    }

    @Test func `is nothing for names of unreasonable length`() {
        let long = String(repeating: "a", count: 100_000)
        #expect(SpellingSuggestion.nearest(to: long, in: [long, "a"]) == nil)
    }
}

@Suite struct `The steps of suggestions` {
    @Test func `are spent together, and then there are none`() {
        let known = (0..<100).map { "variable\($0)" }
        var steps = 100_000
        var found: [String?] = []
        for _ in 0..<20 { found.append(SpellingSuggestion.nearest(to: "varable7", in: known, steps: &steps)) }
        #expect(found.first == "variable7")
        #expect(found.last == .some(nil))
        #expect(steps <= 0 && steps > -10_000)
    }

    @Test func `suffice for a thousand names of the usual length`() {
        let known = (0..<1_000).map { "a_usual_name_\($0)" }
        #expect(SpellingSuggestion.nearest(to: "a_usul_name_999", in: known) == "a_usual_name_999")
    }

    @Test func `end a search through countless names`() {
        var asked = 0
        let known = (0..<1_000_000).lazy.map { number in
            asked += 1
            return "a_usual_name_\(number)"
        }
        #expect(SpellingSuggestion.nearest(to: "a_usul_name_999x", in: known) == nil)
        #expect(asked < 20_000)
    }
}
