import JobKit
import JobSpec
import StrictJSON
import Testing

@Suite struct `The retry rule and the clocks of a spec` {
    @Test(arguments: [
        .delay(#""timeouts":"90s""#, "/timeouts", "spec.wrong_type", #"{"total": "90s"}"#),
        .delay(#""timeout":"90s""#, "/timeout", "spec.unknown_member", "timeouts"),
        .delay(#""timeouts":{"stall":"1s"}"#, "/timeouts/stall", "spec.not_available", hint: "no call"),
        .delay(
            #""timeouts":{"first":"1s"}"#, "/timeouts/first", "spec.unknown_member",
            hint: "There are: total."),
        .request(#""timeouts":{"connect":"1s"}"#, "/timeouts", "spec.unknown_member", hint: "beside"),
        .call(#""timeouts":{"connect":"0s"}"#, "/timeouts/connect", "spec.out_of_range"),
        .call(#""timeouts":{"attempt":"2d"}"#, "/timeouts/attempt", "spec.out_of_range"),
        .call(#""retry":{"errors":"5xx"}"#, "/retry/errors", "spec.wrong_type"),
        .call(#""retry":{"errors":["often"]}"#, "/retry/errors/0", "spec.unknown_word", hint: "5xx"),
        .call(#""retry":{"errors":[1000]}"#, "/retry/errors/0", "spec.out_of_range", hint: "100 to 999"),
        .call(#""retry":{"never":["conect.*"]}"#, "/retry/never/0", "spec.unknown_word", "connect"),
        .call(#""retry":{"max_elapsed":"0s"}"#, "/retry/max_elapsed", "spec.out_of_range"),
        .call(#""retry":{"max_retry_after":5}"#, "/retry/max_retry_after", "spec.bad_duration", "5s"),
        .call(#""retry":{"respect_retry_after":"1h"}"#, "/retry/respect_retry_after", "spec.wrong_type"),
        .delay(
            #""defaults":{"timeouts":{"queue":"1s"}}"#, "/defaults/timeouts/queue", "spec.unknown_member",
            #""start_by": "1s""#, hint: "of a job or an operation"),
        WrongSpec(
            #"{"type":"group","operations":[{"type":"delay","for":"1s","timeouts":{"queue":"1s"}}]}"#,
            "/operations/0/timeouts/queue", "spec.unknown_member", #""start_by": "1s""#),
    ])
    func `are refused where they are wrong`(wrong: WrongSpec) {
        let found = problems(wrong.text)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.pointer.description == wrong.pointer)
        #expect(found.first?.code == wrong.code)
        #expect(wrong.suggestion == nil || found.first?.suggestion == wrong.suggestion)
        #expect(found.first?.detail.contains(wrong.hint) == true)
    }

    @Test func `have the retryable errors, the budget, and the respect of Retry-After`() throws {
        let spec = try readSpec(
            #"""
            {"type":"network","request":"https://a.example/","retry":{
              "errors":["connect.*","timeout.first_byte",404,"5xx","429","999",620],"never":["connect.refused",501],
              "max_elapsed":"10m","respect_retry_after":false,"max_retry_after":"2m","receiver_stop":false}}
            """#)
        let retry = try #require(spec.operation.retry)
        #expect(
            retry.errors == [
                .family("connect"), .code("timeout.first_byte"), .status(404), .statusClass(5), .status(429),
                .status(999), .status(620),
            ])
        #expect(retry.never == [.code("connect.refused"), .status(501)])
        #expect(retry.elapsedMax == .seconds(600))
        #expect(!retry.respectsRetryAfter && !retry.heedsReceiverStop)
        #expect(retry.retryAfterMax == .seconds(120))
        #expect(retry.attemptsMax == 5)
    }

    @Test func `are shown with their source`() throws {
        let spec = try readSpec(
            #"""
            {"type":"group","name":"all","queue":"bills","timeouts":{"total":"1h"},
             "defaults":{"retry":{"max_attempts":9,"jitter":"none"},"timeouts":{"attempt":"5s","stall":"2s"}},
             "operations":[
               {"type":"network","name":"a","request":"https://a.example/","timeouts":{"stall":"9s"},
                "retry":{"jitter":"equal"}},
               {"type":"delay","name":"b","for":"1s","timeouts":{"total":"1m"}}]}
            """#)
        var writer = JSONWriter()
        spec.writeEffective(to: &writer)
        let shown = try JSONParser.parse(writer.bytes)
        func at(_ pointer: String) -> [JSONValue?] {
            let found = JSONPointer(pointer)?.resolve(in: shown)?.object
            return [found?["value"], found?["source"]]
        }
        #expect(at("/queue") == ["bills", "spec"])
        #expect(at("/priority") == [5, "default"])
        #expect(at("/operations/0/timeouts/total") == ["1h", "spec"])
        #expect(at("/operations/1/timeouts/total") == [.null, "default"])
        #expect(at("/operations/1/timeouts/connect") == ["10s", "default"])
        #expect(at("/operations/1/timeouts/attempt") == ["5s", "defaults"])
        #expect(at("/operations/1/timeouts/stall") == ["9s", "spec"])
        #expect(at("/operations/1/retry/max_attempts") == [9, "defaults"])
        #expect(at("/operations/1/retry/jitter") == ["equal", "spec"])
        #expect(at("/operations/1/retry/max_elapsed") == ["1d", "default"])
        #expect(at("/operations/2/timeouts/total") == ["1m", "spec"])
        #expect(JSONPointer("/operations/2/retry")?.resolve(in: shown) == nil)
    }
}

extension WrongSpec {
    /// A call that has a mistake beside its request.
    static func call(
        _ members: String, _ pointer: String, _ code: String, _ suggestion: String? = nil, hint: String = ""
    ) -> WrongSpec {
        WrongSpec(
            #"{"type":"network","request":"https://a.example/",\#(members)}"#, pointer, code, suggestion,
            hint: hint)
    }
}
