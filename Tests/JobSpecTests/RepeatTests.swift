import JobKit
import StrictJSON
import TestOperations
import Testing

@Suite struct `A repeat` {
    private static let call =
        #""operation":{"type":"network","request":"https://a.example/","retry":{"max_attempts":1}}"#

    private func spec(_ rule: String) -> String {
        #"{"type":"repeat","name":"again",\#(rule),\#(Self.call)}"#
    }

    @Test func `runs the given number of times and has the latest result`() async throws {
        let run = SpecRun { _, before in (200, "{\"n\":\(before)}") }
        #expect(try await run.value(spec(#""max_runs":3"#)) == ["n": 2])
        #expect(run.calls.all.count == 3)
    }

    @Test func `stops as soon as its condition holds, whatever failed before`() async throws {
        let run = SpecRun { _, before in before == 0 ? (500, "{}") : (200, "{\"done\":\(before >= 3)}") }
        let value = try await run.value(spec(#""until":{"at":"/body/done","equals":true}"#))
        #expect(value == ["done": true])
        #expect(run.calls.all.count == 4)
    }

    @Test func `fails when there were as many runs as allowed`() async throws {
        let run = SpecRun()
        let ending = try await run.ending(spec(#""until":{"at":"/status","equals":201},"max_runs":2"#))
        #expect(ending.errors.map(\.code) == [.repeatExhausted])
        #expect(run.calls.all.count == 2)
    }

    @Test func `reports the last run's error when the runs are exhausted`() async throws {
        let run = SpecRun { _, before in (before == 0 ? 404 : 200, "{}") }
        let ending = try await run.ending(spec(#""until":{"at":"/status","equals":201},"max_runs":3"#))
        #expect(ending.errors.map(\.code) == [.repeatExhausted])
        #expect(ending.errors.first?.causes.map(\.path) == [["again", "1"]])
        let early = SpecRun { _, before in (before == 0 ? 404 : 200, "{}") }
        let rule = #""until":{"at":"/status","equals":201},"max_runs":3,"stop_when":"first_failure""#
        #expect(try await early.ending(spec(rule)).errors.map(\.code) == [.httpStatus])
        #expect(early.calls.all.count == 1)
    }

    @Test func `continues after a failed run and fails at the end, or stops immediately`() async throws {
        let answer = { @Sendable (_: Any, before: Int) in (before == 1 ? 404 : 200, "{}") }
        let run = SpecRun { answer($0, $1) }
        let ending = try await run.ending(spec(#""max_runs":4"#))
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.path) == [["again", "2"]])
        #expect(ending.errors.first?.publisher == "network")
        #expect(run.calls.all.count == 4)
        let early = SpecRun { answer($0, $1) }
        #expect(try await early.ending(spec(#""max_runs":4,"stop_when":"first_failure""#)).state == .failed)
        #expect(early.calls.all.count == 2)
    }

    @Test func `waits between its runs, and not after the last one`() async throws {
        let run = SpecRun()
        let task = run.start(
            spec(#""max_runs":4,"backoff":{"type":"exponential","initial":"1s","factor":2,"max":"3s"}"#))
        for wait in [1, 2, 3] {
            await run.clock.waitForSleepers()
            #expect(run.clock.nextWake == run.clock.now.advanced(by: .seconds(wait)))
            run.clock.advance(by: .seconds(wait))
        }
        #expect(try await task.value.state == .succeeded)
    }

    @Test func `ends at once when it is stopped between two runs`() async throws {
        let run = SpecRun()
        let task = run.start(spec(#""max_runs":4,"every":"1h""#))
        await run.clock.waitForSleepers()
        run.cancel()
        #expect(try await task.value.state == .cancelled)
        #expect(run.calls.all.count == 1)
    }

    @Test(arguments: [
        (#""every":"1s""#, "", "spec.missing_member"), (#""max_runs":0"#, "/max_runs", "spec.out_of_range"),
        (#""max_runs":10001"#, "/max_runs", "spec.out_of_range"),
        (#""max_runs":2,"every":"1s","backoff":"2s""#, "/backoff", "spec.conflict"),
        (#""max_runs":2,"until":{"at":"/bdy","equals":1}"#, "/until/at", "spec.bad_pointer"),
        (#""max_runs":2,"every":5"#, "/every", "spec.bad_duration"),
    ])
    func `is checked before it runs`(rule: String, pointer: String, code: String) {
        WrongSpec(spec(rule), pointer, code).expectAlone()
    }
}
