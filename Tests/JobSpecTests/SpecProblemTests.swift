import HTTPMessage
import JobSpec
import StrictJSON
import Testing

/// A spec with one mistake, and its problem.
struct WrongSpec: Sendable, CustomTestStringConvertible {
    let text: String
    let pointer: String
    let code: String
    var suggestion: String?
    var hint = ""

    init(_ text: String, _ pointer: String, _ code: String, _ suggestion: String? = nil, hint: String = "") {
        self.text = text
        self.pointer = pointer
        self.code = code
        self.suggestion = suggestion
        self.hint = hint
    }

    /// A call with these members of its request beside the URL.
    static func request(
        _ members: String, _ pointer: String, _ code: String, _ suggestion: String? = nil, hint: String = ""
    ) -> WrongSpec {
        WrongSpec(
            #"{"type":"network","request":{"url":"https://a.example/",\#(members)}}"#, "/request" + pointer,
            code,
            suggestion, hint: hint)
    }

    /// A delay with these members.
    static func delay(
        _ members: String, _ pointer: String, _ code: String, _ suggestion: String? = nil, hint: String = ""
    ) -> WrongSpec {
        WrongSpec(#"{"type":"delay","for":"1s",\#(members)}"#, pointer, code, suggestion, hint: hint)
    }

    /// A delay with this `after`, after another one.
    static func after(_ after: String, _ pointer: String, _ code: String, _ suggestion: String? = nil)
        -> WrongSpec
    {
        let first = #"{"type":"delay","name":"a","for":"1s"}"#
        return WrongSpec(
            #"{"type":"group","operations":[\#(first),{"type":"delay","for":"1s","after":\#(after)}]}"#,
            "/operations/1/after" + pointer, code, suggestion)
    }

    /// A call to this URL.
    static func url(_ url: String, _ code: String, _ suggestion: String? = nil, hint: String = "")
        -> WrongSpec
    {
        WrongSpec(#"{"type":"network","request":"\#(url)"}"#, "/request", code, suggestion, hint: hint)
    }

    var testDescription: String { text }
}

@Suite struct `A wrong spec` {
    private func expectOneProblem(_ wrong: WrongSpec) {
        let found = problems(wrong.text)
        #expect(found.map(\.code) == [wrong.code], "\(found)")
        #expect(found.first?.pointer.description == wrong.pointer)
        #expect(found.first?.suggestion == wrong.suggestion)
        #expect(found.first?.detail.contains(wrong.hint) == true, "\(found)")
    }

    @Test(arguments: [
        WrongSpec("[]", "", "spec.wrong_type", #"{"type": "network", "request": "https://example.com/"}"#),
        WrongSpec("{}", "", "spec.missing_member", hint: "network, download, delay, group"),
        WrongSpec(#"{"for":"1s"}"#, "", "spec.missing_member", #""type": "delay""#),
        WrongSpec(#"{"type":"dleay","for":"1s"}"#, "/type", "spec.unknown_type", "delay"),
        WrongSpec(
            #"{"type":"teleport"}"#, "/type", "spec.unknown_type", hint: "network, download, delay, group"),
        WrongSpec(#"{"type":7}"#, "/type", "spec.wrong_type", hint: "a number"),
        WrongSpec(#"{"type":"network"}"#, "", "spec.missing_member", #""request": "https://example.com/""#),
        WrongSpec(#"{"type":"delay"}"#, "", "spec.missing_member", #""for": "90s""#),
        WrongSpec(
            #"{"type":"group"}"#, "", "spec.missing_member",
            #""operations": [{"type": "delay", "for": "1s"}]"#),
        WrongSpec(#"{"type":"value"}"#, "", "spec.missing_member", #""value": {"answer": 42}"#),
        WrongSpec(#"{"type":"group","operations":[]}"#, "/operations", "spec.out_of_range"),
        WrongSpec(#"{"type":"group","operations":{}}"#, "/operations", "spec.wrong_type"),
        WrongSpec(#"{"type":"group","operations":[1]}"#, "/operations/0", "spec.wrong_type"),
        WrongSpec(
            #"{"type":"group","retry":{},"operations":[{"type":"value","value":1}]}"#, "/retry",
            "spec.not_available",
            #"say "retry" in the calls, or in "defaults" of the job"#),
        .delay(#""tmeouts":{"total":"1s"}"#, "/tmeouts", "spec.unknown_member", "timeouts"),
        .delay(#""request":"x""#, "/request", "spec.unknown_member", hint: "type network"),
        .delay(#""name":"My Delay""#, "/name", "spec.bad_name", "my_delay"),
        .delay(#""name":"9""#, "/name", "spec.bad_name"),
        .delay(#""priority":10"#, "/priority", "spec.out_of_range", "9", hint: "0 to 9"),
        .delay(#""priority":1.6"#, "/priority", "spec.out_of_range", "2"),
        .delay(#""priority":9.5"#, "/priority", "spec.out_of_range", "9"),
        .delay(#""priority":"5""#, "/priority", "spec.wrong_type", "5"),
        .delay(#""queue":"A""#, "/queue", "spec.bad_name", "a"),
        .delay(#""run_at":"tomorrow""#, "/run_at", "spec.bad_time", "24h", hint: "a local time"),
        .delay(#""run_at":"2038-01-01T00:00:00Z""#, "/run_at", "spec.out_of_range", hint: "3660 days"),
        .delay(#""start_by":"0s""#, "/start_by", "spec.out_of_range"),
        .delay(#""star_by":"1h""#, "/star_by", "spec.unknown_member", "start_by"),
        .delay(#""run_at":"3661d""#, "/run_at", "spec.out_of_range"),
        .delay(#""run_at":90"#, "/run_at", "spec.wrong_type", "90s"),
        .delay(#""until":"2026-12-01T00:00:00Z""#, "/until", "spec.conflict"),
        .delay(#""counted_from":"start""#, "/counted_from", "spec.unknown_word"),
        .delay(#""timeouts":{"total":"90 seconds"}"#, "/timeouts/total", "spec.bad_duration", "90s"),
        .delay(#""timeouts":{"total":90}"#, "/timeouts/total", "spec.bad_duration", "90s"),
        .delay(#""timeouts":{"total":"0s"}"#, "/timeouts/total", "spec.out_of_range", hint: "more than zero"),
        .delay(#""timeouts":{"total":"P1M"}"#, "/timeouts/total", "spec.bad_duration", hint: "fixed length"),
        .delay(#""finish_by":"2026-11-31T00:00:00Z""#, "/finish_by", "spec.bad_time", hint: "30 days"),
        .delay(#""finish_by":"PT0S""#, "/finish_by", "spec.out_of_range"),
        .delay(#""on_failure":"contniue""#, "/on_failure", "spec.unknown_word", "continue"),
        .delay(#""labels":{"a":1}"#, "/labels/a", "spec.wrong_type", #""1""#),
        .delay(#""labels":{"":"x"}"#, "/labels/", "spec.out_of_range", hint: "1 to 63"),
        .delay(#""labels":["a"]"#, "/labels", "spec.wrong_type", #"{"team": "finance"}"#),
        .delay(#""metadata":[]"#, "/metadata", "spec.wrong_type"),
        .delay(
            #""unique":7"#, "/unique", "spec.wrong_type",
            #"{"key": "nightly-report", "on_conflict": "join"}"#, hint: "a key or an object"),
        .delay(#""unique":"""#, "/unique", "spec.out_of_range", hint: "1 to 255"),
        .delay(
            #""unique":{"on_conflict":"join"}"#, "/unique", "spec.missing_member",
            #"{"key": "nightly-report", "on_conflict": "join"}"#, hint: "which key"),
        .delay(
            #""unique":{"key":"k","on_conflict":"jion"}"#, "/unique/on_conflict", "spec.unknown_word", "join"),
        .delay(#""unique":{"key":"a\u0000"}"#, "/unique/key", "spec.out_of_range", hint: "control"),
        .delay(#""retention":{"succeded":"1d"}"#, "/retention/succeded", "spec.unknown_member", "succeeded"),
        .delay(#""defaults":{"rety":1}"#, "/defaults/rety", "spec.unknown_member", "retry"),
        .delay(#""after":["a"]"#, "/after", "spec.not_available", hint: "one group"),
        .after(#""a""#, "", "spec.wrong_type", #"["a"]"#),
        .after(#"[{"states":"any"}]"#, "/0", "spec.missing_member"),
        .after(#"[{"operation":"a","states":"finished"}]"#, "/0/states", "spec.wrong_type", #""any""#),
        .after(#"[{"operation":"a","states":"failed"}]"#, "/0/states", "spec.wrong_type", #"["failed"]"#),
        .after(#"[{"operation":"a","states":["faild"]}]"#, "/0/states/0", "spec.unknown_word", "failed"),
        .after(#"[{"operation":"a","states":[]}]"#, "/0/states", "spec.out_of_range"),
        .after(#"["a","a"]"#, "/1", "spec.duplicate_name"),
        .delay(
            #""when":{"at":"/body","equals":1}"#, "/when", "spec.missing_member", #""$get": "<operation>""#),
        .delay(
            #""when":true"#, "/when", "spec.wrong_type",
            #"{"$get": "<operation>", "at": "/body/status", "equals": "done"}"#),
        .delay(
            #""conditions":[{"type":"reachabilty","url":"http://a.example/"}]"#, "/conditions/0/type",
            "spec.unknown_type", "reachability"),
        .delay(#""conditions":["approval"]"#, "/conditions/0", "spec.wrong_type", #"{"type": "approval"}"#),
        .delay(#""conditions":[{}]"#, "/conditions/0", "spec.missing_member", hint: "\"when\""),
        .delay(
            #""conditions":[{"type":"authorized_for"}]"#, "/conditions/0", "spec.missing_member",
            #""grant": "billing""#),
        .delay(
            #""conditions":[{"type":"authorized_for","grant":"mail","scope":"a b"}]"#,
            "/conditions/0/scope", "spec.bad_name"),
        .delay(
            #""conditions":[{"type":"approval"}]"#, "/conditions/0", "spec.missing_member",
            #""prompt": "Pay this invoice?""#),
        .delay(
            #""conditions":[{"type":"approval","prompt":"Go?","on_timeout":"continue"}]"#, "/conditions/0",
            "spec.missing_member", #""timeout": "8h""#),
        .delay(
            #""conditions":[{"type":"approval","prompt":"Go?","timeout":"8h","on_timeout":"contniue"}]"#,
            "/conditions/0/on_timeout", "spec.unknown_word", "continue"),
        .delay(
            #""conditions":[{"type":"approval","prompt":"Go?","timeuot":"8h"}]"#, "/conditions/0/timeuot",
            "spec.unknown_member", "timeout"),
        .delay(
            #""conditions":[{"type":"lock"}]"#, "/conditions/0", "spec.missing_member",
            #""key": "printer""#),
        .delay(
            #""conditions":[{"type":"lock","key":""}]"#, "/conditions/0/key",
            "spec.out_of_range"),
        .delay(
            #""conditions":[{"type":"reachability"}]"#, "/conditions/0", "spec.missing_member",
            #""url": "https://example.com/""#),
        .delay(
            #""conditions":[{"type":"reachability","url":"http://a.example/","probe":"icmp"}]"#,
            "/conditions/0/probe", "spec.unknown_word"),
    ])
    func `has the position and the correct form`(wrong: WrongSpec) { expectOneProblem(wrong) }

    @Test(arguments: [
        WrongSpec(
            #"{"type":"network","request":7}"#, "/request", "spec.wrong_type",
            #"{"method": "GET", "url": "https://example.com/"}"#),
        WrongSpec(
            #"{"type":"network","request":{"method":"GET"}}"#, "/request", "spec.missing_member",
            #""url": "https://example.com/""#),
        .url("example.com/x", "spec.bad_url", "https://example.com/x"),
        .url("ftp://a.example/", "spec.bad_url", hint: "http"),
        .url("https://ada:pw@a.example/", "spec.unsafe_url"),
        .url("https://a.example/#x", "spec.bad_url"),
        .url(
            "https://a.example/{id}", "spec.bad_url",
            #"{"url": "https://example.com/{id}", "vars": {"id": 7}}"#),
        .request(#""url2":1"#, "/url2", "spec.unknown_member", "url"),
        .request(#""method":"GET ""#, "/method", "spec.bad_method", "GET", hint: "POST"),
        .request(#""method":"CONNECT""#, "/method", "spec.bad_method"),
        .request(#""headers":{"X":"a\r\nHost: b"}"#, "/headers/X", "spec.bad_header", hint: "line break"),
        .request(#""headers":{"X":"a\u0000"}"#, "/headers/X", "spec.bad_header"),
        .request(#""headers":{"Host":"b"}"#, "/headers/Host", "spec.bad_header", hint: "set by the server"),
        .request(#""headers":{"content-LENGTH":"1"}"#, "/headers/content-LENGTH", "spec.bad_header"),
        .request(
            #""headers":{"Transfer-Encoding":"chunked"}"#, "/headers/Transfer-Encoding", "spec.bad_header"),
        .request(#""headers":{"Connection":"close"}"#, "/headers/Connection", "spec.bad_header"),
        .request(#""headers":{"a b":"1"}"#, "/headers/a b", "spec.bad_header"),
        .request(#""headers":{"a":[["1"]]}"#, "/headers/a/0", "spec.wrong_type"),
        .request(#""headers":[]"#, "/headers", "spec.wrong_type", #"{"Accept": "application/json"}"#),
        .request(#""query":{"a":{"b":1}}"#, "/query/a", "spec.wrong_type"),
        .request(#""json":1,"text":"x""#, "/text", "spec.conflict", hint: "json, text"),
        .request(#""base64":"???""#, "/base64", "spec.bad_base64"),
        .request(#""redirects":21"#, "/redirects", "spec.out_of_range", "20"),
        .request(#""redirects":{"folow":1}"#, "/redirects/folow", "spec.unknown_member", "follow"),
        .request(#""idempotency_key":"a\nb""#, "/idempotency_key", "spec.bad_header"),
        .request(#""auth":"secret""#, "/auth", "spec.wrong_type", #"{"type": "bearer", "token": "…"}"#),
        .request(#""auth":{"type":"bearr","token":"x"}"#, "/auth/type", "spec.unknown_word", "bearer"),
        .request(
            #""auth":{"type":"basic","username":"x"}"#, "/auth", "spec.missing_member", #""password": "…""#),
        .request(#""auth":{"type":"header","name":"Host","value":"x"}"#, "/auth/name", "spec.bad_header"),
        .request(
            #""auth":{"type":"bearer","token":"x"},"headers":{"Authorization":"y"}"#, "/auth", "spec.conflict"
        ),
        .request(#""json":{"a":{"$artifact":"k"}}"#, "/json/a/$artifact", "spec.not_available"),
        .request(#""json":[{"$param":"k"}]"#, "/json/0/$param", "spec.not_available", hint: "no parameters"),
        .request(#""json":{"$item":"/id"}"#, "/json/$item", "spec.not_available"),
        .request(#""text":{"$text":"{a","vars":{}}"#, "/text/$text", "spec.bad_template"),
        .request(
            #""text":{"$text":"{nane}","vars":{"name":1}}"#, "/text/$text", "spec.missing_member", "name"),
    ])
    func `has its calls checked before anything is sent`(wrong: WrongSpec) { expectOneProblem(wrong) }

    @Test(arguments: [
        (#""url":"https://a.example/{id}""#, "/request/url", "spec.missing_member"),
        (#""url":"https://a.example/{id","vars":{"id":1}"#, "/request/url", "spec.bad_template"),
        (#""url":"https://a.example/{id}","vars":{"id":null}"#, "/request/url", "spec.bad_template"),
        (#""url":"https://a.example/{?id}","vars":{"id":[[1]]}"#, "/request/vars/id", "spec.wrong_type"),
        (#""url":"ftp://a.example/{id}","vars":{"id":1}"#, "/request/url", "spec.bad_url"),
        (#""url":"{id}","vars":{"id":"x"}"#, "/request/url", "spec.bad_url"),
    ])
    func `has its templates expanded on trial`(request: String, pointer: String, code: String) {
        let found = problems(#"{"type":"network","request":{\#(request)}}"#)
        #expect(found.map(\.code) == [code], "\(found)")
        #expect(found.first?.pointer.description == pointer)
    }

    @Test(arguments: [
        WrongSpec(#"{"max_attempts":0}"#, "/max_attempts", "spec.out_of_range", "1", hint: "1 to 100"),
        WrongSpec("3", "", "spec.wrong_type", #"{"max_attempts": 3}"#),
        WrongSpec(#"{"jitter":"ful"}"#, "/jitter", "spec.unknown_word", "full"),
        WrongSpec(#"{"unsafe":"yes"}"#, "/unsafe", "spec.wrong_type", hint: "true or false"),
        WrongSpec(#"{"backoff":"5 sec"}"#, "/backoff", "spec.bad_duration", "5s"),
        WrongSpec(#"{"backoff":{"type":"exponental"}}"#, "/backoff/type", "spec.unknown_word", "exponential"),
        WrongSpec(#"{"backoff":{"factor":0.5}}"#, "/backoff/factor", "spec.out_of_range"),
        WrongSpec(
            #"{"backoff":{"type":"fixed","factor":2}}"#, "/backoff/factor", "spec.unknown_member",
            hint: "fixed backoff"),
        WrongSpec(
            #"{"backoff":{"type":"schedule"}}"#, "/backoff", "spec.missing_member",
            #""schedule": ["5s", "1m", "10m"]"#),
        WrongSpec(#"{"backoff":{"schedule":[]}}"#, "/backoff/schedule", "spec.out_of_range"),
    ])
    func `has its retry rule checked`(wrong: WrongSpec) {
        expectOneProblem(
            WrongSpec(
                #"{"type":"network","request":"http://a.example/","retry":\#(wrong.text)}"#,
                "/retry" + wrong.pointer,
                wrong.code, wrong.suggestion, hint: wrong.hint))
    }

    @Test(arguments: [
        WrongSpec(#"{"status":1000}"#, "/status", "spec.out_of_range", "999"),
        WrongSpec(#"{"status":["200"]}"#, "/status/0", "spec.unknown_word", "200"),
        WrongSpec(#"{"status":"2XX"}"#, "/status", "spec.unknown_word", "2xx"),
        WrongSpec(#"{"status":[]}"#, "/status", "spec.out_of_range"),
        WrongSpec(#"{"content_type":"json"}"#, "/content_type", "spec.unknown_word", "application/json"),
        WrongSpec(#"{"content_type":["text/*","*/json"]}"#, "/content_type/1", "spec.unknown_word"),
        WrongSpec(#"{"content_type":[]}"#, "/content_type", "spec.out_of_range"),
        WrongSpec(#"{"that":{"at":"body/ok","equals":1}}"#, "/that/at", "spec.bad_pointer", "/body/ok"),
        WrongSpec(#"{"that":{"at":"/bdy/ok","equals":1}}"#, "/that/at", "spec.bad_pointer", "/body/ok"),
        WrongSpec(#"{"that":{"at":"/items/0","equals":1}}"#, "/that/at", "spec.bad_pointer", "/body/items/0"),
        WrongSpec(#"{"that":{"at":"/body"}}"#, "/that", "spec.missing_member", hint: "starts_with"),
        WrongSpec(#"{"that":{"equals":1}}"#, "/that", "spec.missing_member", #""at": "/body/status""#),
        WrongSpec(
            #"{"that":{"at":"/body","equal":1,"less":2}}"#, "/that/equal", "spec.unknown_member", "equals"),
        WrongSpec(#"{"that":{"at":"/body","greater":[]}}"#, "/that/greater", "spec.wrong_type"),
        WrongSpec(#"{"that":{"at":"/body","in":1}}"#, "/that/in", "spec.wrong_type"),
        WrongSpec(#"{"that":{"at":"/body","matches":"(a"}}"#, "/that/matches", "spec.bad_pattern"),
        WrongSpec(#"{"that":{"all":{}}}"#, "/that/all", "spec.wrong_type"),
        WrongSpec(#"{"that":{"any":[],"at":"/body"}}"#, "/that/at", "spec.unknown_member"),
    ])
    func `has its expectation checked`(wrong: WrongSpec) {
        expectOneProblem(
            WrongSpec(
                #"{"type":"network","request":"http://a.example/","expect":\#(wrong.text)}"#,
                "/expect" + wrong.pointer,
                wrong.code, wrong.suggestion, hint: wrong.hint))
    }

    @Test func `with the job's members in an operation names their position`() {
        for member in ["queue", "queue_key", "priority", "labels", "retention", "unique", "defaults"] {
            expectOneProblem(
                WrongSpec(
                    #"{"type":"group","operations":[{"type":"value","value":1,"\#(member)":"x"}]}"#,
                    "/operations/0/\(member)", "spec.root_only", hint: "outermost"))
        }
    }

    @Test func `with two siblings of one name reports the name`() {
        expectOneProblem(
            WrongSpec(
                #"{"type":"group","operations":[{"type":"value","name":"a","value":1},"#
                    + #"{"type":"value","name":"a","value":2}]}"#,
                "/operations/1/name", "spec.duplicate_name", hint: "Operation 1"))
    }

    @Test func `reports everything at once, up to a hundred`() {
        let found = problems(
            #"""
            {"type":"group","quue":"x","priority":99,"operations":[
              {"type":"network","request":{"url":"nope","method":"?"}},
              {"type":"delay","for":"soon"},{"type":"sleep"},{"type":"value","value":1,"after":["x"]}]}
            """#)
        #expect(
            Set(found.map(\.pointer.description)) == [
                "/quue", "/priority", "/operations/0/request/url", "/operations/0/request/method",
                "/operations/1/for", "/operations/2/type", "/operations/2", "/operations/3/after/0",
            ])
        let many = (0..<150).map { #""m\#($0)":1"# }.joined(separator: ",")
        guard
            case .failure(let problems) = JobSpecReader.read(
                Array(#"{"type":"delay","for":"1s",\#(many)}"#.utf8), now: specNow)
        else {
            Issue.record("150 unknown members were accepted")
            return
        }
        #expect(problems.list.count == 100)
        #expect(problems.isCut)
    }

    @Test func `that is no JSON is one problem with line and column`() {
        let found = problems("{\n  \"type\": \"delay\",\n  \"for\": }")
        #expect(found.map(\.code) == ["json.syntax"])
        #expect(found.first?.sentence.hasPrefix("At \"/for\": line 3, column 10: ") == true, "\(found)")
        #expect(problems("{").first?.sentence.hasPrefix("line 1, column 2: ") == true)
        #expect(problems(#"{"type":"delay","type":"delay"}"#).map(\.code) == ["json.duplicate_member"])
    }

    @Test func `that is too large, too deep or too long is refused by name`() {
        var limits = SpecLimits.standard
        limits.operationsMax = 3
        let value = #"{"type":"value","value":1}"#
        let four = problems(
            #"{"type":"group","operations":[\#(value),\#(value),\#(value),\#(value)]}"#, limits: limits)
        #expect(four.map(\.code) == ["spec.too_many_operations"])
        var nested = value
        for _ in 0..<17 { nested = #"{"type":"group","operations":[\#(nested)]}"# }
        #expect(problems(nested).map(\.code) == ["spec.too_deep"])
        let metadata = String(repeating: "x", count: 16 << 10)
        #expect(
            problems(#"{"type":"delay","for":"1s","metadata":{"a":"\#(metadata)"}}"#).map(\.code) == [
                "spec.too_large"
            ])
        let labels = (0..<33).map { #""l\#($0)":"x""# }.joined(separator: ",")
        #expect(
            problems(#"{"type":"delay","for":"1s","labels":{\#(labels)}}"#).map(\.code) == ["spec.too_large"])
        #expect(problems(String(repeating: " ", count: 1 << 20) + "{}").map(\.code) == ["json.size"])
        #expect(problems(String(repeating: "[", count: 65)).map(\.code) == ["json.depth"])
    }

    @Test func `never stops the reader, whatever the values`() {
        let values = [
            "null", "true", "1", "-1e999", #""x""#, "[]", "{}", #"[{"a":[null]}]"#, #"{"type":"value"}"#,
        ]
        let members = [
            "type", "name", "after", "conditions", "when", "timeouts", "run_at", "start_by", "finish_by",
            "on_failure", "request",
            "expect",
            "retry", "for", "until", "counted_from", "operations", "concurrency", "ordered", "stop_when",
            "value",
            "queue",
            "priority", "queue_key", "labels", "metadata", "retention", "defaults",
        ]
        for type in ["network", "delay", "group", "value"] {
            for member in members where member != "type" {
                for value in values {
                    for found in problems(#"{"type":"\#(type)","\#(member)":\#(value)}"#) {
                        #expect(!found.detail.isEmpty)
                    }
                }
            }
        }
        let names = "method url vars query headers json form text base64 auth redirects"
        for member in names.split(separator: " ") {
            for value in values {
                for found in problems(#"{"type":"network","request":{"\#(member)":\#(value)}}"#) {
                    #expect(!found.detail.isEmpty)
                }
            }
        }
    }
}
