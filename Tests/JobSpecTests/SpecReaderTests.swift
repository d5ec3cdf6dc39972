import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import TestOperations
import Testing

/// 2026-11-21T10:00:00Z, the moment at which the specs of these tests are submitted.
let specNow = Timestamp(milliseconds: 1_795_255_200_000)

func readSpec(_ text: String, limits: SpecLimits = .standard, egress: EgressPolicy? = nil) throws -> JobSpec {
    try JobSpecReader.read(Array(text.utf8), limits: limits, now: specNow, egress: egress).get()
}

func problems(_ text: String, limits: SpecLimits = .standard, egress: EgressPolicy? = nil) -> [SpecProblem] {
    switch JobSpecReader.read(Array(text.utf8), limits: limits, now: specNow, egress: egress) {
    case .success: []
    case .failure(let problems): problems.list
    }
}

@Suite struct `A job spec` {
    @Test func `may have an Authorization header beside credentials that go elsewhere`() {
        let members = #""headers":{"Authorization":"y"},"auth":{"type":"hmac","key":"k"}"#
        #expect(problems(#"{"type":"network","request":{"url":"http://a.example/",\#(members)}}"#) == [])
    }

    @Test func `has a field either among its headers or from its auth`() {
        let members = #""headers":{"x-key":"y"},"auth":{"type":"header","name":"X-Key","value":"x"}"#
        let found = problems(#"{"type":"network","request":{"url":"http://a.example/",\#(members)}}"#)
        #expect(found.map { "\($0.pointer) \($0.code)" } == ["/request/auth spec.conflict"])
        #expect(found.first?.detail.contains("\"x-key\"") == true)
    }

    @Test func `is read from the store with a field that was once accepted beside its auth`() throws {
        let members = #""headers":{"X-Key":"y"},"auth":{"type":"header","name":"X-Key","value":"x"}"#
        let text = #"{"type":"network","request":{"url":"http://a.example/",\#(members)}}"#
        let spec = try JobSpecReader.readStored(Array(text.utf8), now: specNow).get()
        #expect(spec.operation.name == "network")
    }

    @Test func `may be one call in one line`() throws {
        let spec = try readSpec(#"{"type":"network","request":"https://example.com/a?b=c"}"#)
        #expect(spec.operation.name == "network")
        #expect(spec.operation.retry == nil)
        let call = try #require(spec.operation.call)
        #expect(call.method == "GET")
        #expect(call.url == "https://example.com/a?b=c")
        #expect(call.attemptTimeout == .seconds(60))
        #expect(spec.queue == "default")
        #expect(spec.priority == 5)
    }

    @Test func `reads the members of the job`() throws {
        let spec = try readSpec(
            #"""
            {"type":"delay","until":"2026-11-22T00:00:00+01:00","queue":"nightly","priority":9,"run_at":"PT1H30M",
             "labels":{"team":"finance"},"unique":{"key":"k","on_conflict":"wait"},"metadata":{"a":[1]},
             "retention":{"succeeded":"1h","failed":"P1D"},"name":"settle","timeouts":{"total":"90s"},
             "start_by":"2d","finish_by":"PT1H","on_failure":"continue"}
            """#)
        #expect(spec.queue == "nightly")
        #expect(spec.priority == 9)
        #expect(spec.operation.runAt == .after(.seconds(5_400)))
        #expect(spec.operation.startBy == .after(.seconds(172_800)))
        #expect(spec.unique == .init(key: "k", onConflict: .wait))
        #expect(spec.labels == [.init(key: "team", value: "finance")])
        #expect(spec.metadata?["a"] == [1])
        #expect(spec.retention == .init(succeeded: .seconds(3_600), failed: .seconds(86_400)))
        #expect(spec.operation.name == "settle")
        #expect(spec.operation.timeout == .seconds(90))
        #expect(spec.operation.finishBy == .after(.seconds(3_600)))
        #expect(spec.operation.onFailure == .continue)
        let delay = try #require(spec.operation.kind.work as? DelaySpec)
        guard case .until(let date) = delay.length else { throw Mismatch() }
        #expect(date.description == "2026-11-21T23:00:00.000Z")
    }

    @Test(arguments: [("7", 7), ("7.0", 7), ("70e-1", 7), ("0.7E1", 7)])
    func `takes whole numbers however they are written`(text: String, number: Int) throws {
        #expect(try readSpec(#"{"type":"delay","for":"1s","priority":\#(text)}"#).priority == number)
    }

    @Test(arguments: ["7.1", "1e400", "-1e400", "1e-400", "7.00000000000000000000000001"])
    func `takes no other numbers where there are to be whole ones`(text: String) {
        let found = problems(#"{"type":"delay","for":"1s","priority":\#(text)}"#)
        #expect(found.map(\.code) == ["spec.out_of_range"])
    }

    @Test func `takes past dates, which are over at once`() throws {
        let spec = try readSpec(
            #"{"type":"delay","until":"2000-01-01T00:00:00Z","run_at":"1999-01-01T00:00:00Z","#
                + #""finish_by":"1998-01-01T00:00:00Z"}"#
        )
        #expect(spec.operation.runAt == .at(try Timestamp.parse("1999-01-01T00:00:00Z")))
        #expect(spec.operation.finishBy == .at(try Timestamp.parse("1998-01-01T00:00:00Z")))
    }

    @Test func `knows delays from execution and from submission`() throws {
        #expect(try readSpec(#"{"type":"delay","for":"0s"}"#).operation.kind == .init(DelaySpec(.for(.zero))))
        #expect(
            try readSpec(#"{"type":"delay","for":"1m","counted_from":"submission"}"#).operation.kind
                == .init(DelaySpec(.sinceSubmission(.seconds(60)))))
    }

    @Test func `describes a call in full`() throws {
        let spec = try readSpec(
            #"""
            {"type":"network","request":{"method":"post","url":"https://example.com/{id}{?tag*}",
              "vars":{"id":7,"tag":["a","b"]},"query":{"page":2},"headers":{"Accept":"text/plain"},
              "json":{"$schema":"x","n":1},"auth":{"type":"basic","username":"ada","password":"pw"},
              "redirects":{"follow":3},"idempotency_key":"auto"},
             "timeouts":{"connect":"1s","first_byte":"2s","stall":"4s","attempt":"3s"},
             "retry":{"max_attempts":3,"backoff":{"type":"linear","initial":"1s","step":"2s","max":"9s"},
                "jitter":"none","unsafe":true},
             "expect":{"status":["2xx",404],"content_type":"Application/JSON","that":{"at":"/body/ok","equals":true}}}
            """#)
        let call = try #require(spec.operation.call)
        #expect(call.method == "POST")
        #expect(call.vars.map(\.name) == ["id", "tag"])
        #expect(call.body == .json(.literal(["$schema": "x", "n": 1])))
        #expect(call.auth == NetworkSpec.Auth(BasicAuth(username: .literal("ada"), password: .literal("pw"))))
        #expect(call.redirects.follow == 3)
        #expect(call.connectTimeout == .seconds(1))
        #expect(call.firstByteTimeout == .seconds(2))
        #expect(call.stallTimeout == .seconds(4))
        #expect(call.attemptTimeout == .seconds(3))
        #expect(call.idempotencyKey == .auto)
        #expect(
            spec.operation.retry
                == RetrySpec(
                    attemptsMax: 3,
                    backoff: .linear(initial: .seconds(1), step: .seconds(2), max: .seconds(9)),
                    jitter: .none, repeatsUnsafeMethods: true))
        #expect(spec.operation.expect?.statuses == [200...299, 404...404])
        #expect(spec.operation.expect?.contentTypes.map(\.description) == ["application/json"])
        #expect(
            spec.operation.expect?.that
                == .compare(.at(JSONPointer(tokens: ["body", "ok"])), .equals(true)))
    }

    @Test(arguments: [
        (#""5s""#, RetrySpec.Backoff.fixed(.seconds(5))),
        (#"{"type":"fixed","initial":"2s"}"#, .fixed(.seconds(2))),
        (#"{}"#, .exponential(initial: .seconds(1), factor: 2, max: .seconds(300))),
        (#"{"initial":"10m"}"#, .exponential(initial: .seconds(600), factor: 2, max: .seconds(600))),
        (#"{"factor":1.5,"max":"1m"}"#, .exponential(initial: .seconds(1), factor: 1.5, max: .seconds(60))),
        (
            #"{"type":"linear","initial":"3s"}"#,
            .linear(initial: .seconds(3), step: .seconds(3), max: .seconds(300))
        ),
        (#"{"schedule":["5s","1m"]}"#, .schedule([.seconds(5), .seconds(60)])),
    ])
    func `has these backoffs`(text: String, backoff: RetrySpec.Backoff) throws {
        let spec = try readSpec(
            #"{"type":"network","request":"http://a.example/","retry":{"backoff":\#(text)}}"#)
        #expect(spec.operation.retry?.backoff == backoff)
        #expect(spec.operation.retry?.attemptsMax == 5)
    }

    @Test func `applies defaults to calls, which may override them`() throws {
        let spec = try readSpec(
            #"""
            {"type":"group","defaults":{"retry":{"max_attempts":9,"jitter":"equal"},
               "timeouts":{"connect":"2s","attempt":"5s","total":"1m"}},
             "operations":[
               {"type":"network","request":"http://a.example/"},
               {"type":"network","request":"http://a.example/","timeouts":{"attempt":"7s","total":"3m"},
                "retry":{"max_attempts":2}},
               {"type":"delay","for":"1d"}]}
            """#)
        let group = try #require(spec.operation.group)
        let first = try #require(group.operations[0].call)
        let second = try #require(group.operations[1].call)
        #expect(group.operations.map(\.name) == ["network_1", "network_2", "delay_3"])
        #expect(group.operations[0].retry == RetrySpec(attemptsMax: 9, jitter: .equal))
        #expect(group.operations[0].timeout == .seconds(60))
        #expect(group.operations[1].retry == RetrySpec(attemptsMax: 2, jitter: .equal))
        #expect(group.operations[1].timeout == .seconds(180))
        #expect(first.connectTimeout == .seconds(2))
        #expect(first.attemptTimeout == .seconds(5))
        #expect(second.connectTimeout == .seconds(2))
        #expect(second.attemptTimeout == .seconds(7))
        #expect(group.operations[2].timeout == nil)
        #expect(group.operations[2].retry == nil)
    }

    @Test func `has conditions inside of conditions`() throws {
        let spec = try readSpec(
            #"""
            {"type":"value","value":null,"conditions":[
              {"type":"reachability","url":"https://example.com:8443/x","probe":"http","probe_timeout":"1s"},
              {"not":{"any":[{"type":"lock","key":"printer"}]},"otherwise":"skip"},
              {"type":"authorized_for","grant":"mail","check_only":true}]}
            """#)
        #expect(
            spec.operation.conditions == [
                ConditionSpec(
                    ReachabilitySpec(
                        url: "https://example.com:8443/x", probe: .http, probeTimeout: .seconds(1)), .fail),
                ConditionSpec(
                    NotConditionSpec(
                        condition: ConditionSpec(
                            AnyConditionSpec(inner: [ConditionSpec(LockSpec(key: "printer"), .wait)]), .fail)),
                    .skip),
                ConditionSpec(AuthorizationSpec(capability: "mail", checksOnly: true), .fail),
            ])
    }

    @Test func `has predicates inside of predicates`() throws {
        let spec = try readSpec(
            #"""
            {"type":"network","request":"http://a.example/","expect":{"status":200,"that":
              {"all":[{"any":[]},{"not":{"at":"/body","exists":false}},{"at":"/body/n","greater":1,"less":5},
                      {"at":"","in":[1,"a"]},{"at":"/body/s","matches":"^[a-z]+$"},{"at":"/body/s","starts_with":"x"},
                      {"at":"/body/s","contains":"y"},{"at":"/body/s","not_equals":null}]}}}
            """#)
        let number = JSONPointer(tokens: ["body", "n"])
        let text = JSONPointer(tokens: ["body", "s"])
        #expect(
            spec.operation.expect?.that
                == .all([
                    .any([]), .not(.compare(.at(JSONPointer(tokens: ["body"])), .exists(false))),
                    .all([.compare(.at(number), .greater(1)), .compare(.at(number), .less(5))]),
                    .compare(.at(.root), .in([1, "a"])), .compare(.at(text), .matches("^[a-z]+$")),
                    .compare(.at(text), .startsWith("x")), .compare(.at(text), .contains("y")),
                    .compare(.at(text), .notEquals(.null)),
                ]))
    }
}

struct Mismatch: Error {}
