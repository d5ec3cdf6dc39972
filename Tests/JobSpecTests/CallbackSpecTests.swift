import HTTPMessage
import JobKit
import JobSpec
import StrictJSON
import Testing

@Suite struct `Callbacks of a spec` {
    private static let id = JobID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

    /// A job with these callbacks.
    private static func text(_ callbacks: String, _ more: String = "") -> String {
        #"{"type":"value","value":1,\#(more)"callbacks":\#(callbacks)}"#
    }

    private func callbacks(_ callbacks: String, _ more: String = "") throws -> [CallbackSpec] {
        try readSpec(Self.text(callbacks, more)).callbacks
    }

    private func delivery(_ callback: CallbackSpec) throws -> (json: JSONValue, spec: JobSpec) {
        let json = callback.delivery(
            of: #"{"data":{"$get":"no"}}"#, about: Self.id, priority: 7,
            retention: JobSpec.Retention(succeeded: .seconds(60)))
        return (json, try readSpec(String(decoding: json.encoded(), as: UTF8.self)))
    }

    @Test func `are URLs, called for every outcome`() throws {
        let found = try callbacks(#"["https://a.example/one", "https://b.example/two"]"#)
        #expect(found.map(\.call.url) == ["https://a.example/one", "https://b.example/two"])
        #expect(found.allSatisfy { $0.states == [.succeeded, .failed, .cancelled, .expired, .skipped] })
    }

    @Test func `become jobs that send the event unchanged, and are retried for days`() throws {
        let callback = try #require(try callbacks(#"["https://a.example/one"]"#).first)
        let (_, job) = try delivery(callback)
        let call = try #require(job.operation.call)
        #expect(call.method == "POST")
        #expect(call.url == "https://a.example/one")
        #expect(call.body == .text(.literal(#"{"data":{"$get":"no"}}"#)))
        #expect(call.idempotencyKey == .auto)
        #expect(
            call.headers == [
                .init(
                    name: "Content-Type", value: .literal("application/cloudevents+json; charset=utf-8"))
            ])
        #expect(call.attemptTimeout == .seconds(15))
        #expect(job.operation.name == "callback")
        #expect(job.queue == "callbacks")
        #expect(job.priority == 7)
        #expect(job.labels == [.init(key: "callback_of", value: Self.id.description)])
        #expect(job.retention == JobSpec.Retention(succeeded: .seconds(60)))
        #expect(job.callbacks.isEmpty)
        let retry = try #require(job.operation.retry)
        #expect(retry.attemptsMax == 10)
        for status in [301, 400, 401, 404, 429, 500, 503] {
            #expect(retry.isWorthwhile(Self.failure(status)), "\(status)")
        }
        #expect(!retry.isWorthwhile(Self.failure(410)))
        #expect(!retry.isWorthwhile(AOperationError(.egressBlocked, detail: "no")))
        guard case .schedule(let waits) = retry.backoff else { throw Missing() }
        #expect(waits.first == .seconds(5))
        #expect(waits.reduce(.zero, +) < retry.elapsedMax ?? .zero)
    }

    private struct Missing: Error {}

    private static func failure(_ status: Int) -> AOperationError {
        var error = AOperationError(.httpStatus, detail: "no")
        error.upstream = AOperationError.Upstream(status: status, headers: JSONObject(), bodyExcerpt: nil)
        return error
    }

