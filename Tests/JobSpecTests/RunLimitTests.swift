import JobKit
import JobSpec
import StrictJSON
import Synchronization
import TestOperations
import Testing

@Suite struct `What the run of one job may make` {
    private static let letters = String(repeating: "x", count: 1_000)

    /// Ten steps, each derived from the one before.
    private static func steps(_ first: String, _ step: (String) -> String) -> String {
        let steps = (1...7).map { number in
            #"{"name":"s\#(number)","type":"value","value":\#(step("s\(number - 1)"))}"#
        }
        return #"{"type":"group","stop_when":"first_failure","operations":["#
            + #"{"name":"s0","type":"value","value":\#(first)},\#(steps.joined(separator: ","))]}"#
    }

    @Test func `a text composed of texts is limited`() async throws {
        let spec = Self.steps(#""\#(Self.letters)""#) { before in
            let ten = String(repeating: "{a}", count: 10)
            return #"{"$text":"\#(ten)","vars":{"a":{"$get":"\#(before)"}}}"#
        }
        let ending = try await SpecRun().ending(spec)
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.code == .valueTooLarge)
        #expect(ending.errors.first?.detail.contains("8 MiB") == true)
    }

    @Test func `a list composed of lists is limited, although it shares their memory`() async throws {
        let spec = Self.steps(#"["\#(Self.letters)"]"#) { before in
            "[" + repeatElement(#"{"$get":"\#(before)"}"#, count: 10).joined(separator: ",") + "]"
        }
        let ending = try await SpecRun().ending(spec)
        #expect(ending.errors.first?.code == .valueTooLarge)
    }

    @Test func `an object composed of objects is limited`() async throws {
        let spec = Self.steps(#"{"a":"\#(Self.letters)"}"#) { before in
            "{" + (0..<10).map { #""m\#($0)":{"$get":"\#(before)"}"# }.joined(separator: ",") + "}"
        }
        let ending = try await SpecRun().ending(spec)
        #expect(ending.errors.first?.code == .valueTooLarge)
    }

    @Test func `a text counts with its length in JSON`() async throws {
        let bell = String(repeating: #"\u0007"#, count: 1_500_000)
        let run = SpecRun { _, _ in (200, #"{"a":"\#(bell)"}"#) }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"name":"a","type":"network","request":"https://a.test/"},
              {"name":"b","type":"value","value":{"$text":"{a}","vars":{"a":{"$get":"a","at":"/body/a"}}}}]}
            """#)
        #expect(ending.errors.first?.code == .valueTooLarge)
    }

    @Test(arguments: [
        #""json":[{"$get":"a"},{"$get":"a"}]"#, #""query":{"q":{"$get":"a"}}"#,
        #""headers":{"X-A":{"$get":"a"}}"#,
        #""form":{"a":[{"$get":"a"}],"b":[{"$get":"a"}],"c":[{"$get":"a"}],"d":[{"$get":"a"}],"e":[{"$get":"a"}]}"#,
        #""multipart":["a","b","c","d","e"]"#,
    ])
    func `a request is limited in size`(part: String) async throws {
        var part = part
        if part.contains("multipart") {
            let parts = ["a", "b", "c", "d", "e"].map { #"{"name":"\#($0)","text":{"$get":"a"}}"# }
            part = #""multipart":[\#(parts.joined(separator: ","))]"#
        }
        let text = String(repeating: "x", count: 7_500_000)
        let run = SpecRun { _, number in (200, number == 0 ? #""\#(text)""# : "{}") }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"name":"a","type":"network","request":"https://a.test/"},
              {"name":"b","type":"network","request":{"method":"POST","url":"https://a.test/b",\#(part)}}]}
            """#)
        #expect(ending.state == .failed)
        #expect(ending.errors.first.map { ["value.too_large", "http.field"].contains("\($0.code)") } == true)
        #expect(run.calls.all.count == 1)
    }

    @Test func `a text joined by a map is limited, separators included`() async throws {
        let element = "\"" + String(repeating: "x", count: 40) + "\""
        let list = "[" + repeatElement(element, count: 90_000).joined(separator: ",") + "]"
        let separator = String(repeating: "-", count: 64)
        let ending = try await SpecRun { _, _ in (200, list) }.ending(
            #"""
            {"type":"group","operations":[
              {"name":"a","type":"network","request":"https://a.test/"},
              {"name":"b","type":"transform","input":{"$get":"a"},"reduce":{"by":"join","separator":"\#(separator)"}}]}
            """#)
        #expect(ending.errors.first?.code == .transformTooLarge)
    }

    @Test func `a merge of many objects takes time in proportion to them`() async throws {
        let list = (0..<40_000).map { #"{"n\#($0)":1}"# }.joined(separator: ",")
        let value = try await SpecRun().value(
            #"{"type":"transform","input":[\#(list)],"reduce":"merge","result":{"$item":"/n39999"}}"#)
        #expect(value == 1)
    }

    // MARK: Operations

    private func run(_ change: @escaping @Sendable (inout RunLimits) -> Void) -> SpecRun {
        let run = SpecRun()
        run.prepare.withLock { $0 = { change(&$0.limits) } }
        return run
    }

    @Test func `a map inside a map stops at the number of operations`() async throws {
        let run = run { $0.operationsMax = 200 }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"name":"list","type":"value","value":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]},
              {"name":"all","type":"group","map":{"items":{"$get":"list"},"as":"a","operation":
                {"type":"group","map":{"items":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],
                  "operation":{"type":"network","request":"https://a.test/"}}}}}]}
            """#)
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.code == .jobTooLarge)
        #expect(ending.errors.first?.detail.contains("allowed are 200") == true)
        #expect(run.calls.all.count <= 200)
    }

    @Test func `the runs of repeats inside repeats count`() async throws {
        let run = run { $0.operationsMax = 50 }
        let ending = try await run.ending(
            #"""
            {"type":"repeat","max_runs":20,"stop_when":"first_failure","operation":
              {"type":"repeat","max_runs":20,"operation":{"type":"value","value":1}}}
            """#)
        #expect(ending.errors.first?.code == .jobTooLarge)
    }

    @Test func `results of many small operations are bounded together`() async throws {
        let run = run { $0.bytesMax = 20_000 }
        let ending = try await run.ending(
            #"""
            {"type":"group","map":{"items":[1,2,3,4,5,6,7,8,9,10],"concurrency":1,"operation":
              {"type":"value","value":{"$text":"{x}\#(String(repeating: "y", count: 4_000))","vars":{"x":{"$item":""}}}}}}
            """#)
        #expect(ending.errors.first?.code == .jobTooLarge)
        #expect(ending.errors.first?.detail.contains("more than 20000 bytes together") == true)
    }

    @Test func `the lists of maps count with the results`() async throws {
        let run = run { $0.bytesMax = 10_000 }
        let list = repeatElement("1234567890", count: 200).joined(separator: ",")
        let ending = try await run.ending(
            #"""
            {"type":"group","map":{"items":[1,2,3,4,5,6,7,8,9,10],"concurrency":1,"operation":
              {"type":"group","map":{"items":[\#(list)],"operation":{"type":"delay","for":"0s"}}}}}
            """#)
        #expect(ending.errors.first?.code == .jobTooLarge)
    }

    // MARK: What is known when it is submitted

    private static let long = "[" + repeatElement("0", count: 900).joined(separator: ",") + "]"

    @Test func `a map inside a map that makes too many operations is refused when it is submitted`() {
        let found = problems(
            #"""
            {"type":"group","map":{"items":\#(Self.long),"as":"a","operation":
              {"type":"group","map":{"items":\#(Self.long),"operation":{"type":"delay","for":"0s"}}}}}
            """#)
        #expect(found.map(\.code) == ["spec.too_large"])
        #expect(found.first?.pointer.description == "/map")
        #expect(found.first?.detail.contains("810900 operations") == true, "\(found)")
    }

    @Test(arguments: [
        #"{"type":"repeat","max_runs":10000,"operation":{"type":"repeat","max_runs":10000,"operation":OP}}"#,
        #"{"type":"repeat","max_runs":1000,"operation":{"type":"group","map":{"items":LONG,"operation":OP}}}"#,
        #"{"type":"group","map":{"items":LONG,"operation":{"type":"repeat","max_runs":900,"operation":OP}}}"#,
        #"{"type":"group","map":{"items":LONG,"operation":{"type":"group","operations":[MAP]}}}"#,
    ])
    func `other ways to multiply are limited`(spec: String) {
        let map = #"{"type":"group","map":{"items":LONG,"operation":OP}}"#
        let text = spec.replacing("MAP", with: map).replacing("LONG", with: Self.long)
            .replacing("OP", with: #"{"type":"delay","for":"0s"}"#)
        #expect(problems(text).map(\.code) == ["spec.too_large"])
    }

    @Test func `loops that may end early are accepted`() {
        #expect(
            problems(
                #"""
                {"type":"repeat","until":{"at":"/body","equals":1},"operation":
                  {"type":"repeat","max_runs":100,"operation":{"type":"value","value":1}}}
                """#
            ).isEmpty)
    }
}
