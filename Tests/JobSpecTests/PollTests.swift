import HTTPMessage
import StrictJSON
import Testing

@testable import JobKit
import JobSpec
import TestOperations

@Suite struct `A poll` {
    private func spec(_ rule: String, method: String = "GET") -> String {
        #"{"type":"poll","request":{"method":"\#(method)","url":"https://a.example/jobs/1"},\#(rule)}"#
    }

    /// Runs a poll and lets its waits pass.
    private func ending(_ text: String, _ run: SpecRun) async throws -> OperationEnding {
        let ended = Latch()
        let task = Task {
            defer { ended.open() }
            return try await run.ending(text)
        }
        while !ended.isOpen {
            run.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        return try await task.value
    }

    private let done = #""until":{"at":"/body/status","equals":"done"}"#

    @Test func `calls until the upstream is done, and has the last answer`() async throws {
        let run = SpecRun { _, before in
            (200, before < 3 ? #"{"status":"busy"}"# : #"{"status":"done","x":1}"#)
        }
        let ending = try await ending(spec(done), run)
        #expect(ending.result?.bodyValue == ["status": "done", "x": 1])
        #expect(run.calls.all.count == 4)
    }

    @Test func `waits between its calls, and longer when the upstream requests it`() async throws {
        let run = SpecRun { _, before in (200, before < 2 ? "{}" : #"{"status":"done"}"#) }
        let task = run.start(spec(#"\#(done),"backoff":{"type":"linear","initial":"2s","step":"3s"}"#))
        for wait in [2, 5] {
            await run.clock.waitForSleepers()
            #expect(run.clock.nextWake == run.clock.now.advanced(by: .seconds(wait)))
            run.clock.advance(by: .seconds(wait))
        }
        #expect(try await task.value.state == .succeeded)
    }

    @Test func `uses up no attempts as long as it gets answers`() async throws {
        // Between any two answers one call fails.
        let run = SpecRun { _, before in
            before % 2 == 1 ? (503, "{}") : (200, before < 12 ? "{}" : #"{"status":"done"}"#)
        }
        let text = spec(#"\#(done),"every":"1s","retry":{"max_attempts":2,"backoff":"1s","jitter":"none"}"#)
        #expect(try await ending(text, run).state == .succeeded)
        #expect(run.calls.all.count == 13)
    }

    @Test func `fails when the upstream reports a failure, or is not done in time`() async throws {
        let failing = SpecRun { _, _ in (200, #"{"status":"broken"}"#) }
        let broken = try await ending(
            spec(#"\#(done),"fail_if":{"at":"/body/status","equals":"broken"}"#), failing)
        #expect(broken.errors.map(\.code) == [.pollFailed])
        #expect(broken.errors.first?.upstream?.status == 200)
        #expect(failing.calls.all.count == 1)
        let slow = SpecRun()
        let exhausted = try await ending(spec(#"\#(done),"max_polls":3"#), slow)
        #expect(exhausted.errors.map(\.code) == [.pollExhausted])
        #expect(slow.calls.all.count == 3)
        #expect(exhausted.errors.first?.detail.contains("/body/status is") == true)
        let late = try await ending(spec(#"\#(done),"timeouts":{"total":"25s"}"#), SpecRun())
        #expect(late.errors.map(\.code) == [.timeoutTotal])
        #expect(late.errors.first?.detail.contains(" Raise timeouts.total if ") == true)
    }

    @Test func `follows where the work is to be watched`() async throws {
        let run = SpecRun(fields: { call in call.method == "POST" ? [("Location", "/status/7")] : [] }) {
            call, before in
            call.method == "POST" ? (202, "{}") : (before < 3 ? 202 : 200, "{\"n\":\(before)}")
        }
        let ending = try await ending(spec(#""follow":true"#, method: "POST"), run)
        #expect(ending.result?.bodyValue == ["n": 3])
        #expect(run.calls.all.map(\.method) == ["POST", "GET", "GET", "GET"])
        #expect(run.calls.all.dropFirst().allSatisfy { $0.url == "https://a.example/status/7" })
    }

    @Test func `sends its credentials only to the origin of its first call`() async throws {
        let run = SpecRun(fields: { call in
            call.url.contains("a.example") ? [("Operation-Location", "https://b.example/s")] : []
        }) { _, before in (200, before < 2 ? "{}" : #"{"status":"done"}"#) }
        let text =
            #"{"type":"poll","request":{"url":"https://a.example/","auth":{"type":"bearer","token":"t"},"#
            + #""headers":{"Accept":"text/plain"}},"follow":true,\#(done)}"#
        #expect(try await ending(text, run).state == .succeeded)
        let names = run.calls.all.map { call in call.fields.map { $0.name.lowercased() } }
        #expect(names[0].contains("authorization"))
        #expect(!names[1].contains("authorization"))
        #expect(names[1].contains("accept"))
        #expect(
            run.calls.all.map(\.url) == ["https://a.example/", "https://b.example/s", "https://b.example/s"])
    }

    @Test(arguments: [
        ("/status/7#top", "https://a.example/status/7"),
        ("/status of 7", "https://a.example/status%20of%207"),
        ("/caf\u{e9}", "https://a.example/caf%C3%A9"), ("../status?n=7", "https://a.example/status?n=7"),
        ("https://a.example/jobs/1", "https://a.example/jobs/1"),
    ])
    func `follows a Location as a browser would`(location: String, url: String) async throws {
        let run = SpecRun(fields: { call in call.method == "POST" ? [("Location", location)] : [] }) {
            call, _ in
            (call.method == "POST" ? 202 : 200, "{}")
        }
        #expect(try await ending(spec(#""follow":true"#, method: "POST"), run).state == .succeeded)
        #expect(run.calls.all.map(\.method) == ["POST", "GET"])
        #expect(run.calls.all.last?.url == url)
    }

    static let lost: [(location: String?, why: String)] = [
        ("/100%", "A % is not followed by two hexadecimal digits."), ("", "nothing but the call itself"),
        ("#top", "nothing but the call itself"), (nil, "no Location and no Operation-Location"),
        ("/" + String(repeating: "x", count: 8 << 10), "longer than 8192 bytes"),
        ("ftp://b.example/", "neither http:// nor https://"), ("/a\\b", "backslash"),
        ("https://u:p@b.example/", "user name"),
    ]

    @Test(arguments: lost)
    func `never resends accepted work when the location is unusable`(
        location: String?, why: String
    ) async throws {
        for retry in ["", #","retry":{"max_attempts":5,"errors":[202,"poll.*"],"unsafe":true}"#] {
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let run = SpecRun(fields: { _ in location.map { [("Location", $0)] } ?? [] }) { _, _ in
                    (202, "{}")
                }
                let ending = try await ending(spec(#""follow":true\#(retry)"#, method: method), run)
                #expect(ending.errors.map(\.code) == [.pollLocation])
                let detail = ending.errors.first?.detail ?? ""
                #expect(detail.contains(why) && detail.contains("The \(method) was accepted"), "\(detail)")
                #expect(ending.errors.first?.delivery == "answered")
                #expect(run.calls.all.count == 1)
            }
        }
    }

    @Test func `never resends accepted work while until does not hold`() async throws {
        let run = SpecRun { _, _ in (201, #"{"status":"busy"}"#) }
        let ending = try await ending(spec(#""follow":true,\#(done)"#, method: "POST"), run)
        #expect(ending.errors.map(\.code) == [.pollLocation])
        #expect(run.calls.all.count == 1)
    }

    @Test func `asks a GET again that names no other place`() async throws {
        let run = SpecRun { _, before in (before < 3 ? 202 : 200, "{}") }
        #expect(try await ending(spec(#""follow":true"#), run).state == .succeeded)
        #expect(run.calls.all.count == 4)
    }

    @Test(arguments: [
        (#""every":"1s""#, "", "spec.missing_member"), (#""follow":1"#, "/follow", "spec.wrong_type"),
        (#""follow":true,"max_polls":0"#, "/max_polls", "spec.out_of_range"),
        (#""follow":true,"max_runs":3"#, "/max_runs", "spec.unknown_member"),
    ])
    func `is checked before it runs`(rule: String, pointer: String, code: String) {
        let found = problems(spec(rule))
        #expect(found.first?.code == code, "\(found)")
        #expect(found.first?.pointer.description == pointer)
    }
}

@Suite struct `A notification` {
    @Test func `sends its message with the facts of the job, the same in every attempt`() async throws {
        let run = SpecRun { _, before in (before == 0 ? 503 : 200, "{}") }
        let task = run.start(
            #"""
            {"type":"group","name":"nightly","labels":{"team":"a"},"operations":[
              {"type":"value","name":"sum","value":7},
              {"type":"notify","name":"tell","request":"https://hooks.example/x","title":"Nightly",
               "message":{"$text":"The sum is {n}.","vars":{"n":{"$get":"sum"}}},"data":{"sum":{"$get":"sum"}},
               "retry":{"backoff":"1s","jitter":"none"}}]}
            """#)
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(1))
        #expect(try await task.value.state == .succeeded)
        let calls = run.calls.all
        #expect(calls.count == 2)
        #expect(calls[0].method == "POST")
        #expect(calls[0].body == calls[1].body)
        let keys = calls.map { call in call.fields.first { $0.name == "Idempotency-Key" }?.value }
        #expect(keys == ["\"job_test/tell\"", "\"job_test/tell\""])
        let body = try JSONParser.parse(calls[0].body ?? []).object
        #expect(body?["event"] == "notification")
        #expect(body?["title"] == "Nightly")
        #expect(body?["message"] == "The sum is 7.")
        #expect(body?["data"] == ["sum": 7])
        #expect(body?["job"]?.object?["id"] == "job_test")
        #expect(body?["job"]?.object?["labels"] == ["team": "a"])
        #expect(body?["operation"] == "tell")
    }

    @Test(arguments: [
        WrongSpec(
            #"{"type":"notify","request":"https://a.example/"}"#, "", "spec.missing_member", hint: "message"),
        WrongSpec(#"{"type":"notify","message":"x"}"#, "", "spec.missing_member", hint: "request"),
        WrongSpec(
            #"{"type":"notify","message":"x","request":{"url":"https://a.example/","json":{}}}"#,
            "/request/json", "spec.conflict", hint: "data"),
        WrongSpec(
            #"{"type":"notify","message":"x","request":{"url":"https://a.example/","method":"GET"}}"#,
            "/request/method", "spec.bad_method"),
        WrongSpec(
            #"{"type":"notify","message":{},"request":"https://a.example/"}"#, "/message", "spec.wrong_type"),
    ])
    func `is checked before it is sent`(wrong: WrongSpec) { wrong.expectAlone() }
}
