import HTTPMessage
import StrictJSON
import Synchronization
import TestOperations
import Testing

@testable import JobKit
@testable import JobSpec

/// The journal of an earlier run, in which these operations succeeded.
private final class EarlierRun: OperationJournal {
    let fold: JournalFold

    init(succeeded paths: [[String]]) {
        let ending = OperationEnding(state: .succeeded, result: .empty)
        fold = JournalFold(
            paths.map {
                JournalEntry(at: Timestamp(milliseconds: 0), path: $0, event: .finished(ending))
            })
    }

    func record(_ entry: JournalEntry) {}
    func flush() async throws(RunSuspended) {}
    func history(of path: [String]) -> OperationHistory? { fold.histories[path] }
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {}
}

/// The meaning of specs, each point by the smallest spec that shows it.
@Suite struct `The meaning of a spec` {
    /// A member that fails.
    private static let fails = #""type":"value","value":{"$job":"labels","at":"/x"}"#
    private static let works = #""type":"value","value":1"#

    /// The states of some operations as a final operation of the group sees them.
    /// - Parameter names: paths below the group.
    private func states(_ group: String, of names: [String]) async throws -> [String: String] {
        let run = SpecRun()
        let shown = names.map { #""\#($0)":{"$get":"g/\#($0)","at":"/state"}"# }.joined(separator: ",")
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[{"type":"group","name":"g",\#(group)}],
             "finally":[{"type":"network","name":"seen","request":{"method":"PUT","url":"https://a.example/",
               "json":{\#(shown)}}}]}
            """#)
        let body = try #require(run.calls.all.last?.body, "\(ending)")
        let members = try JSONParser.parse(body).object?.members ?? []
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.string ?? "") })
    }

    private func ordered(_ second: String, third: String = works) -> String {
        #""ordered":true,"operations":[{"name":"a",\#(Self.fails)},{"name":"b",\#(second)},{"name":"c",\#(third)}]"#
    }

    // MARK: Order and edges

    @Test func `is that a failure keeps back all that follow in order, also behind one that may fail`()
        async throws
    {
        let states = try await states(
            ordered(#"\#(Self.works),"on_failure":"continue""#), of: ["a", "b", "c"])
        #expect(states == ["a": "failed", "b": "skipped", "c": "skipped"])
    }

    @Test func `is that one that may fail and does lets the next one run`() async throws {
        let states = try await states(
            #""ordered":true,"operations":[{"name":"a",\#(Self.fails),"on_failure":"continue"},{"name":"b",\#(Self.works)}]"#,
            of: ["a", "b"])
        #expect(states == ["a": "failed", "b": "succeeded"])
    }

    @Test(arguments: [
        (#","after":[{"operation":"a","states":["failed"]}]"#, "succeeded"),
        (#","after":[{"operation":"a","states":"any"}]"#, "succeeded"), (#","after":["a"]"#, "skipped"),
        ("", "skipped"),
    ])
    func `is that a written edge to the member before replaces that of the order`(
        after: String, state: String
    ) async throws {
        let states = try await states(ordered(Self.works + after), of: ["b"])
        #expect(states == ["b": state])
    }

    @Test func `is that a reference to the member before does not weaken the order`() async throws {
        let states = try await states(
            ordered(#""type":"value","value":{"$get":"a","default":0}"#), of: ["b"])
        #expect(states == ["b": "skipped"])
    }

    /// Every pair of members of an ordered group: the plan names the outcomes of the first after which the second runs.
    @Test(arguments: [
        "", #","after":["a"]"#, #","after":[{"operation":"a","states":["failed"]}]"#,
        #","after":[{"operation":"a","states":"any"}]"#,
    ])
    func `is in the plan as it is run`(after: String) async throws {
        let uses = [
            Self.works, #""type":"value","value":{"$get":"a","default":0}"#,
            #""type":"transform","input":{"$get":"a"},"rescue":1"#,
            #""type":"value","value":{"$get":"a","at":"/state"}"#,
        ]
        for (isOrdered, use) in [true, false].flatMap({ order in uses.map { (order, $0) } }) {
            for (first, state) in [(Self.works, JobState.succeeded), (Self.fails, .failed)] {
                for rule in ["", #","on_failure":"continue""#] {
                    let text = #"""
                        "ordered":\#(isOrdered),"operations":[{"name":"a",\#(first)\#(rule)},{"name":"b",\#(use)\#(after)}]
                        """#
                    let plan = SpecPlan(try readSpec(#"{"type":"group","name":"g",\#(text)}"#))
                    let edges = plan.operations[2].after
                    #expect(edges.count <= 1)
                    let runs = edges.first.map { $0.states.list.contains(state) } ?? true
                    let found = try await states(text, of: ["b"])["b"]
                    #expect((found != "skipped") == runs, "\(text): \(edges), \(found ?? "-")")
                }
            }
        }
    }

    // MARK: Groups

    @Test(arguments: [#""any""#, #"{"at_least":1}"#])
    func `is that a failure which does not count is no success either`(rule: String) async throws {
        let text =
            #"{"type":"group","succeed_when":\#(rule),"operations":[{"name":"a",\#(Self.fails),"on_failure":"continue"}]}"#
        let ending = try await SpecRun().ending(text)
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.groupIncomplete])
        #expect(
            ending.errors.first?.detail.hasPrefix("0 of 1 members succeeded, 1 failed without counting")
                == true)
    }

    @Test func `is that a failure which does not count cancels no others`() async throws {
        let run = SpecRun()
        let task = run.start(
            #"{"type":"group","succeed_when":"any","stop_when":"decided","operations":[{"name":"a",\#(Self.fails),"#
                + #""on_failure":"continue"},{"name":"d","type":"delay","for":"1s"}]}"#
        )
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(1))
        let ending = try await task.value
        #expect(ending.state == .succeeded)
        #expect(ending.result?.bodyValue == ["d": ""])
    }

    private static func calls(_ name: String, _ more: String = "") -> String {
        #"{"name":"\#(name)","type":"network","request":"https://a.example/\#(name)"\#(more)}"#
    }

    @Test func `is that what is kept of an earlier try counts when that is enough with the next success`()
        async throws
    {
        let run = SpecRun()
        run.prepare.withLock { $0 = { $0.journal = EarlierRun(succeeded: [["a"], ["d"]]) } }
        let ending = try await run.ending(
            #"""
            {"type":"group","succeed_when":{"at_least":3},"stop_when":"succeeded","operations":[{"name":"a",\#(Self.works)},
              \#(Self.calls("b")),\#(Self.calls("c", #","after":["b"]"#)),
              {"name":"d",\#(Self.works),"after":[{"operation":"b","states":"any"}]}]}
            """#)
        #expect(ending.state == .succeeded)
        #expect(run.calls.all.map(\.url) == ["https://a.example/b"])
    }

    @Test func `is that nothing is begun where what is kept of an earlier try is enough`() async throws {
        let run = SpecRun()
        run.prepare.withLock { $0 = { $0.journal = EarlierRun(succeeded: [["a"], ["b"]]) } }
        let ending = try await run.ending(
            #"""
            {"type":"group","succeed_when":{"at_least":2},"stop_when":"succeeded","operations":[\#(Self.calls("c")),
              {"name":"a",\#(Self.works)},{"name":"b",\#(Self.works),"after":[{"operation":"c","states":"any"}]}],
             "finally":[\#(Self.calls("z"))]}
            """#)
        #expect(ending.state == .succeeded)
        #expect(ending.result?.bodyValue.object?.members.map(\.name) == ["a", "b"])
        #expect(run.calls.all.map(\.url) == ["https://a.example/z"])
    }

    // MARK: What was not run

    @Test(arguments: [
        (#","when":{"$job":"priority","equals":0}"#, "skipped"),
        (
            #","conditions":[{"when":{"$job":"priority","equals":0}}]"#,
            "cancelled"
        ),
    ])
    func `is that what is inside of a group that was not run has a state`(rule: String, state: String)
        async throws
    {
        let inner =
            #""operations":[{"type":"group","name":"h","operations":[{"name":"v",\#(Self.works)}]\#(rule)}]"#
        #expect(try await states(inner, of: ["h/v"]) == ["h/v": state])
    }

    @Test func `is that a question about what was not run is answered`() async throws {
        let text = #"""
            "operations":[{"type":"group","name":"h","operations":[{"name":"v",\#(Self.works)}],"when":{"$job":"priority","equals":0}}],
            "finally":[{"name":"yes","type":"value","value":1,"when":{"$get":"h/v","at":"/state","equals":"skipped"}},
              {"name":"no","type":"value","value":1,"when":{"$get":"h/v","at":"/body","equals":1}}]
            """#
        #expect(try await states(text, of: ["yes", "no"]) == ["yes": "succeeded", "no": "skipped"])
    }

    // MARK: Choices and repetitions

    @Test func `is that a choice ends as the operation inside, whatever that says about its group`()
        async throws
    {
        let text =
            #""operations":[{"type":"choose","name":"b","of":[{"when":{"$job":"priority","equals":5},"operation":"#
            + #"{"name":"in",\#(Self.fails),"on_failure":"continue"}}]}]"#
        #expect(try await states(text, of: ["b", "b/in"]) == ["b": "failed", "b/in": "failed"])
    }

    @Test(arguments: [(#""max_runs":3"#, 3), (#""max_runs":3,"stop_when":"first_failure""#, 1)])
    func `is that every failed run of a repetition counts`(rule: String, runs: Int) async throws {
        let run = SpecRun { _, _ in (404, "{}") }
        let ending = try await run.ending(
            #"{"type":"repeat",\#(rule),"operation":{"type":"network","request":"https://a.example/","on_failure":"continue"}}"#
        )
        #expect(ending.state == .failed)
        #expect(run.calls.all.count == runs)
    }

    // MARK: Others

    @Test(arguments: [(503, 2), (200, 1)])
    func `is that an unexpected answer is retried when its status is retryable`(status: Int, calls: Int)
        async throws
    {
        let run = SpecRun { _, number in number == 0 ? (status, #"{"n":0}"#) : (200, #"{"n":2}"#) }
        let ending = try await run.ending(
            #"""
            {"type":"network","request":"https://a.example/","retry":{"backoff":"PT0S"},
             "expect":{"status":["2xx",503],"that":{"at":"/body/n","greater":1}}}
            """#)
        #expect(run.calls.all.count == calls)
        #expect(ending.state == (calls == 2 ? .succeeded : .failed))
    }

    @Test func `is that the root has the address of the job`() async throws {
        let value = try await SpecRun().value(#"{"type":"value","name":"top","value":{"$job":"operation"}}"#)
        #expect(value == "_root")
    }

    @Test(arguments: [("fail", "failed"), ("skip", "skipped")])
    func `is that a condition about a skipped dependency says what becomes of the operation`(
        otherwise: String, state: String
    ) async throws {
        let text = #"""
            "operations":[{"name":"a",\#(Self.works),"when":{"$job":"priority","equals":0}},
              {"name":"b",\#(Self.works),"after":[{"operation":"a","states":"any"}],
               "conditions":[{"when":{"$get":"a","at":"/state","equals":"succeeded"},"otherwise":"\#(otherwise)"}]}]
            """#
        #expect(try await states(text, of: ["b"]) == ["b": state])
    }

    @Test func `is that a default comes before the rescue`() async throws {
        let text = #"""
            {"type":"group","operations":[{"name":"a",\#(Self.fails),"on_failure":"continue"},
              {"name":"b","type":"transform","input":{"$get":"a","default":[1]},"rescue":"rescued"},
              {"name":"c","type":"transform","input":{"$get":"a"},"rescue":"rescued"}]}
            """#
        #expect(try await SpecRun().value(text) == ["b": [1], "c": "rescued"])
    }
}
