import HTTPMessage
import StrictJSON
import Synchronization
import TestOperations
import Testing

@testable import JobKit

@Suite struct `A group in a spec` {
    /// Calls whose URLs end in `bad` fail.
    private func run() -> SpecRun {
        SpecRun { call, _ in call.url.hasSuffix("bad") ? (404, "{}") : (200, #"{"ok":true}"#) }
    }

    private func call(_ name: String, _ path: String) -> String {
        #"{"type":"network","name":"\#(name)","request":"https://a.example/\#(path)","retry":{"max_attempts":1}}"#
    }

    private func ending(_ rules: String, _ run: SpecRun? = nil) async throws -> OperationEnding {
        try await (run ?? self.run()).ending(
            #"{"type":"group","name":"g",\#(rules),"operations":[\#(call("a", "bad")),\#(call("b", "good")),\#(call("c", "good"))]}"#
        )
    }

    @Test(arguments: [
        (#""succeed_when":"all""#, JobState.failed), (#""succeed_when":"any""#, .succeeded),
        (#""succeed_when":{"at_least":2}"#, .succeeded), (#""succeed_when":{"at_least":3}"#, .failed),
        (#""succeed_when":{"max_failures":1}"#, .succeeded),
        (#""succeed_when":{"max_failures":0}"#, .failed),
        (#""succeed_when":{"max_failed_percent":34}"#, .succeeded),
        (#""succeed_when":{"max_failed_percent":33}"#, .failed),
        (#""succeed_when":{"max_failures":1,"max_failed_percent":33}"#, .failed),
        (#""succeed_when":{"max_failures":0,"max_failed_percent":34}"#, .failed),
    ])
    func `succeeds when enough of its members do`(rules: String, state: JobState) async throws {
        #expect(try await ending(rules).state == state)
    }

    @Test func `stops the rest when that is no longer needed`() async throws {
        let run = SpecRun()
        let ending = try await run.ending(
            #"""
            {"type":"group","succeed_when":"any","stop_when":"decided","operations":[
              {"type":"delay","name":"slow","for":"1h"},{"type":"value","name":"quick","value":1}]}
            """#)
        #expect(ending.state == .succeeded)
        #expect(ending.result?.bodyValue == ["quick": 1])
    }

    /// One of three fails at once, one succeeds at once, and a delay takes longer.
    @Test(arguments: [
        (#""stop_when":"first_failure""#, true), (#""stop_when":"decided""#, true),
        (#""ordered":false"#, false),
        (#""succeed_when":"any","stop_when":"decided""#, true),
        (#""succeed_when":{"max_failures":0},"stop_when":"decided""#, true),
        (#""succeed_when":{"max_failures":1},"stop_when":"decided""#, false),
        (#""succeed_when":{"at_least":1},"stop_when":"succeeded""#, true),
        (#""succeed_when":{"at_least":1},"stop_when":"failed""#, false),
        (#""succeed_when":{"at_least":1},"stop_when":"decided""#, true),
        (#""succeed_when":{"at_least":3},"stop_when":"succeeded""#, false),
        (#""succeed_when":{"at_least":3},"stop_when":"failed""#, true),
        (#""succeed_when":{"at_least":3},"stop_when":"decided""#, true),
    ])
    func `stops early by what it is told to look at`(rules: String, isEarly: Bool) async throws {
        let run = self.run()
        let report = #""method":"PUT","url":"https://a.example/seen","json":{"$get":"slow","at":"/state"}"#
        let task = run.start(
            #"""
            {"type":"group",\#(rules),"finally":[{"type":"network","name":"seen","request":{\#(report)}}],
             "operations":[{"type":"delay","name":"slow","for":"1h"},\#(call("a", "bad")),\#(call("b", "good"))]}
            """#)
        if !isEarly {
            await run.clock.waitForSleepers()
            run.clock.advance(by: .seconds(3_600))
        }
        _ = try await task.value
        let seen = try #require(run.calls.all.last { $0.url.hasSuffix("/seen") }?.body)
        #expect(String(decoding: seen, as: UTF8.self) == (isEarly ? #""cancelled""# : #""succeeded""#))
    }

    @Test func `runs final operations whatever the outcomes of the others, which they see`()
        async throws
    {
        let run = self.run()
        let ending = try await ending(
            #""finally":[{"type":"network","name":"report","request":{"method":"PUT","url":"https://a.example/report","#
                + #""json":{"a":{"$get":"a","at":"/state"},"b":{"$get":"b","at":"/state"},"why":{"$get":"a","at":"/error/code"}}}}]"#,
            run)
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.publisher) == ["a"])
        let report = try #require(run.calls.all.last)
        #expect(report.url == "https://a.example/report")
        #expect(
            try JSONParser.parse(report.body ?? []) == [
                "a": "failed", "b": "succeeded", "why": "http.status",
            ])
    }

    @Test func `fails with the first error when a final operation fails, too`() async throws {
        let ending = try await ending(#""finally":[\#(call("clean", "bad"))]"#)
        #expect(ending.errors.map(\.publisher) == ["a", "clean"])
        let alone = try await run().ending(
            #"{"type":"group","operations":[\#(call("b", "good"))],"finally":[\#(call("clean", "bad"))]}"#)
        #expect(alone.errors.map(\.publisher) == ["clean"])
    }

    @Test func `runs final operations when it is stopped`() async throws {
        let run = self.run()
        let task = run.start(
            #"{"type":"group","operations":[{"type":"delay","for":"1h"}],"finally":[\#(call("clean", "good"))]}"#
        )
        await run.clock.waitForSleepers()
        run.cancel()
        #expect(try await task.value.state == .cancelled)
        #expect(run.calls.all.map(\.url) == ["https://a.example/good"])
    }

    @Test(arguments: [
        (#"{"$get":"list","at":"/body/none"}"#, ErrorCode.referenceMissing),
        (#"{"$get":"list","at":"/body/word"}"#, .transformFailed),
        (#"{"$get":"list","at":"/body/ten"},"max_items":9"#, .transformTooLarge),
        (#"{"$get":"list","at":"/body/ten"}"#, .jobTooLarge),
    ])
    func `runs final operations also when it cannot make its members`(items: String, code: ErrorCode)
        async throws
    {
        func spec(_ path: String) -> String {
            #"""
            {"type":"group","operations":[
              {"type":"value","name":"list","value":{"word":"x","ten":[1,2,3,4,5,6,7,8,9,10]}},
              {"type":"group","name":"all","succeed_when":{"at_least":1},
               "map":{"items":\#(items),"operation":\#(call("one", "one"))},"finally":[\#(call("clean", path))]}]}
            """#
        }
        let cases: [(path: String, publishers: [String?])] = [("good", ["all"]), ("bad", ["all", "clean"])]
        for (path, publishers) in cases {
            let run = self.run()
            run.prepare.withLock { $0 = { $0.limits.operationsMax = 8 } }
            let ending = try await run.ending(spec(path))
            #expect(ending.state == .failed)
            #expect(ending.errors.first?.code == code)
            #expect(ending.errors.map(\.publisher) == publishers)
            #expect(run.calls.all.map(\.url) == ["https://a.example/\(path)"])
        }
    }

    @Test func `tells its final operations about members that it could not make`() async throws {
        let run = self.run()
        run.prepare.withLock { $0 = { $0.limits.operationsMax = 9 } }
        let ending = try await run.ending(
            #"""
            {"type":"group","name":"all","ordered":true,"map":{"items":["x","y"],"operation":
              {"type":"group","name":"one","operations":[\#(call("a", "a")),\#(call("b", "b")),\#(call("c", "c"))],
               "finally":[{"type":"network","name":"clean","request":{"method":"PUT","url":"https://a.example/clean",
                "json":{"a":{"$get":"a","at":"/state"},"why":{"$get":"b","at":"/error/code","default":null}}}}]}}}
            """#)
        #expect(ending.errors.map(\.code) == [.jobTooLarge])
        let cleanings = run.calls.all.filter { $0.url.hasSuffix("clean") }.map {
            try? JSONParser.parse($0.body ?? [])
        }
        #expect(
            cleanings == [["a": "succeeded", "why": .null], ["a": "cancelled", "why": "job.too_large"]])
    }

    // MARK: A list

    private func each(_ items: String, _ rules: String = "", operation: String? = nil) -> String {
        let operation =
            operation
            ?? #"{"type":"network","name":"get","request":{"url":"https://a.example/{id}","vars":{"id":{"$item":"/id"}}}}"#
        return #"{"type":"group","name":"all"\#(rules),"map":{"items":\#(items),"operation":\#(operation)}}"#
    }

    @Test func `has a member for each element of a list, and the results in its order`() async throws {
        let run = SpecRun { call, _ in (200, "\"\(call.url.suffix(1))\"") }
        let ending = try await run.ending(each(#"[{"id":"x"},{"id":"y"},{"id":"z"}]"#))
        #expect(ending.result?.bodyValue == ["x", "y", "z"])
        #expect(try await SpecRun().ending(each("[]")).result?.bodyValue == [])
    }

    @Test func `takes its list from another operation and tolerates some failures`() async throws {
        let text = #"""
            {"type":"group","operations":[
              {"type":"value","name":"list","value":[{"id":"good"},{"id":"bad"}]},
              {"type":"group","name":"all","succeed_when":{"max_failures":1},
               "map":{"items":{"$get":"list"},"operation":
                {"type":"network","name":"get","request":{"url":"https://a.example/{id}","vars":{"id":{"$item":"/id"}}}}}}]}
            """#
        let ending = try await run().ending(text)
        #expect(ending.state == .succeeded)
        #expect(ending.result?.bodyValue.object?["all"] == [["ok": true], .null])
        let strict = try await run().ending(text.replacing(#""max_failures":1"#, with: #""max_failures":0"#))
        #expect(strict.errors.map(\.path) == [["group", "all", "2"]])
        #expect(strict.errors.map(\.publisher) == ["get"])
    }

    @Test func `has null for a failure, and an empty text for success without content`() async throws {
        let run = SpecRun { call, _ in
            switch call.url.suffix(4) {
            case "none": (204, "")
            case "null": (200, "null")
            default: (400, "{}")
            }
        }
        let items = #"[{"id":"none"},{"id":"fail"},{"id":"null"}]"#
        let list = try await run.ending(each(items, #","succeed_when":{"max_failures":1}"#))
        // The third is content that is the JSON null.
        #expect(list.result?.bodyValue == ["", .null, .null])
        let named = try await SpecRun { _, _ in (204, "") }.ending(
            #"""
            {"type":"group","operations":[
              {"type":"delay","name":"pause","for":"0s"},
              {"type":"network","name":"gone","request":{"method":"DELETE","url":"https://a.example/x"}},
              {"type":"delay","name":"inside","for":"0s","when":{"$get":"pause","at":"/state","equals":"succeeded"}},
              {"type":"repeat","name":"skipped","max_runs":1,"operation":
                {"type":"value","value":1,"when":{"$get":"pause","at":"/state","equals":"failed"}}},
              {"type":"value","name":"nothing","value":null}]}
            """#)
        #expect(
            named.result?.bodyValue == [
                "pause": "", "gone": "", "inside": "", "skipped": "", "nothing": .null,
            ])
    }

    @Test func `keeps the results of all members, or fails when they are too large together`() async throws {
        func ending(of count: Int, bytes: Int) async throws -> OperationEnding {
            let content = "\"\(String(repeating: "x", count: bytes - 2))\""
            let items = (1...count).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            return try await SpecRun { _, _ in (200, content) }.ending(each("[\(items)]"))
        }
        let many = try await ending(of: 300, bytes: 4_096)
        #expect(many.result?.bodyValue.array?.count == 300)
        #expect(many.result?.bodyValue.array?.allSatisfy { $0.string?.utf8.count == 4_094 } == true)

        let large = try await ending(of: 33, bytes: 260_000)
        #expect(large.state == .failed)
        #expect(large.errors.map(\.code) == [.valueTooLarge])
        #expect(
            large.errors.first?.detail.hasPrefix(
                "The result of all, with that of each member, has more than 8 MiB. Fetch large content")
                == true)
    }

    @Test func `keeps the results of all its named members`() async throws {
        let content = "\"\(String(repeating: "x", count: 100_000))\""
        let members = (1...20).map { call("m\($0)", "good") }.joined(separator: ",")
        let ending = try await SpecRun { _, _ in (200, content) }
            .ending(#"{"type":"group","name":"g","operations":[\#(members)]}"#)
        #expect(ending.result?.bodyValue.object?.count == 20)
    }

    @Test func `limits their concurrency, and runs them one after the other when ordered`() async throws {
        let run = SpecRun { call, _ in (call.url.hasSuffix("2") ? 404 : 200, "{}") }
        let ending = try await run.ending(
            each(#"[{"id":1},{"id":2},{"id":3}]"#, #","ordered":true"#))
        #expect(ending.state == .failed)
        #expect(run.calls.all.map(\.url) == ["https://a.example/1", "https://a.example/2"])
    }

    @Test func `may have others inside that see the elements of both`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"group","map":{"items":[{"n":"a","of":[1,2]},{"n":"b","of":[3]}],"as":"outer","operation":
              {"type":"group","map":{"items":{"$item":"/of"},"as":"inner","operation":
                {"type":"value","value":[{"$item":"/n","of":"outer"},{"$item":""},{"$item":"","of":"inner"}]}}}}}
            """#)
        #expect(value == [[["a", 1, 1], ["a", 2, 2]], [["b", 3, 3]]])
    }

    @Test func `fails when its list has the wrong type, or is too long`() async throws {
        let text = each(#"{"$job":"labels"}"#)
        #expect(try await SpecRun().ending(text).errors.map(\.code) == [.transformFailed])
        let long = #"""
            {"type":"group","operations":[{"type":"value","name":"list","value":[1,2,3]},
              {"type":"group","name":"all","map":{"items":{"$get":"list"},"max_items":2,"operation":{"type":"value","value":1}}}]}
            """#
        #expect(try await SpecRun().ending(long).errors.map(\.code) == [.transformTooLarge])
    }

    private static let member = #""operations":[{"type":"value","name":"a","value":1}]"#

    @Test(arguments: [
        (#""succeed_when":"some",\#(member)"#, "/succeed_when", "spec.unknown_word"),
        (#""succeed_when":{"at_least":2},\#(member)"#, "/succeed_when/at_least", "spec.out_of_range"),
        (
            #""succeed_when":{"max_failed_percent":101},\#(member)"#, "/succeed_when/max_failed_percent",
            "spec.out_of_range"
        ),
        (#""succeed_when":{},\#(member)"#, "/succeed_when", "spec.missing_member"),
        (#""succeed_when":{"at_least":1,"max_failures":1},\#(member)"#, "/succeed_when", "spec.conflict"),
        (#""stop_when":"succeeded",\#(member)"#, "/stop_when", "spec.conflict"),
        (#""stop_when":"first","succeed_when":"any",\#(member)"#, "/stop_when", "spec.unknown_word"),
        (#""stop_when":"first_failure","succeed_when":"any",\#(member)"#, "/stop_when", "spec.conflict"),
        (#""finally":[],\#(member)"#, "/finally", "spec.out_of_range"),
        (#""finally":[{"type":"value","name":"a","value":1}],\#(member)"#, "/finally", "spec.duplicate_name"),
        (
            #""finally":[{"type":"value","value":{"$get":"aa"}}],\#(member)"#, "/finally/0/value/$get",
            "spec.unknown_reference"
        ),
        (#""map":{"items":[],"operation":{"type":"value","value":1}},\#(member)"#, "/map", "spec.conflict"),
        (#""map":{"items":[]}"#, "/map", "spec.missing_member"),
        (#""map":{"operation":{"type":"value","value":1}}"#, "/map", "spec.missing_member"),
        (#""map":{"items":{},"operation":{"type":"value","value":1}}"#, "/map/items", "spec.wrong_type"),
        (
            #""map":{"items":[1,2],"max_items":1,"operation":{"type":"value","value":1}}"#, "/map/items",
            "spec.too_large"
        ),
        (
            #""concurrency":1,"map":{"items":[],"concurrency":2,"operation":{"type":"value","value":1}}"#,
            "/map/concurrency", "spec.conflict"
        ),
        (
            #""map":{"items":[],"itmes":[],"operation":{"type":"value","value":1}}"#, "/map/itmes",
            "spec.unknown_member"
        ),
    ])
    func `is checked before it runs`(members: String, pointer: String, code: String) {
        WrongSpec(#"{"type":"group",\#(members)}"#, pointer, code).expectAlone()
    }
}
