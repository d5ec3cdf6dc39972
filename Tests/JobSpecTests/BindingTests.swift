import HTTPMessage
import JobKit
@testable import JobSpec
import StrictJSON
import TestOperations
import Testing

@Suite struct `A binding` {
    @Test func `may take facts of the job and of the operation`() async throws {
        let run = SpecRun()
        let value = try await run.value(
            #"""
            {"type":"group","name":"nightly","queue":"billing","priority":7,"labels":{"team":"finance"},
             "metadata":{"ticket":7},"operations":[{"type":"value","name":"facts","value":{
               "id":{"$job":"id"},"name":{"$job":"name"},"queue":{"$job":"queue"},"priority":{"$job":"priority"},
               "team":{"$job":"labels","at":"/team"},"ticket":{"$job":"metadata","at":"/ticket"},
               "operation":{"$job":"operation"},"step":{"$job":"operation_name"},"attempt":{"$job":"attempt"},
               "other":{"$job":"labels","at":"/none","default":"-"},"submitted_at":{"$job":"submitted_at"}}}]}
            """#)
        #expect(
            value?.object?["facts"] == [
                "id": "job_test", "name": "nightly", "queue": "billing", "priority": 7, "team": "finance",
                "ticket": 7, "operation": "facts", "step": "facts", "attempt": 1, "other": "-",
                "submitted_at": .string(run.clock.now.description),
            ])
    }

    @Test func `may take the cookies of a log-in that keeps them, and nothing else shows them`() async throws
    {
        let cookies = [
            ("Set-Cookie", "sid=a1=; Path=/; HttpOnly"), ("Set-Cookie", " old=x; Max-Age=0"),
            ("set-cookie", "theme = dark"), ("Set-Cookie", "sid=b2==; Secure"),
        ].map { (name: $0.0, value: $0.1) }
        let run = SpecRun(fields: { $0.url.hasSuffix("/login") ? cookies : [] }) { _, _ in (200, "{}") }
        let ending = try await run.ending(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"login","request":{"url":"https://a.example/login","cookies":true}},
              {"type":"network","name":"use","request":{"url":"https://a.example/use","headers":{
                "Cookie":{"$get":"login","at":"/cookie"},"X-Theme":{"$get":"login","at":"/cookies/theme"}}}}]}
            """#)
        #expect(ending.state == .succeeded, "\(ending.errors)")
        let fields = run.calls.all[1].fields
        #expect(fields.first { $0.name == "Cookie" }?.value == "theme=dark; sid=b2==")
        #expect(fields.first { $0.name == "X-Theme" }?.value == "dark")
    }

    @Test(arguments: [
        // Past when the answer was given, and removed although there is no date.
        (["sid=1", "sid=x; Expires=Thu, 01-Jan-1970 00:00:00 GMT"], ""),
        (["sid=1; Expires=Wed, 02 Jan 2030 00:00:00 GMT"], "sid=1"),
        (["sid=1; Expires=Tue, 01 Jan 2030 00:00:00 GMT"], ""),
        // The age counts rather than the date.
        (["sid=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "sid=1"), (["sid=1; max-age=00"], ""),
        (["sid=1; Max-Age=x"], "sid=1"),
        // Another cookie of the same name.
        (["sid=1; Path=/", "sid=; Path=/old; Max-Age=0"], "sid=1"),
        (["sid=1; Path=/", "sid=; Domain=a.example; Path=/; Max-Age=0"], "sid=1"),
        (["sid=1; Path=/", "sid=2; Path=/app", "sid=; Path=/; Max-Age=0"], "sid=2"),
        (["sid=1; Path=/; HttpOnly", "SID=2; path=/"], "sid=1; SID=2"),
    ])
    func `to cookies passes over those that the answer removes`(fields: [String], wanted: String) {
        let headers =
            [OperationResult.Header(name: "date", value: "Tue, 01 Jan 2030 00:00:00 GMT")]
            + fields.map { OperationResult.Header(name: "set-cookie", value: $0) }
        let result = OperationResult(status: 200, headers: headers, contentType: nil, body: [])
        #expect(result.document.object?["cookie"]?.string == wanted)
    }

    @Test(arguments: [nil, "soon"])
    func `to cookies takes the time of receipt for an answer without a date`(date: String?) async throws {
        let run = SpecRun(fields: { call in
            guard call.url.hasSuffix("/login") else { return [] }
            // The manual clock begins in between.
            let cookies = [
                "old=1; Expires=Sat, 01 Jan 2000 00:00:00 GMT",
                "new=2; Expires=Fri, 01 Jan 2100 00:00:00 GMT",
            ]
            return cookies.map { ("Set-Cookie", $0) } + (date.map { [("Date", $0)] } ?? [])
        }) { _, _ in (200, "{}") }
        let ending = try await run.ending(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"login","request":{"url":"https://a.example/login","cookies":true}},
              {"type":"network","name":"use","request":{"url":"https://a.example/use","headers":{
                "Cookie":{"$get":"login","at":"/cookie"}}}}]}
            """#)
        #expect(ending.state == .succeeded, "\(ending.errors)")
        #expect(run.calls.all[1].fields.first { $0.name == "Cookie" }?.value == "new=2")
    }

    @Test func `sees all of a field that is sent several times`() {
        let headers = [
            ("link", "</1>; rel=self"), ("vary", "a"), ("link", "</2>; rel=next"), ("set-cookie", "a=1"),
            ("set-cookie", "b=2"),
        ].map { OperationResult.Header(name: $0.0, value: $0.1) }
        let result = OperationResult(status: 200, headers: headers, contentType: nil, body: [])
        #expect(
            result.document.object?["headers"] == ["link": "</1>; rel=self, </2>; rel=next", "vary": "a"])
    }

    @Test(arguments: ["/headers/set-cookie", "/cookie", "/cookies/sid"])
    func `to a withheld cookie explains how to get it`(place: String) async throws {
        let run = SpecRun(fields: { _ in [(name: "Set-Cookie", value: "sid=1")] }) { _, _ in (200, "{}") }
        let ending = try await run.ending(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"login","request":"https://a.example/login"},
              {"type":"network","name":"use","request":{"url":"https://a.example/use","headers":{
                "Cookie":{"$get":"login","at":"\#(place)"}}}}]}
            """#)
        #expect(ending.errors.first?.code == .referenceMissing)
        #expect(ending.errors.first?.detail.contains(#""cookies": true"#) == true, "\(ending.errors)")
    }

    @Test func `to a missing member of an element lists its members`() async throws {
        let ending = try await SpecRun().ending(
            #"{"type":"transform","input":[{"id":1,"name":"a","cost":{}}],"each":{"$item":"/price"}}"#)
        #expect(ending.errors.first?.detail.contains("has no /price: it has id, name, cost.") == true)
        let deeper = try await SpecRun().ending(
            #"{"type":"transform","input":[{"cost":{"net":1}}],"each":{"$item":"/cost/gross"}}"#)
        #expect(deeper.errors.first?.detail.contains("/cost has net") == true)
    }

    @Test func `may take the results of all members of a group`() async throws {
        for _ in 0..<300 {
            let value = try await SpecRun().value(
                #"""
                {"type":"group","operations":[
                  {"type":"group","name":"g","operations":[
                    {"type":"value","name":"a","value":1},{"type":"value","name":"b","value":2}]},
                  {"type":"value","name":"all","value":{"$get":"g"}}]}
                """#)
            #expect(value?.object?["all"]?.object?.count == 2)
        }
    }

    @Test func `knows which attempt it is sent with`() async throws {
        let run = SpecRun { _, before in (before < 2 ? 503 : 200, "{}") }
        let task = run.start(
            #"{"type":"network","request":{"url":"https://a.example/","headers":{"X-Attempt":{"$job":"attempt"}}},"#
                + #""retry":{"backoff":"1s","jitter":"none"}}"#)
        for _ in 0..<2 {
            await run.clock.waitForSleepers()
            run.clock.advance(by: .seconds(1))
        }
        #expect(try await task.value.state == .succeeded)
        let sent = run.calls.all.map { call in call.fields.first { $0.name == "X-Attempt" }?.value }
        #expect(sent == ["1", "2", "3"])
    }

    @Test func `of a fact can be compared in a when`() async throws {
        let text = { (team: String) in
            #"{"type":"value","value":1,"labels":{"team":"a"},"when":{"$job":"labels","at":"/team","equals":"\#(team)"}}"#
        }
        #expect(try await SpecRun().ending(text("a")).state == .succeeded)
        #expect(try await SpecRun().ending(text("b")).state == .skipped)
    }

    @Test func `to a fact that the job lacks fails before anything is sent`() async throws {
        let run = SpecRun()
        let ending = try await run.ending(
            #"{"type":"network","request":{"url":"https://a.example/","json":{"$job":"metadata","at":"/x"}}}"#
        )
        #expect(ending.errors.map(\.code) == [.referenceMissing])
        #expect(run.calls.all.isEmpty)
    }

    @Test func `to a parameter is for the bodies of templates`() throws {
        let text = #"{"type":"value","value":{"$param":"order","at":"/id"}}"#
        #expect(problems(text).map(\.code) == ["spec.not_available"])
        let read = { (names: Set<String>) in
            JobSpecReader.read(Array(text.utf8), now: specNow, parameters: names)
        }
        #expect(
            try read(["order"]).get().operation.kind
                == .init(ValueSpec(value: .get(.init(.parameter("order"), at: JSONPointer(tokens: ["id"]))))))
        guard case .failure(let found) = read(["orders"]) else { throw Mismatch() }
        #expect(found.list.map(\.code) == ["spec.unknown_reference"])
        #expect(found.list.first?.suggestion == "orders")
    }

    @Test(arguments: [
        WrongSpec(#"{"type":"value","value":{"$job":"idd"}}"#, "/value/$job", "spec.unknown_word", "id"),
        WrongSpec(
            #"{"type":"value","value":{"$job":"id","att":""}}"#, "/value/att", "spec.unknown_member", "at"),
        WrongSpec(
            #"{"type":"value","value":{"$job":"labels","at":"x"}}"#, "/value/at", "spec.bad_pointer", "/x"),
        WrongSpec(
            #"{"type":"value","value":{"$item":"/id"}}"#, "/value/$item", "spec.not_available",
            hint: "only a map"),
        WrongSpec(
            #"{"type":"transform","input":[],"each":{"$item":"","of":"order"}}"#, "/each/of",
            "spec.unknown_reference"),
        WrongSpec(#"{"type":"value","value":{"$artifact":"x"}}"#, "/value/$artifact", "spec.not_available"),
    ])
    func `is checked at its position`(wrong: WrongSpec) { wrong.expectAlone() }
}
