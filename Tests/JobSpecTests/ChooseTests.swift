import HTTPMessage
import JobKit
import StrictJSON
import TestOperations
import Testing

@testable import JobSpec

@Suite struct `A choice` {
    /// A choice by the state of an order, and a step that takes its result.
    private func spec(_ state: String, otherwise: String = "") -> String {
        #"""
        {"type":"group","operations":[
          {"type":"value","name":"order","value":{"state":"\#(state)"}},
          {"type":"choose","name":"settle","of":[
            {"when":{"$get":"order","at":"/body/state","equals":"paid"},
             "operation":{"type":"network","name":"ship","request":"https://a.example/ship"}},
            {"when":{"$get":"order","at":"/body/state","exists":true},
             "operation":{"type":"network","name":"ask","request":"https://a.example/ask"}}]\#(otherwise)},
          {"type":"value","name":"next","value":{"$get":"settle","at":"/body/did","default":"nothing"}},
          {"type":"value","name":"ship_state","value":{"$get":"settle/ship","at":"/state","default":"none"}}]}
        """#
    }

    private func run() -> SpecRun {
        SpecRun { call, _ in
            (200, #"{"did":"\#(call.url.utf8.contains(UInt8(ascii: "k")) ? "ask" : "ship")"}"#)
        }
    }

    @Test(arguments: [("paid", "ship", "succeeded"), ("new", "ask", "skipped")])
    func `runs the first branch that holds alone, and is read without knowing which`(
        state: String, branch: String, shipState: String
    ) async throws {
        let run = run()
        let value = try await run.value(spec(state))
        #expect(run.calls.all.map(\.url) == ["https://a.example/\(branch)"])
        #expect(value?.object?["settle"] == ["did": .string(branch)])
        #expect(value?.object?["next"] == .string(branch))
        #expect(value?.object?["ship_state"] == .string(shipState))
    }

    private let never =
        #"{"when":{"$job":"name","equals":"x"},"operation":{"type":"value","name":"a","value":1}}"#

    @Test func `takes else when no branch holds`() async throws {
        let run = SpecRun()
        let value = try await run.value(
            #"{"type":"choose","of":[\#(never)],"else":{"type":"value","value":2}}"#)
        #expect(value == 2)
    }

    @Test func `that has nothing to run is skipped, and does not keep the next in order back`() async throws {
        let ending = try await SpecRun().ending(#"{"type":"choose","of":[\#(never)]}"#)
        #expect(ending.state == .skipped)
        #expect(ending.errors.map(\.code) == [.whenFalse])
        let value = try await SpecRun().value(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"choose","name":"c","of":[\#(never)]},{"type":"value","name":"next","value":7}]}
            """#)
        #expect(value == ["next": 7])
    }

    @Test func `says of each other branch why it was skipped`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"group","operations":[
              {"type":"choose","name":"c","of":[\#(never),
                {"when":{"$job":"name","exists":true},"operation":{"type":"value","name":"b","value":1}}],
               "else":{"type":"group","name":"d","operations":[{"type":"value","name":"inside","value":1}]}},
              {"type":"value","name":"codes","after":["c"],"value":[
                {"$get":"c/a","at":"/error/code","default":0},{"$get":"c/d","at":"/error/code","default":0},
                {"$get":"c/d/inside","at":"/state","default":0}]}]}
            """#)
        #expect(
            value?.object?["codes"] == ["condition.when_false", "condition.not_chosen", "skipped"])
    }

    @Test func `fails with the error of a question that cannot be decided, and asks no further`() async throws
    {
        let run = SpecRun { _, _ in (200, "not JSON") }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[{"type":"network","name":"page","request":"https://a.example/"},
              {"type":"choose","name":"c","of":[
                {"when":{"$get":"page","at":"/body/x","equals":1},"operation":{"type":"value","name":"a","value":1}},
                {"when":{"$job":"name","exists":true},"operation":{"type":"value","name":"b","value":1}}]}]}
            """#)
        #expect(ending.state == .failed)
        let error = try #require(ending.errors.first)
        #expect(error.code == .referenceNotJSON)
        #expect(error.path == ["group", "c"])
        #expect(error.detail.hasPrefix("Branch a: "))
    }

    @Test func `passes on the failure of its branch, whatever that says about groups`() async throws {
        let run = SpecRun { _, _ in (404, "{}") }
        let ending = try await run.ending(
            #"""
            {"type":"choose","of":[{"when":{"$job":"name","exists":true},"operation":
              {"type":"network","name":"a","request":"https://a.example/","on_failure":"continue"}}]}
            """#)
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.path == ["choose", "a"])
    }

    @Test func `stops its branch when it is stopped`() async throws {
        let run = SpecRun()
        let task = run.start(
            #"{"type":"choose","of":[\#(never)],"else":{"type":"delay","for":"1h"}}"#)
        await run.clock.waitForSleepers()
        run.cancel()
        #expect(try await task.value.state == .cancelled)
        #expect(run.clock.sleeperCount == 0)
    }

    @Test func `is planned with its branches in order, and names those that have none`() throws {
        let plan = SpecPlan(
            try readSpec(
                #"""
                {"type":"group","operations":[{"type":"value","name":"v","value":1},{"type":"choose","name":"c","of":[
                  {"when":{"$get":"v","equals":1},"operation":{"type":"value","value":1}},
                  {"when":{"$get":"v","equals":2},"operation":{"type":"value","value":2}}],
                 "else":{"type":"value","value":3}}]}
                """#))
        #expect(
            plan.operations.map { $0.path.joined(separator: "/") } == [
                "group", "group/v", "group/c", "group/c/value_1", "group/c/value_2", "group/c/value_3",
            ])
        #expect(plan.operations[2].after.map(\.operation) == ["v"])
        #expect(plan.text.utf8.count > 0)
        #expect(plan.text.contains("\nc  choose  first of value_1, value_2, else value_3  after v\n"))
    }

    @Test func `counts each branch as one operation, and what is inside of one of them`() throws {
        let map = #"{"type":"group","map":{"items":[1,2,3],"operation":{"type":"value","value":1}}}"#
        let branch = #"{"when":{"$job":"id","exists":true},"operation":\#(map)}"#
        let all = try readSpec(#"{"type":"choose","of":[\#(branch),\#(branch)],"else":\#(map)}"#)
        #expect(all.operation.kind.work.writtenCount == 1 + 3 + 3)
        let some = try readSpec(#"{"type":"choose","of":[\#(branch),\#(branch)]}"#)
        #expect(some.operation.kind.work.writtenCount == 1 + 2)
    }

    @Test(arguments: [
        WrongSpec(#"{"type":"choose"}"#, "", "spec.missing_member", hint: "of"),
        WrongSpec(#"{"type":"choose","of":[]}"#, "/of", "spec.out_of_range", hint: "1 to 100"),
        WrongSpec(
            #"{"type":"choose","of":[{"operation":{"type":"value","value":1}}]}"#, "/of/0",
            "spec.missing_member",
            hint: "else"),
        WrongSpec(
            #"{"type":"choose","of":[{"when":{"$job":"id","exists":true},"type":"value","value":1}]}"#,
            "/of/0",
            "spec.missing_member", hint: "operation"),
        WrongSpec(
            #"{"type":"choose","of":[{"when":{"$job":"id","exists":true},"operation":"#
                + #"{"type":"value","name":"a","value":1}}],"else":{"type":"value","name":"a","value":1}}"#,
            "/else", "spec.duplicate_name", hint: "Rename"),
        WrongSpec(
            #"{"type":"choose","of":[{"when":{"at":"/body","exists":true},"operation":{"type":"value","value":1}}]}"#,
            "/of/0/when", "spec.missing_member", hint: "$get"),
        WrongSpec(
            #"{"type":"choose","of":[{"when":{"$job":"id","exists":true},"operation":{"type":"value","value":1,"after":["a"]}}]}"#,
            "/of/0/operation/after", "spec.not_available", hint: "siblings"),
    ])
    func `is checked before it runs`(wrong: WrongSpec) { wrong.expectAlone() }

    @Test(arguments: [
        (#"{"type":"switch"}"#, "/type", "choose"),
        (#"{"type":"if"}"#, "/type", #""when": {"$get": "check", "at": "/body/state", "equals": "paid"}"#),
        (#"{"type":"case"}"#, "/type", "choose"), (#"{"type":"choices"}"#, "/type", "choose"),
        (#"{"type":"choose","cases":[]}"#, "/cases", "of"),
        (#"{"type":"choose","choices":[]}"#, "/choices", "of"),
        (#"{"type":"choose","default":1}"#, "/default", "else"),
        (#"{"type":"choose","of":[{"if":1}]}"#, "/of/0/if", "when"),
        (#"{"type":"choose","of":[{"then":1}]}"#, "/of/0/then", "operation"),
    ])
    func `is found by the words of other systems`(spec: String, pointer: String, name: String) throws {
        let problem = try #require(problems(spec).first { $0.pointer.description == pointer })
        #expect(problem.suggestion == name)
    }
}
