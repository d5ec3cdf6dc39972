import HTTPMessage
import JobKit
import StrictJSON
import Testing

@testable import JobSpec

@Suite struct `The spec of a hook` {
    private func problems(_ text: String) throws -> [SpecProblem] {
        let read = HookReader.read(
            try JSONParser.parse(Array(text.utf8)), name: "push", now: Timestamp(milliseconds: 0),
            egress: EgressPolicy(allow: []), kinds: .none
        ) { name in
            guard name == "open" else { return nil }
            return TemplateDefinition(
                name: "open", version: 1,
                parameters: [
                    TemplateParameter(name: "host", form: .any, isRequired: false, choices: ValueList([]))
                ],
                operation: [
                    "type": "network",
                    "request": ["url": "https://{host}/", "vars": ["host": ["$param": "host"]]],
                ])
        }
        if case .failure(let problems) = read { return problems.list }
        return []
    }

    @Test(arguments: [
        (#"{}"#, ["", ""]),
        (#"{"verify": {"scheme": "none"}}"#, [""]),
        (#"{"verify": {"scheme": "none"}, "job": 1}"#, ["/job"]),
        (#"{"verify": {"scheme": "none"}, "job": {"type": "nothing"}}"#, ["/job/type"]),
        (#"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}, "signal": {}}"#, ["/signal"]),
        (#"{"verify": {"scheme": "none"}, "template": "none"}"#, ["/template"]),
        (
            #"{"verify": {"scheme": "none"}, "template": "open", "params": {"host": {"$hook": "", "at": "/body"}}}"#,
            ["/template"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": {"$hook": "body"}}}"#,
            ["/job/value/$hook"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1, "labels": {"hook": "x"}}}"#,
            ["/job/labels/hook"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}, "max_bytes": 1048577}"#,
            ["/max_bytes"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}, "respond": {"wait": "2m"}}"#,
            ["/respond/wait"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}, "dedupe": {"at": "id"}}"#,
            ["/dedupe/at"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "signal": {"name": "paid", "job": {"id": "x"}}}"#,
            ["/signal/job/id"]
        ),
        (
            #"{"verify": {"scheme": "none"}, "signal": {"name": "paid", "job": {"unique_key": {"$job": "id"}}}}"#,
            ["/signal/job/unique_key"]
        ),
    ])
    func `is refused with the place that is wrong`(_ text: String, _ places: [String]) throws {
        let found = try problems(text)
        #expect(found.map(\.pointer.description) == places, "\(found.map(\.detail))")
    }

    @Test(arguments: [
        ("//{host}/x", "crm", false),
        ("http{s:1}://{host}/x", nil, false),
        ("https://{host}{/x}", nil, false),
        ("https://a.example{/x}{host}", nil, false),
        ("https://a.example{.host}/x", nil, false),
        ("https://a.example{/x}{?host}", nil, true),
        ("https://a.example/{host}", nil, true),
        ("/{x}/{host}?next=http://{host}", "crm", true),
    ])
    func `keeps scheme and host of a call from its senders`(
        _ url: String, _ connection: String?, _ isFine: Bool
    ) throws {
        let base = connection.map { #""connection": "\#($0)", "# } ?? ""
        let vars = ["s", "host", "x"].filter { url.contains($0 == "s" ? "{s:" : $0) }
            .map { #""\#($0)": {"$hook": "", "at": "/body/\#($0)"}"# }.joined(separator: ", ")
        let found = try problems(
            #"""
            {"verify": {"scheme": "none"}, "job": {"type": "network", \#(base)"request":
              {"url": "\#(url)", "vars": {\#(vars)}}}}
            """#)
        #expect(found.isEmpty == isFine, "\(found.map(\.detail))")
        #expect(isFine || found.contains { $0.code.hasSameBytes(as: "spec.unsafe_url") })
    }

    @Test func `knows where senders have the id of a delivery, and what signs no time`() throws {
        func dedupe(_ verify: String, _ more: String = "") throws -> HookSpec.Dedupe {
            let text = #"{"verify": \#(verify), "job": {"type": "value", "value": 1}\#(more)}"#
            return try #require(HookReader.readStored(Array(text.utf8), name: "push")).dedupe
        }
        let github = try dedupe(#"{"scheme": "github", "key": {"$secret": "k"}}"#)
        #expect(github.id?.description == "/headers/x-github-delivery")
        #expect(github.body)
        let stripe = try dedupe(#"{"scheme": "stripe", "key": {"$secret": "k"}}"#)
        #expect(stripe.id?.description == "/body/id")
        #expect(!stripe.body)
        let own = try dedupe(#"{"scheme": "none"}"#, #", "dedupe": {"at": "/headers/x-id", "body": false}"#)
        #expect(own.id?.description == "/headers/x-id")
        #expect(!own.body)
    }

    @Test func `makes documents of what comes`() throws {
        func document(_ type: String, _ body: String, target: String = "/hooks/a") -> JSONValue {
            let fields: HTTPFields = [
                "Content-Type": type, "Authorization": "Basic x", "X-Twice": "a", "x-twice": "b",
            ]
            let request = ArrivedRequest(
                method: "POST", host: [], target: Array(target.utf8), fields: fields, body: Array(body.utf8))
            return HookDelivery(request, verify: VerifySpec(.none)).document
        }
        let json = document("application/json", #"{"a": 1}"#, target: "/hooks/a?b=1&b=2&c")
        #expect(json.object?["body"] == ["a": 1])
        #expect(json.object?["query"] == ["b": ["1", "2"], "c": ""])
        #expect(json.object?["headers"]?.object?["authorization"] == nil)
        #expect(json.object?["headers"]?.object?["x-twice"] == "a, b")
        let form = document("application/x-www-form-urlencoded; charset=utf-8", "text=a+b&x=%26")
        #expect(form.object?["body"] == ["text": "a b", "x": "&"])
        #expect(document("application/json", "{").object?["body"] == "{")
        #expect(document("text/plain", "1").object?["body"] == "1")
        #expect(document("text/plain", "").object?["body"] == .null)
    }

    @Test func `keeps each field of a form`() {
        let fields: HTTPFields = ["Content-Type": "application/x-www-form-urlencoded"]
        let body = (0..<1_200).map { "f\($0)=\($0)" }.joined(separator: "&")
        let request = ArrivedRequest(
            method: "POST", host: [], target: Array("/hooks/a".utf8), fields: fields, body: Array(body.utf8))
        let document = HookDelivery(request, verify: VerifySpec(.none)).document
        #expect(document.object?["body"]?.object?.members.count == 1_200)
    }

    @Test func `looks at a delivery for some milliseconds only`() throws {
        // Which of the last characters are an "a" has more combinations than memory should hold.
        let hook =
            #"{"verify": {"scheme": "none"}, "when": {"at": "/body", "matches": "a.{30}b.{30}b$"}, "job": {"type": "value", "value": 1}}"#
        let when = try #require(HookReader.readStored(Array(hook.utf8), name: "push")?.when)
        var text = ""
        var state: UInt32 = 1
        for _ in 0..<60_000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            text += state >> 31 == 0 ? "a" : "b"
        }
        let request = ArrivedRequest(
            method: "POST", host: [], target: Array("/hooks/a".utf8), fields: ["Content-Type": "text/plain"],
            body: Array(text.utf8))
        let delivery = HookDelivery(request, verify: VerifySpec(.none))
        let error = #expect(throws: AOperationError.self) { try delivery.satisfies(when) }
        #expect(error?.code == .evaluationTooLong)
    }
}
