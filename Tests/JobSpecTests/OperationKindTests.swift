@testable import JobKit
@testable import JobSpec
import StrictJSON
import Testing

/// Repeats a text.
private let echo = OperationKind(
    "echo",
    members: [
        .required("text", .string), .optional("times", .integer), .optional("marks", .array),
        .optional("extra"),
    ]
) { members in
    ClosureOperation { _ in ["said": members["text"] ?? .null, "times": members["times"] ?? 1] }
}

@Suite struct `A kind of operation of one's own` {
    private func problems(_ text: String, _ kinds: [OperationKind] = [echo]) throws -> [SpecProblem] {
        let kinds = try OperationKinds(kinds)
        switch JobSpecReader.read(Array(text.utf8), now: specNow, kinds: kinds) {
        case .success: return []
        case .failure(let problems): return problems.list
        }
    }

    @Test func `may be retried after errors of families that are not built in`() throws {
        let retry = #""retry": {"errors": ["smtp.*", "smtp.down", "5xx"], "never": ["imap.*"]}"#
        #expect(try problems(#"{"type": "echo", "text": "a", \#(retry)}"#) == [])
        let call = try problems(#"{"type": "network", "request": "https://x.example/", \#(retry)}"#)
        #expect(call.map(\.pointer.description) == ["/retry/errors/0", "/retry/errors/1", "/retry/never/0"])
    }

    @Test func `is read like one that is built in`() throws {
        let text = #"""
            {"type": "echo", "text": "hello", "times": 3, "extra": null, "queue": "loud", "timeouts": {"total": "5s"},
             "retry": {"max_attempts": 4}, "when": {"all": []}, "labels": {"a": "b"}}
            """#
        let kinds = try OperationKinds([echo])
        let spec = try JobSpecReader.read(Array(text.utf8), now: specNow, kinds: kinds).get()
        #expect(spec.operation.name == "echo")
        #expect(spec.operation.kind.type == "echo")
        #expect(spec.operation.retry?.attemptsMax == 4)
        #expect(spec.operation.timeout == .seconds(5))
        #expect(spec.queue == "loud")
        let work = try #require(spec.operation.kind.work as? CustomSpec)
        #expect(work.members.map(\.name) == ["text", "times", "extra"])
    }

    @Test(arguments: [
        WrongSpec(#"{"type":"ecko","text":"a"}"#, "/type", "spec.unknown_type", "echo"),
        WrongSpec(#"{"type":"echo","text":"a","tmes":3}"#, "/tmes", "spec.unknown_member", "times"),
        WrongSpec(#"{"type":"echo","text":"a","request":"x"}"#, "/request", "spec.unknown_member"),
        WrongSpec(#"{"type":"echo"}"#, "", "spec.missing_member", hint: "\"text\" is missing"),
        WrongSpec(#"{"type":"echo","text":7}"#, "/text", "spec.wrong_type", hint: "a string, not a number"),
        WrongSpec(#"{"type":"echo","text":null}"#, "/text", "spec.wrong_type"),
        WrongSpec(#"{"type":"echo","text":"a","times":1.5}"#, "/times", "spec.wrong_type"),
        WrongSpec(#"{"type":"echo","text":"a","marks":{"$text":"b"}}"#, "/marks", "spec.wrong_type"),
        WrongSpec(#"{"type":"echo","text":["a"]}"#, "/text", "spec.wrong_type"),
        WrongSpec(#"{"type":"echo","text":{"$get":"a"}}"#, "/text/$get", "spec.unknown_reference"),
        WrongSpec(
            #"{"type":"echo","text":"a","timeouts":{"total":5}}"#, "/timeouts/total", "spec.bad_duration",
            "5s"),
    ])
    func `has its mistakes reported at their position`(wrong: WrongSpec) throws {
        let found = try problems(wrong.text)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.pointer.description == wrong.pointer)
        #expect(found.first?.code == wrong.code)
        #expect(wrong.suggestion == nil || found.first?.suggestion == wrong.suggestion)
        #expect(found.first?.detail.contains(wrong.hint) == true)
    }

    @Test(arguments: ["5.0", "50e-1", "0.5e1"])
    func `takes a whole number however it is written`(number: String) async throws {
        #expect(try problems(#"{"type":"echo","text":"a","times":\#(number)}"#).isEmpty)
        let form = OperationKind.Form.integer
        let value = try JSONParser.parse(text: number)
        #expect(form.allows(value))
        #expect(form.handedOn(value) == 5)
        for other in ["5.5", "1e300", "1e20"] {
            let other = try JSONParser.parse(text: other)
            #expect(!form.allows(other))
        }
    }

    @Test func `is named among the types when one is missing`() throws {
        #expect(try problems(#"{"text": "a"}"#).first?.detail.contains("echo") == true)
    }

    @Test func `may forbid to be tried again`() throws {
        let once = OperationKind("once", mayRetry: false) { _ in ClosureOperation { _ in .null } }
        let found = try problems(#"{"type": "once", "retry": {"max_attempts": 2}}"#, [once])
        #expect(found.map(\.code) == ["spec.not_available"])
    }

    @Test func `takes values from other operations, which makes them come first`() throws {
        let text = #"""
            {"type": "group", "operations": [
                {"type": "value", "name": "a", "value": "x"},
                {"type": "echo", "name": "b", "text": {"$get": "a", "at": "/body"}}]}
            """#
        let kinds = try OperationKinds([echo])
        let spec = try JobSpecReader.read(Array(text.utf8), now: specNow, kinds: kinds).get()
        let entry = try #require(SpecPlan(spec).operations.last)
        #expect(entry.operation.kind.type == "echo")
        #expect(entry.after == [.init(operation: "a", isImplied: true)])
    }

    @Test func `is in the plan with its rule for retries`() throws {
        let text = #"{"type": "echo", "text": "a", "retry": {"max_attempts": 3}}"#
        let spec = try JobSpecReader.read(
            Array(text.utf8), now: specNow, kinds: try OperationKinds([echo])
        ).get()
        var writer = JSONWriter()
        SpecPlan(spec).write(to: &writer)
        let entry = JSONPointer("/operations/0")?.resolve(in: try JSONParser.parse(writer.bytes))?.object
        #expect(entry?["type"] == "echo")
        #expect(entry?["retry"]?.object?["max_attempts"] == 3)
        #expect(SpecPlan(spec).text.contains("echo  echo  up to 3 attempts"))
    }

    @Test func `is kept unchanged in a stored spec, whatever kinds this program has`() throws {
        let text =
            #"{"type": "gone", "name": "g", "pages": [1], "retry": {"max_attempts": 2}, "priority": 7}"#
        let spec = try JobSpecReader.readStored(Array(text.utf8), now: specNow).get()
        #expect(
            spec.operation.kind.work as? CustomSpec
                == CustomSpec(type: "gone", members: [.init(name: "pages", value: .literal([1]))]))
        #expect(spec.operation.retry?.attemptsMax == 2)
        #expect(spec.priority == 7)
    }
}

@Suite struct `Kinds together` {
    private func refusal(_ kinds: OperationKind...) -> String {
        do throws(OperationKindsError) {
            _ = try OperationKinds(kinds)
            return "accepted"
        } catch {
            return error.description
        }
    }

    private func kind(_ name: String, _ members: OperationKind.Member...) -> OperationKind {
        OperationKind(name, members: members) { _ in ClosureOperation { _ in .null } }
    }

    @Test(arguments: BuiltInKinds.names)
    func `cannot replace one that is built in`(name: String) {
        #expect(refusal(kind(name)).contains("\"\(name)\" is built in"))
    }

    @Test func `have distinct names`() {
        #expect(refusal(kind("a"), kind("b"), kind("a")) == "There are two kinds of operations named \"a\".")
        #expect(refusal(kind("Check Sum")).contains("cannot be the name"))
        #expect(refusal(kind("")).contains("cannot be the name"))
    }

    @Test(arguments: ["name", "after", "retry", "queue", "twice", "", "$get"])
    func `cannot have a member with a common name`(name: String) {
        #expect(refusal(kind("a", .optional("twice"), .required(name))).contains("\"\(name)\""))
    }

    @Test func `are found by their names`() throws {
        let kinds = try OperationKinds([kind("b"), kind("a", .required("url"), .optional("value"))])
        #expect(kinds.names == ["b", "a"])
        #expect(kinds["a"]?.members.map(\.name) == ["url", "value"])
        #expect(kinds["c"] == nil)
        #expect(OperationKinds.none.names.isEmpty)
    }
}
