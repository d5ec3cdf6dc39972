import JobKit
import JobSpec
import StrictJSON
import Testing

@Suite struct `The plan of a spec` {
    private let text = #"""
        {"type":"group","name":"nightly","ordered":true,"queue":"billing","run_at":"2026-12-01T00:00:00Z","operations":[
          {"type":"network","name":"login","request":{"method":"POST","url":"http://a.example/login","json":{},
            "auth":{"type":"bearer","token":"t"}}},
          {"type":"delay","name":"settle","for":"5m","on_failure":"continue"},
          {"type":"network","name":"fetch","request":{"url":"https://a.example/{id}","vars":{"id":{"$get":"login"}}},
            "retry":{"max_attempts":2,"backoff":{"schedule":["5s","1m"]}},"timeouts":{"total":"90s"},
            "conditions":[{"type":"lock","key":"k"}]}]}
        """#

    @Test func `shows the dependencies of each operation, written or implied`() throws {
        let plan = SpecPlan(try readSpec(text))
        #expect(
            plan.operations.map { $0.path.joined(separator: "/") } == [
                "nightly", "nightly/login", "nightly/settle", "nightly/fetch",
            ])
        #expect(plan.operations[2].after == [.init(operation: "login", isImplied: true)])
        #expect(
            plan.operations[3].after == [
                .init(operation: "login", isImplied: true),
                .init(operation: "settle", states: .any, isImplied: true),
            ])
    }

    @Test func `is JSON with the retry and the clocks in effect`() throws {
        var writer = JSONWriter()
        SpecPlan(try readSpec(text)).write(to: &writer)
        let plan = try JSONParser.parse(writer.bytes).object
        #expect(plan?["valid"] == true)
        #expect(plan?["queue"] == "billing")
        let operations = plan?["operations"]?.array?.compactMap(\.object) ?? []
        #expect(operations[0]["run_at"] == "2026-12-01T00:00:00.000Z")
        #expect(operations[1]["retry"]?.object?["max_attempts"] == 5)
        #expect(
            operations[3]["retry"]?.object?["backoff"] == ["type": "schedule", "schedule": ["5s", "1m"]])
        #expect(operations[3]["timeouts"]?.object?["total"] == "1m30s")
        #expect(operations[3]["timeouts"]?.object?["stall"] == "30s")
        #expect(operations[3]["conditions"] == ["lock"])
        #expect(operations[0]["retry"] == nil)
        #expect(operations.map { $0["operation"]?.string } == ["_root", "login", "settle", "fetch"])
        let edges = operations[3]["after"]?.array?.map { $0.object?["operation"]?.string }
        #expect(edges == ["login", "settle"])
    }

    private struct Vault: SecretVault {
        func secret(named name: String) -> [UInt8]? { name == "stored" ? [1] : nil }
    }

    @Test(arguments: [
        (#"{"type":"delay","for":"1s","run_at":"2h","start_by":"1h"}"#, "warning.start_by_before_run_at"),
        (#"{"type":"delay","for":"1s","run_at":"2h","finish_by":"1h"}"#, "warning.finish_by_before_run_at"),
        (
            #"{"type":"delay","for":"1s","run_at":"2026-12-01T00:00:00Z","start_by":"1h"}"#,
            "warning.start_by_before_run_at"
        ),
        (#"{"type":"delay","for":"2h","finish_by":"1h"}"#, "warning.delay_beyond_finish_by"),
        (#"{"type":"delay","for":"2h","timeouts":{"total":"1h"}}"#, "warning.delay_beyond_timeout"),
        (
            #"{"type":"group","succeed_when":{"at_least":2},"map":{"items":[],"operation":{"type":"delay","for":"1s"}}}"#,
            "warning.too_few_members"
        ),
        (
            #"{"type":"network","request":{"url":"https://a.example/","headers":{"X":{"$secret":"absent"}}}}"#,
            "warning.secret_missing"
        ),
        (
            #"""
            {"type":"network","request":{"url":"https://a.example/",
              "auth":{"type":"basic","username":"a:b","password":{"$secret":"stored"}}}}
            """#,
            "warning.colon_in_username"
        ),
    ])
    func `warns about unreachable operations and certain mistakes`(text: String, code: String) throws {
        let now = Timestamp(milliseconds: 1_795_255_200_000)
        let moment = SpecWarning.Moment(now: now, vault: Vault())
        #expect(SpecPlan.warnings(of: try readSpec(text), at: moment).map(\.code) == [code])
    }

    @Test(arguments: [
        #"{"type":"delay","for":"1s","run_at":"1h","start_by":"2h","finish_by":"3h"}"#,
        #"{"type":"delay","for":"1h","finish_by":"2h","timeouts":{"total":"2h"}}"#,
        #"{"type":"group","succeed_when":{"at_least":1},"map":{"items":[1],"operation":{"type":"delay","for":"1s"}}}"#,
        #"{"type":"network","request":{"url":"https://a.example/","headers":{"X":{"$secret":"stored"}}}}"#,
    ])
    func `warns of nothing where all is well`(text: String) throws {
        let now = Timestamp(milliseconds: 1_795_255_200_000)
        let moment = SpecWarning.Moment(now: now, vault: Vault())
        #expect(SpecPlan.warnings(of: try readSpec(text), at: moment).isEmpty)
    }

    @Test func `warns about probable mistakes`() throws {
        let codes = SpecPlan(try readSpec(text)).warnings.map(\.code)
        #expect(codes == ["warning.unsafe_retry", "warning.plain_credentials", "warning.stored_credentials"])
        let others = SpecPlan(
            try readSpec(
                #"""
                {"type":"group","ordered":true,"concurrency":3,"on_failure":"continue","operations":[
                  {"type":"network","request":{"method":"PATCH","url":"https://a.example/"},"retry":{"unsafe":true}}]}
                """#)
        ).warnings
        #expect(
            Set(others.map(\.code)) == [
                "warning.ordered_concurrency", "warning.root_on_failure", "warning.unsafe_repeat",
            ])
        #expect(SpecPlan(try readSpec(#"{"type":"delay","for":"1s"}"#)).warnings.isEmpty)
        let safe =
            #"{"type":"network","request":{"method":"POST","url":"https://a.example/","idempotency_key":"auto"}}"#
        #expect(SpecPlan(try readSpec(safe)).warnings.isEmpty)
    }

    @Test(arguments: [
        (#""headers":{"X-API-Key":"k"}"#, "The header X-API-Key"),
        (#""headers":{"Accept":"a/b","private_token":"k"}"#, "The header private_token"),
        (#""query":{"access_token":"k"}"#, "The query parameter access_token"),
        (#""query":{"access_token":{"$secret":"k"}}"#, nil as String?),
        (#""query":{"token":{"$job":"id"},"password":""}"#, nil),
        (#""method":"PUT","form":{"user":"a","password":"p"}"#, "The field password of form"),
        (#""method":"PUT","json":{"user":[{"client_secret":"p"}]}"#, "The member client_secret of json"),
        (#""method":"PUT","json":{"id":{"$job":"id"},"apiKey":"k"}"#, "The member apiKey of json"),
        (#""method":"PUT","json":{"apiKey":{"$secret":"k"},"tokens":"k","token":7}"#, nil),
        (#""method":"PUT","multipart":[{"name":"token","text":"k"}]"#, "The part token of multipart"),
        (#""headers":{"X-Custom":"ghp_0123456789abcdef0123"}"#, "The header X-Custom"),
        (#""headers":{"X-Custom":"ghp_ is the beginning"}"#, nil),
        (#""headers":{"Idempotency-Key":"k","X-Request-Id":"k"}"#, nil),
    ])
    func `warns of a credential that stands in a field of the spec`(members: String, place: String?) throws {
        let text = #"{"type":"network","request":{"url":"https://a.example/",\#(members)}}"#
        let warnings = SpecPlan.warnings(of: try readSpec(text))
        #expect(warnings.map(\.code) == (place == nil ? [] : ["warning.stored_credentials"]))
        if let place { #expect(warnings.first?.detail.hasPrefix(place + " looks like") == true) }
    }

    @Test(arguments: [
        ("https://a.example/?page=1&api_key=k", "api_key"), ("https://a.example/?api_key={key}", nil),
        ("https://a.example/?api_key=&token", nil), ("https://a.example/api_key=k", nil as String?),
    ])
    func `warns of a credential in the query of a URL`(url: String, name: String?) throws {
        let vars = #""vars":{"key":{"$job":"id"}}"#
        let text = #"{"type":"network","request":{"url":"\#(url)",\#(vars)}}"#
        let warnings = SpecPlan.warnings(of: try readSpec(text))
        #expect(warnings.map(\.code) == (name == nil ? [] : ["warning.stored_credentials"]))
        let place = "The query parameter \(name ?? "") in the URL looks like"
        #expect(warnings.allSatisfy { $0.detail.hasPrefix(place) })
    }

    @Test(arguments: [
        (
            #"{"type":"value","name":"b","value":1,"after":["a"]}"#,
            "write {\"operation\": \"a\", \"states\": \"any\"}"
        ),
        (#"{"type":"value","name":"b","value":{"$get":"a"}}"#, "give its references to a a default"),
        (#"{"type":"value","name":"b","value":{"$get":"a","default":0}}"#, nil as String?),
        (#"{"type":"value","name":"b","value":1,"after":[{"operation":"a","states":"any"}]}"#, nil),
        (#"{"type":"value","name":"b","value":1,"after":[{"operation":"a","states":["failed"]}]}"#, nil),
    ])
    func `warns of a step that is skipped after a permitted failure`(member: String, remedy: String?) throws {
        let text = #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":"https://a.example/","on_failure":"continue"},\#(member)]}
            """#
        let warnings = SpecPlan.warnings(of: try readSpec(text))
        #expect(warnings.map(\.code) == (remedy == nil ? [] : ["warning.skipped_after_failure"]))
        if let remedy { #expect(warnings.first?.detail.contains(remedy) == true, "\(warnings)") }
    }

