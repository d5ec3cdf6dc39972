import HTTPMessage
import StrictJSON
import Synchronization
import Testing

@testable import JobKit
import JobSpec
import TestOperations

@Suite struct `A condition in a spec` {
    private func ending(_ conditions: String, _ run: SpecRun = SpecRun()) async throws -> OperationEnding {
        try await run.ending(#"{"type":"value","value":1,"conditions":[\#(conditions)]}"#)
    }

    private let yes = #"{"when":{"$job":"name","equals":"value"}}"#
    private let no = #"{"when":{"$job":"name","equals":"x"}}"#

    @Test func `may be a question, which fails by default or skips`() async throws {
        #expect(try await ending(yes).state == .succeeded)
        let skipped = try await ending(#"{"when":{"$job":"name","equals":"x"},"otherwise":"skip"}"#)
        #expect(skipped.state == .skipped)
        #expect(skipped.errors.map(\.code) == [.conditionUnsatisfied])
        #expect(skipped.errors.map(\.publisher) == ["when"])
        let failed = try await ending(no)
        #expect(failed.state == .failed)
        #expect(failed.errors.map(\.stage) == [.condition])
        #expect(failed.errors.map(\.publisher) == ["when"])
    }

    @Test func `that skips does so although another holds, unless one fails`() async throws {
        let skips = #"{"when":{"$job":"name","equals":"x"},"otherwise":"skip"}"#
        // The clock of these tests begins at 22:13:20 UTC.
        let closed = #"{"type":"time_window","tz":"UTC","from":"08:00","to":"18:00","otherwise":"skip"}"#
        let window = #"{"type":"time_window","tz":"UTC","from":"20:00","to":"23:00"}"#
        for condition in [skips, closed] {
            let code: ErrorCode = condition == skips ? .conditionUnsatisfied : .conditionWindowClosed
            for holding in [yes, window] {
                let skipped = try await ending("\(condition),\(holding)")
                #expect(skipped.state == .skipped)
                #expect(skipped.errors.map(\.code) == [code])
            }
            #expect(try await ending("\(condition),\(yes),\(no)").state == .failed)
        }
    }

    @Test func `of several says itself what becomes of the operation`() async throws {
        // The clock of these tests begins at 22:13:20 UTC.
        let closed = #"{"type":"time_window","tz":"UTC","from":"08:00","to":"18:00","otherwise":"fail"}"#
        for (condition, code) in [(no, ErrorCode.conditionUnsatisfied), (closed, .conditionWindowClosed)] {
            for (whole, outer) in [
                (#""all":[\#(yes),\#(condition)]"#, ErrorCode.conditionNotAll),
                (#""any":[\#(condition),\#(condition)]"#, .conditionNone),
            ] {
                let failed = try await ending("{\(whole)}")
                #expect(failed.state == .failed)
                #expect(failed.errors.map(\.code) == [outer])
                #expect(failed.errors.first?.causes.last?.code == code)
                let skipped = try await ending("{\(whole),\"otherwise\":\"skip\"}")
                #expect(skipped.state == .skipped)
                #expect(skipped.errors.map(\.code) == [outer])
            }
            #expect(try await ending(#"{"any":[\#(condition),\#(yes)]}"#).state == .succeeded)
            #expect(try await ending(#"{"not":\#(condition)}"#).state == .succeeded)
        }
        let refused = try await ending(#"{"not":\#(yes)}"#)
        #expect(refused.state == .failed)
        #expect(refused.errors.map(\.code) == [.conditionHolds])
        #expect(try await ending(#"{"not":\#(yes),"otherwise":"skip"}"#).state == .skipped)
    }

    @Test func `that cannot be evaluated fails the operation whatever it says of a skip`() async throws {
        let ending = try await SpecRun { _, _ in (200, "no JSON") }.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":"https://a.example/"},
              {"type":"value","name":"b","value":1,"conditions":[
                {"any":[{"when":{"$get":"a","at":"/body/x","equals":1}}],"otherwise":"skip"}]}]}
            """#)
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.conditionBroken])
    }

    @Test func `that refers to another operation waits for it`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"group","operations":[
              {"type":"value","name":"late","value":1,
               "conditions":[{"when":{"$get":"early","at":"/body/go","equals":true}}]},
              {"type":"value","name":"early","value":{"go":true}}]}
            """#)
        #expect(value?.object?["late"] == 1)
    }

    @Test func `may be all of several, one of several, or one that must not hold`() async throws {
        #expect(try await ending(#"{"all":[\#(yes),\#(yes)]}"#).state == .succeeded)
        #expect(try await ending(#"{"all":[\#(yes),\#(no)]}"#).state == .failed)
        #expect(try await ending(#"{"any":[\#(yes),\#(no)]}"#).state == .succeeded)
        #expect(try await ending(#"{"any":[\#(no),\#(no)]}"#).state == .failed)
        #expect(try await ending(#"{"any":[{"all":[\#(yes),\#(no)]},{"not":\#(no)}]}"#).state == .succeeded)
    }

    @Test func `may be turned round`() async throws {
        let ending = try await ending(
            #"{"not":{"when":{"$job":"labels","at":"/a","default":1,"greater":5}}}"#)
        #expect(ending.state == .succeeded)
        let broken = try await SpecRun { _, _ in (500, "{}") }.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":"https://a.example/","retry":{"max_attempts":1},"on_failure":"continue"},
              {"type":"value","name":"b","value":1,"after":[{"operation":"a","states":"any"}],"conditions":[
                {"not":{"when":{"$get":"a","at":"/error/nothing","equals":1}}}]}]}
            """#)
        #expect(broken.state == .succeeded)
    }

    @Test func `can fail an operation that follows what did not succeed`() async throws {
        let ending = try await SpecRun { _, _ in (404, "{}") }.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":"https://a.example/","on_failure":"continue"},
              {"type":"value","name":"b","value":1,"after":[{"operation":"a","states":"any"}],
               "conditions":[{"when":{"$get":"a","at":"/state","equals":"succeeded"}}]}]}
            """#)
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.conditionUnsatisfied])
    }

