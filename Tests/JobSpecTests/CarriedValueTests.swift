import HTTPMessage
import JobKit
import StrictJSON
import TestOperations
import Testing

@testable import JobSpec

@Suite struct `A run of a repeat` {
    private func paging(_ rule: String, default first: String = #","default":"start""#) -> String {
        #"""
        {"type":"repeat","name":"pages","until":{"at":"/body/cursor","equals":null},\#(rule)
         "operation":{"type":"network","retry":{"max_attempts":1},"request":{"url":"https://a.example/orders",
           "query":{"cursor":{"$previous":"","at":"/body/cursor"\#(first)},"run":{"$job":"run"}}}}}
        """#
    }

    /// Three pages of two orders.
    private static func page(_ before: Int) -> (Int, String) {
        let cursor = before < 2 ? #""c\#(before + 1)""# : "null"
        return (200, #"{"items":[\#(2 * before),\#(2 * before + 1)],"cursor":\#(cursor)}"#)
    }

    @Test func `has the result of the run before it, and its number`() async throws {
        let run = SpecRun { Self.page($1) }
        #expect(try await run.value(paging("")) == ["items": [4, 5], "cursor": .null])
        let queries = run.calls.all.map { $0.url.split(separator: "?").last ?? "" }
        #expect(queries == ["cursor=start&run=1", "cursor=c1&run=2", "cursor=c2&run=3"])
    }

    @Test func `fails when it is the first and there is no default`() async throws {
        let run = SpecRun { Self.page($1) }
        let ending = try await run.ending(paging(#""max_runs":1,"#, default: ""))
        let cause = ending.errors.first?.causes.first
        #expect(cause?.code == .referenceMissing)
        #expect(cause?.detail.contains("Give the binding a default for the first run") == true)
        #expect(run.calls.all.isEmpty)
    }

    @Test func `goes on from the last success after a failure`() async throws {
        let run = SpecRun { _, before in
            before == 1 ? (404, "{}") : Self.page(before > 1 ? before - 1 : before)
        }
        #expect(try await run.value(paging("")) == ["items": [4, 5], "cursor": .null])
        let queries = run.calls.all.map { $0.url.split(separator: "?").last ?? "" }
        #expect(queries == ["cursor=start&run=1", "cursor=c1&run=2", "cursor=c1&run=3", "cursor=c2&run=4"])
    }

    @Test func `sees the repeats around it by their names`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"repeat","name":"outer","max_runs":2,"gather":true,"operation":
              {"type":"group","operations":[{"type":"repeat","name":"inner","max_runs":2,"operation":
                {"type":"value","value":{"run":{"$job":"run"},
                  "inner":{"$previous":"inner","at":"/body/run","default":0},
                  "outer":{"$previous":"outer","at":"/body/inner/run","default":0}}}}]}}
            """#)
        #expect(
            value == [
                ["inner": ["run": 2, "inner": 1, "outer": 0]], ["inner": ["run": 2, "inner": 1, "outer": 2]],
            ])
    }

    @Test func `may ask in predicates whether there was a run before`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"repeat","max_runs":3,"gather":true,"operation":{"type":"value","value":7,
              "when":{"$previous":"","at":"/body","exists":false}}}
            """#)
        #expect(value == [7])
    }

    @Test func `adds to what is gathered: elements of lists, other values, nothing for null`() async throws {
        let run = SpecRun { Self.page($1) }
        let rule = #""gather":{"at":"/body/items"},"#
        #expect(try await run.value(paging(rule)) == [0, 1, 2, 3, 4, 5])
        let bodies = ["[1,[2]]", "null", #""a""#, "[]", #"{"b":[3]}"#]
        let whole = SpecRun { _, before in (200, bodies[before]) }
        let all =
            #"{"type":"repeat","max_runs":5,"gather":true,"operation":{"type":"network","request":"https://a.example/"}}"#
        #expect(try await whole.value(all) == [1, [2], "a", ["b": [3]]])
        #expect(try await SpecRun().value(all.replacing("true", with: "false")) == [:])
    }

    @Test func `fails the repeat when what is gathered is not there, and names the run`() async throws {
        let run = SpecRun { Self.page($1) }
        let ending = try await run.ending(paging(#""gather":{"at":"/body/orders"},"#))
        #expect(ending.errors.map(\.code) == [.referenceMissing])
        let detail = ending.errors.first?.detail ?? ""
        #expect(detail.hasPrefix("Run 1: There is no /body/orders to gather"), "\(detail)")
        #expect(detail.contains(#""default": []"#))
        let instead = #""gather":{"at":"/body/orders","default":[0]},"#
        #expect(try await SpecRun { Self.page($1) }.value(paging(instead)) == [0, 0, 0])
        let text = SpecRun { _, _ in (200, "<p>") }
        let hidden = try await text.ending(paging(rule("/body/items")))
        #expect(hidden.errors.map(\.code) == [.referenceNotJSON])
    }

    private func rule(_ place: String) -> String { #""gather":{"at":"\#(place)"},"# }

    @Test func `gathers at most 8 MiB, and never less than all`() throws {
        let text = JSONValue.string(String(repeating: "x", count: 3 << 20))
        var list = GatheredList(of: "orders")
        try list.append([text, text], StepMeter())
        var next = list.next
        let error = #expect(throws: AOperationError.self) { try next.append([text], StepMeter()) }
        #expect(error?.code == .valueTooLarge)
        #expect(error?.detail.hasPrefix("What orders gathers has more than 8 MiB.") == true)
    }

    // MARK: What is checked before

    private static let call = #""operation":{"type":"value","value":"#

    @Test(arguments: [
        (#"{"type":"value","value":{"$previous":""}}"#, "/value/$previous", "spec.not_available"),
        (#"{"type":"value","value":{"$job":"run"}}"#, "/value/$job", "spec.not_available"),
        (
            #"{"type":"repeat","max_runs":2,"until":{"$previous":"","equals":1},"operation":{"type":"value","value":1}}"#,
            "/until/$previous", "spec.not_available"
        ),
        (
            #"{"type":"repeat","name":"all","max_runs":2,\#(call){"$previous":"al"}}}"#,
            "/operation/value/$previous", "spec.unknown_reference"
        ),
        (
            #"{"type":"repeat","max_runs":2,\#(call){"$previous":1}}}"#, "/operation/value/$previous",
            "spec.wrong_type"
        ),
        (
            #"{"type":"repeat","max_runs":2,\#(call){"$previous":"","at":"/bdy"}}}"#, "/operation/value/at",
            "spec.bad_pointer"
        ),
        (#"{"type":"repeat","max_runs":2,"gather":[],\#(call)1}}"#, "/gather", "spec.wrong_type"),
        (#"{"type":"repeat","max_runs":2,"gather":{},\#(call)1}}"#, "/gather", "spec.missing_member"),
        (
            #"{"type":"repeat","max_runs":2,"gather":{"at":"/items"},\#(call)1}}"#, "/gather/at",
            "spec.bad_pointer"
        ),
        (
            #"{"type":"repeat","max_runs":2,"gather":{"at":"/body","of":1},\#(call)1}}"#, "/gather/of",
            "spec.unknown_member"
        ),
    ])
    func `is checked before it runs`(text: String, pointer: String, code: String) {
        WrongSpec(text, pointer, code).expectAlone()
    }

    @Test func `is told which form was meant`() {
        WrongSpec(
            #"{"type":"repeat","max_runs":2,"operation":{"type":"value","value":{"$previous":"/body/cursor"}}}"#,
            "/operation/value/$previous", "spec.unknown_reference",
            #""$previous": "", "at": "/body/cursor""#
        ).expectAlone()
        WrongSpec(
            #"{"type":"repeat","max_runs":2,"gather":"/body/items","operation":{"type":"value","value":1}}"#,
            "/gather", "spec.wrong_type", #"{"at": "/body/items"}"#
        ).expectAlone()
    }

    @Test func `is warned about when the first one lacks a value`() throws {
        let bare = SpecPlan(try readSpec(paging("", default: "")))
        #expect(bare.warnings.map(\.code) == ["warning.no_first_value"])
        #expect(bare.text.contains("until it holds, at most 10000 times"))
        #expect(SpecPlan(try readSpec(paging(""))).warnings.isEmpty)
        let near =
            #"{"type":"repeat","max_runs":2,"gather":true,"operation":{"type":"value","value":{"$previos":""}}}"#
        let plan = SpecPlan(try readSpec(near))
        #expect(plan.warnings.map(\.code) == ["warning.misspelt_reference"])
        #expect(plan.text.contains("2 times  gathers /body"))
    }
}
