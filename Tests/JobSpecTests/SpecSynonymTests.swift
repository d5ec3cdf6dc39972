import HTTPMessage
import JobKit
@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `A word of another job system` {
    @Test(arguments: [
        (#"{"type":"http","request":"https://a.example/"}"#, "/type", "network"),
        (#"{"type":"sleep","for":"1s"}"#, "/type", "delay"),
        (#"{"type":"workflow"}"#, "/type", "group"),
        (#"{"type":"delay","for":"1s","id":"pause"}"#, "/id", "name"),
        (#"{"type":"delay","for":"1s","dependsOn":["a"]}"#, "/dependsOn", "after"),
        (#"{"type":"delay","for":"1s","depends_on":["a"]}"#, "/depends_on", "after"),
        (#"{"type":"delay","for":"1s","tags":["a"]}"#, "/tags", "labels"),
        (#"{"type":"delay","for":"1s","eta":"2030-01-01T00:00:00Z"}"#, "/eta", "run_at"),
        (#"{"type":"network","request":"https://a.example/","retries":3}"#, "/retries", "retry"),
        (
            #"{"type":"network","request":"https://a.example/","retry":{"retries":3}}"#, "/retry/retries",
            "max_attempts"
        ),
        (#"{"type":"network","request":"https://a.example/","headers":{}}"#, "/headers", "request"),
        (#"{"type":"network","request":{"url":"https://a.example/","data":{}}}"#, "/request/data", "json"),
        (
            #"{"type":"network","request":{"url":"https://a.example/","body":"hello"}}"#, "/request/body",
            "text"
        ),
        (#"{"type":"network","request":{"url":"https://a.example/","body":[1]}}"#, "/request/body", "json"),
        (#"{"type":"network","request":{"uri":"https://a.example/"}}"#, "/request/uri", "url"),
        (#"{"type":"delay","sleep":"1s"}"#, "/sleep", "for"),
        (#"{"type":"filter"}"#, "/type", "transform"),
        (
            #"{"type":"network","request":{"url":"https://a.example/","timeout":"1s"}}"#, "/request/timeout",
            "timeouts"
        ),
        (
            #"{"type":"network","request":{"url":"https://a.example/","retries":1}}"#, "/request/retries",
            "retry"
        ),
        (#"{"type":"download","request":"https://a.example/","checksum":"a"}"#, "/checksum", "verify"),
        (#"{"type":"delay","for":"1s","timeouts":{"overall":"1s"}}"#, "/timeouts/overall", "total"),
        (
            #"{"type":"network","request":"https://a.example/","expect":{"that":{"path":"/body","eq":1}}}"#,
            "/expect/that/eq", "equals"
        ),
        (
            #"{"type":"notify","request":"https://a.example/","body":"over"}"#, "/body", "message"
        ),
    ])
    func `is answered with ours`(spec: String, pointer: String, name: String) throws {
        let problem = try #require(problems(spec).first { $0.pointer.description == pointer })
        #expect(problem.suggestion == name)
    }

    /// A synonym of a renamed member would lead nowhere. The members are taken from the lists in problems.
    @Test func `leads to members and types that there are`() throws {
        let inner = #""?":1,"request":{"?":1},"retry":{"?":1},"expect":{"?":1}"#
        let said =
            BuiltInKinds.names.map { problems("{\"type\":\"\($0)\",\(inner)}") }.joined()
            + problems(#"{"type":"?"}"#)
        var details = said.map(\.detail)
        let call = #"{"type":"network","request":{"url":"https://a.example/","auth":"#
        let asked =
            #""timeouts":{"?":1},"conditions":[{"type":"?"},{"type":"approval","?":1},{"type":"authorized_for","?":1}]}"#
        details += [
            #"\#(call){"type":"basic","?":1}}}"#, #"\#(call){"type":"hmac","?":1}}}"#,
            #"{"type":"group","map":{"?":1}}"#, #"{"type":"group","succeed_when":{"?":1}}"#,
            #"{"type":"group","operations":[{"type":"value","value":1,"after":[{"?":1}]}]}"#,
            #"{"type":"delay","for":"1s","callbacks":[{"?":1}]}"#,
            #"{"type":"delay","for":"1s","conditions":[{"type":"reachability","?":1}]}"#,
            #"{"type":"delay","for":"1s","unique":{"?":1}}"#,
            #"{"type":"network","request":"https://a.example/","retry":{"backoff":{"?":1}}}"#,
            #"{"type":"network","request":{"url":"https://a.example/","multipart":[{"?":1}]}}"#,
            #"{"type":"network","request":"https://a.example/","expect":{"that":{"?":1}},\#(asked)"#,
        ].flatMap { problems($0).map(\.detail) }
        let connection = try JSONParser.parse(Array(#"{"?":1}"#.utf8))
        if case .failure(let problems) = ConnectionReader.read(connection, egress: nil, openable: []) {
            details += problems.list.map(\.detail)
        }
        let schedule = ScheduleReader.read(
            connection, name: "nightly", now: Timestamp(milliseconds: 0), egress: EgressPolicy(),
            kinds: .none,
            templates: { _ in nil })
        if case .failure(let problems) = schedule { details += problems.list.map(\.detail) }
        let lists = details.compactMap { detail in detail.split(separator: " are: ").dropFirst().first }
        let ours = Set(lists.joined(separator: ",").split { !$0.isLetter && $0 != "_" }.map(String.init))
        #expect(Set(SpecSynonyms.names.values.joined()).subtracting(ours).isEmpty)
    }

    @Test func `is answered with nothing where ours has no place`() throws {
        let found = problems(#"{"type":"value","value":1,"steps":[]}"#)
        #expect(found.map(\.pointer.description) == ["/steps"])
        #expect(found.first?.suggestion == nil)
    }

    @Test func `for the members of a group is named beside the missing member`() throws {
        let found = problems(#"{"type":"group","steps":[{"type":"delay","for":"1s"}]}"#)
        #expect(Set(found.map(\.code)) == ["spec.unknown_member", "spec.missing_member"])
        #expect(found.contains { $0.suggestion == "operations" })
    }
}