    @Test func `have network settings`() throws {
        let callback = try #require(
            try callbacks(
                #"""
                [{"request": {"method": "PUT", "url": "https://a.example/{id}", "vars": {"id": 7},
                    "headers": {"content-type": "application/json", "X-A": "b"}, "idempotency_key": "mine",
                    "auth": {"type": "bearer", "token": {"$secret": "hooks"}}},
                  "states": ["failed", "expired"], "expect": {"status": [204]},
                  "retry": {"max_attempts": 3}, "timeouts": {"connect": "1s", "total": "1h"}}]
                """#
            ).first)
        #expect(callback.states == [.failed, .expired])
        let (json, job) = try delivery(callback)
        let call = try #require(job.operation.call)
        #expect(call.method == "PUT")
        #expect(call.headers.map(\.name) == ["content-type", "X-A"])
        #expect(call.idempotencyKey == .fixed("mine"))
        #expect(call.auth != .none)
        #expect(call.connectTimeout == .seconds(1))
        #expect(call.attemptTimeout == .seconds(15))
        #expect(job.operation.timeout == .seconds(3_600))
        #expect(job.operation.expect?.statuses == [204...204])
        #expect(job.operation.retry?.attemptsMax == 3)
        #expect(job.operation.retry?.never == [.status(410)])
        #expect(JSONPointer("/request/auth/token/$secret")?.resolve(in: json) == "hooks")
    }

    @Test func `are not made as the calls of the job are`() throws {
        let more = #""defaults": {"connection": "crm", "timeouts": {"attempt": "1s"}},"#
        let callback = try #require(try callbacks(#"[{"request": "https://a.example/"}]"#, more).first)
        #expect(callback.call.connection == nil)
        #expect(callback.call.attemptTimeout == .seconds(60))
        let own = try #require(
            try callbacks(#"[{"request": {"url": "/done"}, "connection": "ops"}]"#, more).first)
        #expect(own.call.connection == "ops")
        #expect(try delivery(own).spec.operation.call?.connection == "ops")
    }

    @Test func `have one idempotency key`() throws {
        let callback = try #require(
            try callbacks(
                #"[{"request": {"url": "https://a.example/", "headers": {"Idempotency-Key": "mine"}}}]"#
            ).first)
        #expect(try delivery(callback).spec.operation.call?.idempotencyKey == nil)
    }

    /// A callback with this many headers, or with a text of this many bytes.
    private static func headers(_ count: Int) -> String {
        let headers = (0..<count).map { "\"X-\($0)\": \"a\"" }.joined(separator: ",")
        return #"[{"request": {"url": "https://a.example/", "headers": {\#(headers)}}}]"#
    }

    private static func expectation(_ bytes: Int) -> String {
        let that = #"{"at": "/body", "equals": "\#(String(repeating: "x", count: bytes))"}"#
        return #"[{"request": "https://a.example/", "expect": {"that": \#(that)}}]"#
    }

    /// One header with this many values.
    private static func values(_ count: Int) -> String {
        let values = Array(repeating: "\"a\"", count: count).joined(separator: ",")
        return #"[{"request": {"url": "https://a.example/", "headers": {"X-A": [\#(values)]}}}]"#
    }

    @Test(arguments: [headers(63), values(64), expectation(60_000)])
    func `can be made as large as they may be, with the largest event`(_ text: String) throws {
        let callback = try #require(try callbacks(text).first)
        let event = String(repeating: "\"", count: 256 << 10)
        let bytes = callback.delivery(
            of: event, about: Self.id, priority: 7, retention: JobSpec.Retention()
        ).encoded()
        #expect(throws: Never.self) {
            try JobSpecReader.read(bytes, now: Timestamp(milliseconds: 0)).get()
        }
    }

    @Test(arguments: [
        WrongSpec(text(headers(64)), "/callbacks/0/request/headers", "spec.too_large", hint: "Content-Type"),
        WrongSpec(text(expectation(70_000)), "/callbacks/0", "spec.too_large", hint: "allowed are 65536"),
        WrongSpec(text("7"), "/callbacks", "spec.wrong_type", #"["https://example.com/done"]"#),
        WrongSpec(
            text(#""https://a.example/""#), "/callbacks", "spec.wrong_type", #"["https://a.example/"]"#),
        WrongSpec(text("[7]"), "/callbacks/0", "spec.wrong_type", #""https://example.com/done""#),
        WrongSpec(text(#"["ftp://a.example/"]"#), "/callbacks/0", "spec.bad_url", hint: "http"),
        WrongSpec(
            text("[{}]"), "/callbacks/0", "spec.missing_member", #""request": "https://example.com/""#),
        WrongSpec(
            text(#"[{"request": "https://a.example/", "On": []}]"#), "/callbacks/0/On", "spec.unknown_member",
            "states"),
        WrongSpec(
            text(#"[{"request": "https://a.example/", "states": []}]"#), "/callbacks/0/states",
            "spec.out_of_range",
            #"["failed"]"#),
        WrongSpec(
            text(#"[{"request": "https://a.example/", "states": ["success"]}]"#), "/callbacks/0/states/0",
            "spec.unknown_word", hint: "succeeded, failed, cancelled, expired, skipped"),
        WrongSpec(
            text(#"[{"request": "https://a.example/", "states": ["running"]}]"#), "/callbacks/0/states/0",
            "spec.unknown_word"),
        WrongSpec(
            text(#"[{"request": {"url": "https://a.example/", "json": {}}}]"#), "/callbacks/0/request/json",
            "spec.conflict", hint: "the event"),
        WrongSpec(
            text(#"[{"request": {"url": "https://a.example/", "method": "GET"}}]"#),
            "/callbacks/0/request/method", "spec.bad_method", "POST"),
        WrongSpec(
            text(#"[{"request": {"url": "https://a.example/", "query": {"id": {"$job": "id"}}}}]"#),
            "/callbacks/0/request/query/id/$job", "spec.not_available", hint: "a separate job"),
        WrongSpec(
            text(#"[{"request": "https://a.example/", "timeouts": {"queue": "1s"}}]"#),
            "/callbacks/0/timeouts/queue", "spec.unknown_member", hint: "of a job or an operation"),
        WrongSpec(
            #"{"type":"group","operations":[{"type":"value","value":1,"callbacks":["https://a.example/"]}]}"#,
            "/operations/0/callbacks", "spec.root_only", hint: "outermost"),
        WrongSpec(
            text("[" + Array(repeating: #""https://a.example/""#, count: 9).joined(separator: ",") + "]"),
            "/callbacks", "spec.too_large", hint: "allowed are 8"),
    ])
    func `are checked with the job`(_ wrong: WrongSpec) {
        let found = problems(wrong.text)
        #expect(found.map(\.code) == [wrong.code], "\(found)")
        #expect(found.first?.pointer.description == wrong.pointer)
        if let suggestion = wrong.suggestion { #expect(found.first?.suggestion == suggestion) }
        #expect(found.first?.detail.contains(wrong.hint) == true || wrong.hint.isEmpty, "\(found)")
    }

    @Test func `to forbidden addresses are refused`() {
        let found = problems(Self.text(#"["http://127.0.0.1/"]"#), egress: EgressPolicy())
        #expect(found.map(\.pointer.description) == ["/callbacks/0"])
    }

    @Test func `are warned of like other calls`() throws {
        let plan = SpecPlan(
            try readSpec(
                Self.text(
                    #"[{"request": {"url": "http://a.example/", "auth": {"type": "bearer", "token": "t"}}}]"#)
            ))
        #expect(plan.warnings.map(\.code) == ["warning.plain_credentials", "warning.stored_credentials"])
        #expect(plan.warnings.first?.callback == 0)
        #expect(plan.warnings.first?.operation == nil)
        #expect(plan.text.contains("warning: callbacks/0: "))
        #expect(SpecPlan.warnings(of: plan.spec) == plan.warnings)
    }
}
