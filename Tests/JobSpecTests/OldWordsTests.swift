@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `A word that specs had before` {
    private static let call = #""type":"network","request":"https://a.example/""#

    private static func asking(_ word: String) -> String {
        #"\#(call),"conditions":[{"type":"approval","prompt":"?","timeout":"1h","on_timeout":"\#(word)"}]"#
    }

    private static func reaching(_ member: String) -> String {
        #"\#(call),"conditions":[{"type":"reachability","url":"https://a.example/","\#(member)":"5s"}]"#
    }

    @Test(arguments: [
        ("\(call),\"delay\":\"8h\"", "/delay", "run_at"),
        ("\(call),\"deadline\":\"8h\"", "/deadline", "finish_by"),
        ("\(call),\"expires_after\":\"8h\"", "/expires_after", "start_by"),
        ("\(call),\"key\":\"acme\"", "/key", "queue_key"), ("\(call),\"to\":{}", "/to", "save"),
        ("\(call),\"timeouts\":{\"queue\":\"10m\"}", "/timeouts/queue", #""start_by": "10m""#),
        ("\(call),\"retry\":{\"on\":[503]}", "/retry/on", "errors"),
        ("\(call),\"retry\":{\"retry_after_max\":\"1h\"}", "/retry/retry_after_max", "max_retry_after"),
        (
            "\(call),\"callbacks\":[{\"request\":\"https://a.example/\",\"on\":[]}]", "/callbacks/0/on",
            "states"
        ),
        (
            "\(call),\"conditions\":[{\"type\":\"mutual_exclusion\",\"key\":\"k\"}]", "/conditions/0/type",
            "lock"
        ),
        (
            reaching("interval"),
            "/conditions/0/interval", "every"
        ),
        (
            reaching("give_up_after"),
            "/conditions/0/give_up_after", "timeout"
        ),
        ("\(call),\"unique\":{\"key\":\"k\",\"on_conflict\":\"queue\"}", "/unique/on_conflict", "wait"),
        (
            asking("approve"),
            "/conditions/0/on_timeout", "continue"
        ),
        (
            asking("reject"),
            "/conditions/0/on_timeout", "fail"
        ),
        (#""type":"delay","for":"1s","from":"submission""#, "/from", "counted_from"),
        (
            #""type":"repeat","times":3,"operation":{"type":"value","value":1}"#, "/times", "max_runs"
        ),
        (
            #""type":"group","map":{"items":[1],"to":{},"operation":{"type":"value","value":1}}"#, "/map/to",
            "save"
        ),
    ])
    func `is answered with that of today`(members: String, pointer: String, word: String) throws {
        let problem = try #require(problems("{\(members)}").first { $0.pointer.description == pointer })
        #expect(problem.suggestion == word)
    }

    @Test(arguments: [
        (#"{"max_waiting":5,"when_full":"refuse"}"#, "/when_full", "reject")
    ])
    func `of a queue is answered with that of today`(text: String, pointer: String, word: String) throws {
        guard case .failure(let problems) = QueueReader.read(try JSONParser.parse(Array(text.utf8))) else {
            Issue.record("accepted")
            return
        }
        #expect(problems.list.map(\.pointer.description) == [pointer])
        #expect(problems.list.first?.suggestion == word)
    }
}

/// Words that have no single counterpart are answered with a part of a spec that does the same.
@Suite struct `A familiar word of another system` {
    private static let call = #""type":"network","name":"charge","request":"https://a.example/""#
    private static let reaction = #""after": [{"operation": "charge", "states": ["failed"]}]"#
    private static let approval = #""conditions": [{"type": "approval", "prompt": "Pay this invoice?"}]"#

    @Test(arguments: [
        ("{\(call),\"catch\":[]}", "/catch", reaction, "another operation"),
        ("{\(call),\"on_failure\":{\"run\":\"refund\"}}", "/on_failure", reaction, "another operation"),
        ("{\(call),\"on_failure\":\"ignore\"}", "/on_failure", "continue", "\"continue\""),
        ("{\(call),\"approval\":{}}", "/approval", approval, "condition"),
        (#"{"type":"approval"}"#, "/type", approval, "condition"),
        ("{\(call),\"if\":\"x\"}", "/if", "when", ""),
        (
            #"{"type":"if"}"#, "/type", #""when": {"$get": "check", "at": "/body/state", "equals": "paid"}"#,
            "choose"
        ),
        (
            "{\(call),\"schedule\":\"0 * * * *\"}", "/schedule",
            #"{"cron": "0 * * * *", "job": {"type": "network"}}"#, "PUT /v1/schedules/{name}"
        ),
        (
            "{\(call),\"cron\":\"@daily\"}", "/cron", #"{"cron": "@daily", "job": {"type": "network"}}"#,
            "schedule"
        ),
        (
            "{\(call),\"foreach\":[1]}", "/foreach",
            #"{"type": "group", "map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}}"#,
            "each"
        ),
        (
            #"{"type":"for_each"}"#, "/type",
            #"{"type": "group", "map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}}"#,
            "each"
        ),
        (
            #"{"type":"parallel"}"#, "/type",
            #"{"type": "group", "operations": [{"type": "value", "value": 1}]}"#, "same time"
        ),
        ("{\(call),\"expect\":201}", "/expect", #"{"status": 201}"#, "an object"),
        ("{\(call),\"expect\":\"2xx\"}", "/expect", #"{"status": "2xx"}"#, "an object"),
        ("{\(call),\"expect\":[200,404]}", "/expect", #"{"status": [200, 404]}"#, "an object"),
        ("{\(call),\"priority\":\"high\"}", "/priority", "8", "9 is first"),
        ("{\(call),\"labels\":{\"n\":1}}", "/labels/n", #""1""#, "a text"),
        (
            "{\(call),\"when\":\"a.status == 200\"}", "/when",
            #"{"$get": "<operation>", "at": "/body/status", "equals": "done"}"#, "names a place"
        ),
        (
            #"{"type":"network","request":{"url":{"$get":"a"}}}"#, "/request/url",
            #""url": "https://example.com/orders/{id}", "vars": {"id": {"$get": "order", "at": "/body/id"}}"#,
            "template"
        ),
    ])
    func `leads to what does the same`(
        spec: String, pointer: String, suggestion: String, hint: String
    ) throws {
        let problem = try #require(problems(spec).first { $0.pointer.description == pointer })
        #expect(problem.suggestion == suggestion)
        #expect(problem.detail.contains(hint), "\(problem)")
    }
}
