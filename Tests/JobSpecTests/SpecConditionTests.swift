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

    private let yes = #"{"type":"expression","that":{"$job":"name","equals":"value"}}"#
    private let no = #"{"type":"expression","that":{"$job":"name","equals":"x"},"on_unsatisfied":"fail"}"#

    @Test func `may be an expression, which skips by default or fails`() async throws {
        #expect(try await ending(yes).state == .succeeded)
        let skipped = try await ending(#"{"type":"expression","that":{"$job":"name","equals":"x"}}"#)
        #expect(skipped.state == .skipped)
        #expect(skipped.errors.map(\.code) == [.conditionUnsatisfied])
        let failed = try await ending(no)
        #expect(failed.state == .failed)
        #expect(failed.errors.map(\.stage) == [.condition])
        #expect(failed.errors.map(\.publisher) == ["expression"])
    }

    @Test func `that skips does so although another holds, also inside all`() async throws {
        let skips = #"{"type":"expression","that":{"$job":"name","equals":"x"}}"#
        // The clock of these tests begins at 22:13:20 UTC.
        let closed = #"{"type":"time_window","tz":"UTC","from":"08:00","to":"18:00","on_closed":"skip"}"#
        let cancelled = #"{"type":"no_cancelled_dependencies"}"#
        for condition in [skips, closed] {
            let code: ErrorCode = condition == skips ? .conditionUnsatisfied : .conditionWindowClosed
            for holding in [yes, cancelled] {
                let skipped = try await ending("\(condition),\(holding)")
                #expect(skipped.state == .skipped)
                #expect(skipped.errors.map(\.code) == [code])
                let inside = try await ending(#"{"type":"all","conditions":[\#(holding),\#(condition)]}"#)
                #expect(inside.state == .skipped)
                #expect(inside.errors.map(\.code) == [.conditionNotAll])
                #expect(inside.errors.first?.causes.map(\.code) == [code])
            }
            #expect(try await ending("\(condition),\(yes),\(no)").state == .failed)
            let either = #"{"type":"any","conditions":[\#(condition),\#(yes)]}"#
            #expect(try await ending("\(either),\(yes)").state == .succeeded)
            let negated = #"{"type":"negated","condition":\#(condition)}"#
            #expect(try await ending("\(negated),\(yes)").state == .succeeded)
        }
    }

    @Test func `that refers to another operation waits for it`() async throws {
        let value = try await SpecRun().value(
            #"""
            {"type":"group","operations":[
              {"type":"value","name":"late","value":1,
               "conditions":[{"type":"expression","that":{"$get":"early","at":"/body/go","equals":true}}]},
              {"type":"value","name":"early","value":{"go":true}}]}
            """#)
        #expect(value?.object?["late"] == 1)
    }

    @Test func `may be all of several, one of several, or one that does not fail`() async throws {
        #expect(try await ending(#"{"type":"all","conditions":[\#(yes),\#(yes)]}"#).state == .succeeded)
        #expect(try await ending(#"{"type":"all","conditions":[\#(yes),\#(no)]}"#).state == .failed)
        #expect(try await ending(#"{"type":"any","conditions":[\#(yes),\#(no)]}"#).state == .succeeded)
        #expect(try await ending(#"{"type":"any","conditions":[\#(no),\#(no)]}"#).state == .failed)
        #expect(try await ending(#"{"type":"ignored","condition":\#(no)}"#).state == .skipped)
        #expect(try await ending(#"{"type":"negated","condition":\#(no)}"#).state == .succeeded)
    }

    @Test func `may be turned round`() async throws {
        let ending = try await ending(
            #"{"type":"negated","condition":{"type":"expression","that":{"$job":"labels","at":"/a","default":1,"#
                + #""greater":5}}}"#)
        #expect(ending.state == .succeeded)
        let broken = try await SpecRun { _, _ in (500, "{}") }.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":"https://a.example/","retry":{"max_attempts":1},"on_failure":"continue"},
              {"type":"value","name":"b","value":1,"after":[{"operation":"a","on":"finished"}],"conditions":[
                {"type":"negated","condition":{"type":"expression","that":{"$get":"a","at":"/error/nothing","equals":1}}}]}]}
            """#)
        #expect(broken.state == .succeeded)
    }

    @Test func `checks for cancelled dependencies`() async throws {
        #expect(try await ending(#"{"type":"no_cancelled_dependencies"}"#).state == .succeeded)
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
        let closed = #"{"type":"time_window","tz":"UTC","from":"08:00","to":"18:00","on_closed":"WORD"}"#
        #expect(try await ending(closed.replacing("WORD", with: "skip")).state == .skipped)
        let failed = try await ending(closed.replacing("WORD", with: "fail"))
        #expect(failed.errors.map(\.code) == [.conditionWindowClosed])
        let silent = try await ending(
            #"{"type":"silent","condition":\#(closed.replacing("WORD", with: "wait"))}"#)
        #expect(silent.errors.map(\.code) == [.conditionWindowClosed])
    }

    @Test func `tries to reach something until it can, or gives up`() async throws {
        let run = SpecRun()
        run.unreachable.withLock { $0 = 2 }
        let reach =
            #"{"type":"reachability","url":"https://a.example/","wait":true,"interval":"10s","give_up_after":"25s"}"#
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
        (#"{"type":"all","conditions":[]}"#, "/conditions", "spec.out_of_range"),
        (#"{"type":"any"}"#, "", "spec.missing_member"),
        (#"{"type":"any","conditions":[{"type":"anny"}]}"#, "/conditions/0/type", "spec.unknown_type"),
        (#"{"type":"ignored"}"#, "", "spec.missing_member"),
        (#"{"type":"expression"}"#, "", "spec.missing_member"),
        (#"{"type":"expression","that":{"at":"/body","exists":true}}"#, "/that", "spec.missing_member"),
        (
            #"{"type":"expression","that":{"$job":"id","exists":true},"on_unsatisfied":"wait"}"#,
            "/on_unsatisfied",
            "spec.unknown_word"
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
            #"{"type":"reachability","url":"https://a.example/","interval":"5s"}"#, "/interval",
            "spec.conflict"
        ),
        (
            #"{"type":"reachability","url":"https://a.example/","wait":true,"interval":"1ms"}"#, "/interval",
            "spec.out_of_range"
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