    @Test(arguments: [
        (#"{"type":"value","value":{"token":{"$secrets":"crm"}}}"#, "$secret"),
        (#"{"type":"value","value":[{"$params":"a"},{"$job":"id"}]}"#, "$param"),
        (
            #"{"type":"network","request":{"method":"PUT","url":"https://a.example/","json":{"$sercet":"crm"}}}"#,
            "$secret"
        ),
        (#"{"type":"value","value":[{"$gett":"login","at":"/body"}]}"#, "$get"),
        (#"{"type":"value","value":{"a":{"$jobs":"id"},"b":{"$job":"id"}}}"#, "$job"),
        (#"{"type":"value","value":{"$set":{"$inc":1,"secret":"$secrets","$ref":"a"}}}"#, nil as String?),
        (#"{"type":"value","value":{"$set":"a","$gt":"1","$gte":"2","$let":"x","$gett":1}}"#, nil),
    ])
    func `warns of a word that is sent verbatim`(text: String, meant: String?) throws {
        let warnings = SpecPlan.warnings(of: try readSpec(text))
        #expect(warnings.map(\.code) == (meant == nil ? [] : ["warning.misspelt_reference"]))
        #expect(warnings.allSatisfy { $0.detail.contains("\"\(meant ?? "")\"?") })
    }

    @Test(arguments: [
        (#""headers":{"Authorization":"Token {{ token }}"}"#, "{{ token }}"),
        (#""query":{"id":"${order.id}"}"#, "${order.id}"),
        (#""method":"PUT","json":{"list":[{"name":"${name}"}]}"#, "${name}"),
        (#""method":"PUT","text":"Dear {{name}}""#, "{{name}}"),
        (#""method":"PUT","form":{"a":{"$text":"{{a}}","vars":{"a":"1"}}}"#, "{{a}}"),
        (#""method":"PUT","multipart":[{"name":"a","text":"{{a-b}}"}]"#, "{{a-b}}"),
        (#""method":"PUT","form":{"a":{"$text":"{{b}} {a}","vars":{"a":"1"}}}"#, nil as String?),
        (#""method":"PUT","text":"f() {{ return; }} $ {x} {y} ${} {{}} ${a b} {{#if}}""#, nil),
    ])
    func `warns of a name in braces that nothing fills in`(members: String, written: String?) throws {
        let request = #"{"type":"network","request":{"url":"https://a.example/",\#(members)}}"#
        let found = SpecPlan.warnings(of: try readSpec(request)).filter { $0.code == "warning.unfilled" }
        #expect(found.count == (written == nil ? 0 : 1))
        #expect(found.allSatisfy { $0.detail.contains("\"\(written ?? "")\"") })
        let other = #"{"type":"value","value":"{{name}} ${name}"}"#
        #expect(SpecPlan.warnings(of: try readSpec(other)).isEmpty)
    }

    @Test func `has a line for each operation`() throws {
        let lines = SpecPlan(try readSpec(text)).text.split(separator: "\n")
        #expect(lines[0] == "nightly  group  of 3 in order")
        #expect(lines[2] == "settle  delay  5m  after login")
        #expect(
            lines[3] == "fetch  network  GET  https://a.example/{id}  after login, settle (any)"
                + "  if lock  up to 2 attempts  within 1m30s")
        #expect(lines.dropFirst(4).allSatisfy { $0.hasPrefix("warning: login: ") })
    }
}