    @Test func `waits for its time window`() async throws {
        let run = SpecRun()
        // The clock of these tests begins on a Tuesday at 22:13:20 UTC.
        let task = run.start(
            #"{"type":"value","value":1,"conditions":[{"type":"time_window","tz":"UTC","from":"08:00","to":"18:00"}]}"#
        )
        await run.clock.waitForSleepers()
        let begin = run.clock.now
        let ended = Latch()
        let waiting = Task {
            defer { ended.open() }
            return try await task.value
        }
        // Long waits are cut into short ones, so that a clock that jumps is noticed.
        while !ended.isOpen {
            run.clock.advance(by: .seconds(60))
            await Task.yield()
        }
        #expect(try await waiting.value.state == .succeeded)
        #expect(run.clock.now.since(begin) >= .seconds(9 * 3_600))
        let closed = #"{"type":"time_window","tz":"UTC","from":"08:00","to":"18:00","otherwise":"WORD"}"#
        #expect(try await ending(closed.replacing("WORD", with: "skip")).state == .skipped)
        let failed = try await ending(closed.replacing("WORD", with: "fail"))
        #expect(failed.errors.map(\.code) == [.conditionWindowClosed])
    }

    @Test func `tries to reach something until it can, or gives up`() async throws {
        let run = SpecRun()
        run.unreachable.withLock { $0 = 2 }
        let reach =
            #"{"type":"reachability","url":"https://a.example/","otherwise":"wait","every":"10s","timeout":"25s"}"#
        let spec = #"{"type":"value","value":1,"conditions":[\#(reach)]}"#
        let task = run.start(spec)
        for _ in 0..<2 {
            await run.clock.waitForSleepers()
            run.clock.advance(by: .seconds(10))
        }
        #expect(try await task.value.state == .succeeded)
        let other = SpecRun()
        other.unreachable.withLock { $0 = 100 }
        let failing = other.start(spec)
        for _ in 0..<2 {
            await other.clock.waitForSleepers()
            other.clock.advance(by: .seconds(10))
        }
        let ending = try await failing.value
        #expect(ending.errors.map(\.code) == [.conditionUnreachable])
        #expect(other.unreachable.withLock { $0 } == 97)
    }

