import HTTPMessage
import StrictJSON
import Testing
import TestOperations

@testable import JobKit
@testable import JobSpec

@Suite struct `Content that is not JSON` {
    private static let page = "<html>Bad Gateway</html>"

    private func verdict(_ predicate: String, _ body: String) throws -> String {
        let spec = try readSpec(
            #"{"type":"network","request":"http://a.example/","expect":{"that":\#(predicate)}}"#)
        let that = try #require(spec.operation.expect?.that)
        let result = OperationResult(
            status: 200, headers: [], contentType: "application/json", body: Array(body.utf8))
        switch try result.verdict(of: that, from: nil, lookup: Binding.Lookup { _ in .null }).0 {
        case .holds: return "holds"
        case .fails: return "fails"
        case .unknown(let error): return error.code.description
        }
    }

    @Test func `is not what a long error is`() throws {
        let causes = (0..<20).map {
            AOperationError(.httpStatus, detail: String(repeating: "\($0)", count: 100_000))
        }
        let error = AOperationError(.repeatExhausted, detail: "It failed.", causes: causes)
        let document = try ResultBoard().document(
            of: OperationEnding(state: .failed, errors: [error]), with: .none, StepMeter())
        let found = try #require(document).value.object
        #expect(found?["error"]?.object?["code"] == "repeat.exhausted")
        #expect(found?["error"]?.object?["causes"]?.array?.count == 20)
    }

    private static let negative = [
        #"{"at":"/body/status","not_equals":"running"}"#, #"{"at":"/body/status","exists":false}"#,
        #"{"not":{"at":"/body/status","equals":"running"}}"#,
        #"{"not":{"at":"/body/status","in":["running"]}}"#,
        #"{"all":[{"at":"/status","equals":200},{"not":{"at":"/body/status","matches":"ERROR"}}]}"#,
        #"{"any":[{"at":"/status","equals":404},{"at":"/body/status","not_equals":"running"}]}"#,
    ]

    @Test(arguments: negative)
    func `decides no predicate on a place inside of it`(predicate: String) throws {
        for body in [Self.page, "", "{"] {
            #expect(try verdict(predicate, body) == "reference.not_json", "\(body)")
        }
        for body in [#"{"status":"done"}"#, "{}", "null", "[1]", #""text""#]
        where !predicate.contains("exists") {
            #expect(try verdict(predicate, body) == "holds", "\(body)")
        }
    }

    @Test(arguments: [
        (#"{"any":[{"at":"/body/status","equals":"done"},{"at":"/status","equals":200}]}"#, "holds"),
        (#"{"any":[{"at":"/bytes","greater":1},{"at":"/body/status","exists":false}]}"#, "holds"),
        (#"{"all":[{"at":"/body/status","equals":"done"},{"at":"/status","equals":404}]}"#, "fails"),
        (#"{"not":{"all":[{"at":"/body/status","equals":"done"},{"at":"/status","equals":404}]}}"#, "holds"),
        (#"{"at":"/body","matches":"Gateway"}"#, "holds"), (#"{"at":"/body","not_equals":"x"}"#, "holds"),
        (#"{"not":{"at":"/body","matches":"Gateway"}}"#, "fails"),
        (#"{"at":"/body/status","equals":"done"}"#, "reference.not_json"),
    ])
    func `leaves the decision to other places`(predicate: String, wanted: String) throws {
        #expect(try verdict(predicate, Self.page) == wanted)
    }

    @Test(arguments: negative) func `does not meet an expectation`(predicate: String) async throws {
        let run = SpecRun { _, _ in (200, Self.page) }
        let ending = try await run.ending(
            #"{"type":"network","request":"http://a.example/","expect":{"that":\#(predicate)}}"#)
        #expect(ending.errors.first?.code == .expectThat)
        #expect(ending.errors.first?.detail.contains("the content is not JSON") == true, "\(ending.errors)")
    }

    private func polled(_ rule: String, _ answers: [String]) async throws -> (OperationEnding, calls: Int) {
        let run = SpecRun { _, before in (200, answers[min(before, answers.count - 1)]) }
        let ended = Latch()
        let task = Task {
            defer { ended.open() }
            return try await run.ending(
                #"{"type":"poll","request":"https://a.example/jobs/1","max_polls":5,\#(rule)}"#)
        }
        while !ended.isOpen {
            run.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        return (try await task.value, run.calls.all.count)
    }

    @Test func `does not end a poll, but leads to the next one`() async throws {
        let rule = #""until":{"at":"/body/status","not_equals":"running"}"#
        let answers = [#"{"status":"running"}"#, Self.page, "", #"{"status":"done"}"#]
        let (ending, calls) = try await polled(rule, answers)
        #expect(ending.state == .succeeded)
        #expect(calls == 4)
        let (exhausted, all) = try await polled(rule, [Self.page])
        #expect(exhausted.errors.map(\.code) == [.pollExhausted])
        #expect(exhausted.errors.first?.detail.contains("the content is not JSON") == true)
        #expect(all == 5)
    }

    @Test func `is no failure of the work, and no success while fail_if is undecided`() async throws {
        let rule = #""until":{"at":"/status","equals":200},"fail_if":{"at":"/body/status","not_equals":"ok"}"#
        let (ending, calls) = try await polled(rule, [Self.page, #"{"status":"ok"}"#])
        #expect(ending.state == .succeeded)
        #expect(calls == 2)
    }

    @Test func `does not end a repetition`() async throws {
        let run = SpecRun { _, before in (200, before < 2 ? Self.page : #"{"status":"done"}"#) }
        let ending = try await run.ending(
            #"""
            {"type":"repeat","max_runs":4,"until":{"at":"/body/status","not_equals":"running"},
             "operation":{"type":"network","name":"call","request":"https://a.example/"}}
            """#)
        #expect(ending.state == .succeeded)
        #expect(run.calls.all.count == 3)
        let never = SpecRun { _, _ in (200, Self.page) }
        let exhausted = try await never.ending(
            #"""
            {"type":"repeat","max_runs":2,"until":{"at":"/body/status","exists":false},
             "operation":{"type":"network","name":"call","request":"https://a.example/"}}
            """#)
        #expect(exhausted.errors.map(\.code) == [.repeatExhausted])
        #expect(exhausted.errors.first?.detail.contains("the content is not JSON") == true)
    }

    @Test(arguments: [
        #""when":{"$get":"call","at":"/body/status","not_equals":"running"}"#,
        #""conditions":[{"when":{"not":{"$get":"call","at":"/body/x","equals":1}},"otherwise":"skip"}]"#,
    ])
    func `keeps an operation from running, with an error that names it`(rule: String) async throws {
        let run = SpecRun { _, _ in (200, Self.page) }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[{"name":"call","type":"network","request":"https://a.example/"},
              {"name":"next","type":"network","request":"https://b.example/","after":["call"],\#(rule)}]}
            """#)
        #expect(run.calls.all.count == 1)
        let error = try #require(ending.errors.first)
        #expect(([error] + error.causes).contains { $0.code == .referenceNotJSON }, "\(error)")
    }

    @Test func `has no place for a binding, except its default`() async throws {
        let run = SpecRun { _, _ in (200, Self.page) }
        let spec = { (binding: String) in
            #"""
            {"type":"group","operations":[{"name":"call","type":"network","request":"https://a.example/"},
              {"name":"next","type":"value","value":[{"$get":"call","at":"/body/x"\#(binding)}]}]}
            """#
        }
        let ending = try await run.ending(spec(""))
        #expect(ending.errors.map(\.code) == [.referenceNotJSON])
        let value = try await run.value(spec(#","default":1"#))
        #expect(value?.object?["next"] == [1])
    }
}
