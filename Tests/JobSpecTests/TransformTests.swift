import JobKit
import JobSpec
import StrictJSON
import Testing

@Suite struct `A transform` {
    private static let list =
        #"[{"n":"a","v":1,"on":true},{"n":"b","v":2.5,"on":false},{"n":"c","v":3,"on":true}]"#

    /// The result of a transform of the list.
    private func made(_ steps: String, of list: String = list) async throws -> JSONValue? {
        try await SpecRun().value(
            #"{"type":"transform","input":\#(list)\#(steps.isEmpty ? "" : ",")\#(steps)}"#)
    }

    @Test func `passes its input on by default`() async throws {
        #expect(try await made("", of: #"{"a":[1]}"#) == ["a": [1]])
    }

    @Test func `keeps, changes, flattens and reduces in that order`() async throws {
        #expect(
            try await made(
                #""where":{"at":"/on","equals":true},"each":[{"$item":"/n"},{"$item":"/v"}],"flatten":true"#)
                == ["a", 1, "c", 3])
        #expect(
            try await made(
                #""where":{"$item":"/v","greater":1},"each":{"$item":"/n"},"reduce":{"by":"join","separator":", "},"#
                    + #""result":{"names":{"$item":""}}"#) == ["names": "b, c"])
    }

    @Test(arguments: [
        ("count", "[1,[],null]", "3"), ("count", "[]", "0"), ("sum", "[1,2,3]", "6"), ("sum", "[]", "0"),
        ("min", "[3,1,2]", "1"), ("max", #"["a","c","b"]"#, #""c""#), ("min", "[]", "null"),
        ("join", #"["a",1,true]"#, #""a1true""#), ("first", "[7,8]", "7"), ("last", "[7,8]", "8"),
        ("last", "[]", "null"), ("merge", #"[{"a":1,"b":1},{"b":2}]"#, #"{"a":1,"b":2}"#),
    ])
    func `reduces a list to one value`(word: String, list: String, wanted: String) async throws {
        #expect(try await made(#""reduce":"\#(word)""#, of: list) == JSONParser.parse(Array(wanted.utf8)))
    }

    @Test func `adds decimal numbers without rounding`() async throws {
        let text = { (list: String) in
            try await self.made(#""reduce":"sum""#, of: list)?.number?.text
        }
        #expect(try await text("[0.1,0.2]") == "0.3")
        #expect(try await text("[9007199254740993,1]") == "9007199254740994")
        #expect(try await text("[-1.50,0.25]") == "-1.25")
        #expect(try await text("[1e3,1]") == "1001")
        #expect(try await text("[0.5,-0.5]") == "0")
        #expect(try await text("[0.10000000000000000001,1]") == "1.10000000000000000001")
        #expect(try await text("[1.5e30,-25E-1,0e999]") == "1499999999999999999999999999997.5")
        let nines = String(repeating: "9", count: 37)
        #expect(try await text("[\(nines)9,-1]") == nines + "8")
    }

    @Test(arguments: [
        (#""reduce":"sum""#, #"[1,"2"]"#, "element /1"),
        (#""reduce":"max""#, #"[1,"2"]"#, "element /1"),
        (#""reduce":"min""#, "[true]", "element /0"),
        (#""reduce":"join""#, "[[]]", "element /0"),
        (#""reduce":"merge""#, "[{},1]", "element /1"),
        (#""reduce":"sum""#, "[1,1e300,1]", "element /1"),
        (#""reduce":"sum""#, "[1e-30,1e20]", "element /1"),
        (#""each":{"$text":"{x}","vars":{"x":{"$item":"/n"}}}"#, #"[{"n":1},{"n":[]}]"#, "Element /1"),
    ])
    func `names the element at which it failed`(step: String, list: String, place: String) async throws {
        let ending = try await SpecRun().ending(#"{"type":"transform","input":\#(list),\#(step)}"#)
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.detail.contains(place) == true, "\(ending.errors)")
    }

    @Test func `names the element that lacks a value`() async throws {
        let ending = try await SpecRun().ending(
            #"{"type":"transform","input":[{"id":1},{}],"each":{"$item":"/id"}}"#)
        #expect(ending.errors.map(\.code) == [.referenceMissing])
        #expect(ending.errors.first?.detail.hasPrefix("Element /1: ") == true)
        #expect(
            try await made(#""each":{"$item":"/id","default":0}"#, of: #"[{"id":1},{}]"#) == [1, 0])
    }

    @Test func `needs a list for its steps`() async throws {
        let ending = try await SpecRun().ending(
            #"{"type":"group","operations":[{"type":"value","name":"v","value":{"a":1}},"#
                + #"{"type":"transform","input":{"$get":"v"},"reduce":"count"}]}"#)
        #expect(ending.errors.map(\.code) == [.transformFailed])
        #expect(
            problems(#"{"type":"transform","input":{},"reduce":"count"}"#).map(\.code) == ["spec.wrong_type"])
    }

    @Test func `changes a value on its way along a chain`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"group","operations":[
              {"type":"value","name":"two","value":2},
              {"type":"transform","name":"six","input":[{"$get":"two"},{"$get":"two"},{"$get":"two"}],"reduce":"sum"},
              {"type":"transform","name":"text","input":{"$get":"six"},"result":{"$text":"{n}","vars":{"n":{"$item":""}}}}]}
            """#)
        #expect(value?.object?["six"] == 6)
        #expect(value?.object?["text"] == "6")
    }

    private func rescued(by rescue: String) -> String {
        #"""
        {"type":"group","operations":[
          {"type":"network","name":"a","request":"https://a.example/","retry":{"max_attempts":1},"on_failure":"continue"},
          {"type":"transform","name":"b","input":{"$get":"a","at":"/body/x"}\#(rescue)}]}
        """#
    }

    @Test func `is skipped when an input failed, unless it has a rescue`() async throws {
        let plain = try await SpecRun { _, _ in (500, "{}") }.value(rescued(by: ""))
        #expect(plain == [:])
        let value = try await SpecRun { _, _ in (500, "{}") }.value(
            rescued(by: #","rescue":{"why":{"$get":"a","at":"/error/code"}}"#))
        #expect(value?.object?["b"] == ["why": "http.status"])
        let good = try await SpecRun { _, _ in (200, #"{"x":1}"#) }.value(rescued(by: #","rescue":0"#))
        #expect(good?.object?["b"] == 1)
    }

    @Test(arguments: [
        WrongSpec(#"{"type":"transform"}"#, "", "spec.missing_member", hint: "input"),
        WrongSpec(#"{"type":"transform","input":[],"reduce":"summ"}"#, "/reduce", "spec.unknown_word", "sum"),
        WrongSpec(
            #"{"type":"transform","input":[],"reduce":{"by":"join","seperator":","}}"#, "/reduce/seperator",
            "spec.unknown_member", "separator"),
        WrongSpec(
            #"{"type":"transform","input":[],"reduce":{"by":"sum","separator":","}}"#, "/reduce/separator",
            "spec.conflict"),
        WrongSpec(
            #"{"type":"transform","input":[],"where":{"at":"id","exists":true}}"#, "/where/at",
            "spec.bad_pointer",
            "/id"),
        WrongSpec(#"{"type":"transform","input":[],"flatten":1}"#, "/flatten", "spec.wrong_type"),
        WrongSpec(#"{"type":"transform","input":{"$item":""}}"#, "/input/$item", "spec.not_available"),
        WrongSpec(
            #"{"type":"transform","input":[],"rescue":{"$item":""}}"#, "/rescue/$item", "spec.not_available"),
        WrongSpec(
            #"{"type":"delay","for":"1s","each":1}"#, "/each", "spec.unknown_member", hint: "type transform"),
    ])
    func `is checked before it runs`(wrong: WrongSpec) { wrong.expectAlone() }
}