    @Test(arguments: [
        (#"{"all":[]}"#, "/all", "spec.out_of_range"),
        (#"{"any":{}}"#, "/any", "spec.wrong_type"),
        (#"{"any":[{"type":"anny"}]}"#, "/any/0/type", "spec.unknown_type"),
        (#"{"not":[]}"#, "/not", "spec.wrong_type"),
        (
            #"{"not":{"when":{"$job":"id","exists":true}},"when":{"$job":"id","exists":true}}"#, "/when",
            "spec.unknown_member"
        ),
        (#"{"otherwise":"skip"}"#, "", "spec.missing_member"),
        (#"{"when":{"at":"/body","exists":true}}"#, "/when", "spec.missing_member"),
        (#"{"when":{"$job":"id","exists":true},"otherwise":"wait"}"#, "/otherwise", "spec.unknown_word"),
        (#"{"type":"approval","prompt":"Pay?","otherwise":"wait"}"#, "/otherwise", "spec.unknown_word"),
        (#"{"type":"lock","key":"a","otherwise":"skip"}"#, "/otherwise", "spec.unknown_member"),
        (
            #"{"any":[{"when":{"$job":"id","exists":true},"otherwise":"skip"}]}"#, "/any/0/otherwise",
            "spec.conflict"
        ),
        (
            #"{"type":"reachability","url":"https://a.example/","check_only":true}"#, "/check_only",
            "spec.unknown_member"
        ),
        (#"{"type":"time_window"}"#, "", "spec.missing_member"),
        (#"{"type":"time_window","tz":"Europe/Berln"}"#, "/tz", "spec.unknown_word"),
        (#"{"type":"time_window","tz":"UTC","from":"8:00"}"#, "/from", "spec.bad_time"),
        (#"{"type":"time_window","tz":"UTC","from":"24:00"}"#, "/from", "spec.bad_time"),
        (#"{"type":"time_window","tz":"UTC","to":"25:00"}"#, "/to", "spec.bad_time"),
        (#"{"type":"time_window","tz":"UTC","days":["monday"]}"#, "/days/0", "spec.unknown_word"),
        (#"{"type":"time_window","tz":"UTC","days":[]}"#, "/days", "spec.out_of_range"),
        (#"{"type":"time_window","tz":"UTC","except":["25.12.2026"]}"#, "/except/0", "spec.bad_time"),
        (#"{"type":"time_window","tz":"UTC","except":["2026-02-30"]}"#, "/except/0", "spec.bad_time"),
        (
            #"{"type":"reachability","url":"https://a.example/","every":"5s"}"#, "/every",
            "spec.conflict"
        ),
        (
            #"{"type":"reachability","url":"https://a.example/","otherwise":"wait","every":"1ms"}"#,
            "/every", "spec.out_of_range"
        ),
    ])
    func `is checked before the job runs`(condition: String, pointer: String, code: String) {
        WrongSpec(
            #"{"type":"value","value":1,"conditions":[\#(condition)]}"#, "/conditions/0\(pointer)", code
        ).expectAlone()
    }

    @Test func `names the intended time zone`() {
        let found = problems(
            #"{"type":"value","value":1,"conditions":[{"type":"time_window","tz":"Europe/Berln"}]}"#)
        #expect(found.map(\.suggestion) == ["Europe/Berlin"])
    }
}
