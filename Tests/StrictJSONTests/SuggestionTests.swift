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

    @Test func `is the first of equally near names`() {
        #expect(SpellingSuggestion.nearest(to: "cat", in: ["bat", "hat"]) == "bat")
    }

    @Test func `is nothing for names of unreasonable length`() {
        let long = String(repeating: "a", count: 100_000)
        #expect(SpellingSuggestion.nearest(to: long, in: [long, "a"]) == nil)
    }
}
