import StrictJSON
import Synchronization
import Testing

@testable import JobKit
@testable import JobSpec

@Suite struct `A time in a spec` {
    private static let members = ["run_at", "start_by", "finish_by"]

    private func times(_ text: String) throws -> [SpecTime?] {
        let members = Self.members.map { "\"\($0)\":\(text)" }.joined(separator: ",")
        let value = #""type":"value","value":1"#
        let spec = try readSpec("{\"type\":\"group\",\(members),\"operations\":[{\(value),\(members)}]}")
        return ([spec.operation] + spec.operation.members).flatMap { [$0.runAt, $0.startBy, $0.finishBy] }
    }

    @Test(arguments: [
        (#""2027-03-01T09:00:00+01:00""#, "2027-03-01T08:00:00.000Z"),
        (#"{"local":"2027-03-01T09:00","tz":"Europe/Berlin"}"#, "2027-03-01T08:00:00.000Z"),
        (#"{"local":"2027-07-01T09:00:30","tz":"Europe/Berlin"}"#, "2027-07-01T07:00:30.000Z"),
        // The clocks skip from 2:00 to 3:00, and show 2:30 twice in autumn.
        (#"{"local":"2027-03-28T02:30","tz":"Europe/Berlin"}"#, "2027-03-28T01:00:00.000Z"),
        (#"{"local":"2027-10-31T02:30","tz":"Europe/Berlin"}"#, "2027-10-31T00:30:00.000Z"),
        (#"{"local":"2036-11-20T00:00","tz":"UTC"}"#, "2036-11-20T00:00:00.000Z"),
    ])
    func `is a date, of a job and of an operation`(text: String, date: String) throws {
        let date = try Timestamp.parse(date)
        #expect(try times(text) == Array(repeating: .at(date), count: 6))
    }

    @Test func `is a duration of up to ten years`() throws {
        #expect(try times(#""3660d""#) == Array(repeating: .after(.seconds(3_660 * 86_400)), count: 6))
        #expect(try readSpec(#"{"type":"value","value":1,"run_at":"0s"}"#).operation.runAt == .after(.zero))
    }

    @Test(arguments: [
        (#""2027-03-01T09:00""#, "", "spec.bad_time", #"{"local": "2027-03-01T09:00", "tz": "UTC"}"#),
        (#"{"local":"2027-03-01T09:00"}"#, "", "spec.missing_member", #""tz": "Europe/Berlin""#),
        (#"{"tz":"UTC"}"#, "", "spec.missing_member", #""local": "2026-11-21T10:00""#),
        (
            #"{"local":"2027-03-01T09:00:00Z","tz":"UTC"}"#, "/local", "spec.bad_time", "2027-03-01T09:00:00"
        ),
        (#"{"local":"9:00","tz":"UTC"}"#, "/local", "spec.bad_time", nil),
        (#"{"local":"2027-03-01T09:00","tz":"Berlin"}"#, "/tz", "spec.unknown_word", "Europe/Berlin"),
        (#"{"local":"2047-03-01T09:00","tz":"UTC"}"#, "", "spec.out_of_range", nil),
        (#""2047-03-01T09:00:00Z""#, "", "spec.out_of_range", nil),
        (#""3661d""#, "", "spec.out_of_range", nil),
        ("90", "", "spec.wrong_type", "90s"), ("null", "", "spec.wrong_type", nil),
        (#""soon""#, "", "spec.bad_time", nil), (#""5 min""#, "", "spec.bad_duration", "5m"),
    ])
    func `of another form is refused with the right one`(
        text: String, place: String, code: String, suggestion: String?
    ) {
        for member in Self.members {
            let found = problems("{\"type\":\"value\",\"value\":1,\"\(member)\":\(text)}")
            #expect(found.map(\.code) == [code], "\(found)")
            #expect(found.first?.pointer.description == "/" + member + place)
            #expect(found.first?.suggestion == suggestion)
        }
    }

    // MARK: What it does

    private func group(_ first: String, then second: String = "") -> String {
        #"{"type":"group","operations":[{"type":"value","name":"a","value":1,\#(first)}\#(second)]}"#
    }

    @Test func `keeps an operation from beginning, and its clocks from counting`() async throws {
        let run = SpecRun()
        let task = run.start(
            group(#""run_at":"1h","timeouts":{"total":"1s"}"#))
        await run.clock.waitForSleepers()
        #expect(run.clock.nextWake == run.clock.now.advanced(by: .seconds(3_600)))
        run.clock.advance(by: .seconds(3_600))
        #expect(try await task.value.state == .succeeded)
    }

    @Test func `that is past delays nothing`() async throws {
        #expect(try await SpecRun().value(group(#""run_at":"2001-01-01T00:00:00Z""#)) == ["a": 1])
    }

    @Test func `ends an operation that has not begun by then as expired`() async throws {
        let run = SpecRun()
        let end = run.clock.now.advanced(by: .seconds(3_600))
        let task = run.start(group(#""run_at":"2h","start_by":"1h""#))
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(3_600))
        let ending = try await task.value
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.timeoutStartBy])
        #expect(ending.errors.first?.at == end)
    }

    @Test func `leaves an operation alone that began in time`() async throws {
        let run = SpecRun()
        let task = run.start(
            #"{"type":"group","operations":[{"type":"delay","name":"a","for":"2h","start_by":"1h"}]}"#)
        // The delay and the time to start: it has begun then.
        await run.clock.waitForSleepers(2)
        run.clock.advance(by: .seconds(3_600))
        run.clock.advance(by: .seconds(3_600))
        #expect(try await task.value.state == .succeeded)
    }

    @Test func `that an operation misses counts as its failure for what follows`() async throws {
        let run = SpecRun()
        let late = #""run_at":"2h","start_by":"1h","on_failure":"continue""#
        let task = run.start(
            group(
                late,
                then:
                    #",{"type":"value","name":"b","value":2,"after":[{"operation":"a","states":["failed"]}]}"#
            ))
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(3_600))
        let ending = try await task.value
        #expect(ending.state == .succeeded)
        let body = try JSONParser.parse(ending.result?.body ?? [])
        #expect(body == ["b": 2])
    }

    @Test func `that an operation missed does not count after a retry`() async throws {
        let run = SpecRun()
        run.prepare.withLock { $0 = { $0.heedsStartBy = false } }
        #expect(try await run.value(group(#""start_by":"2001-01-01T00:00:00Z""#)) == ["a": 1])
    }

    @Test func `is warned about where it comes too late`() throws {
        let plan = SpecPlan(try readSpec(group(#""run_at":"2h","finish_by":"1h""#)))
        #expect(plan.warnings.map(\.code) == ["warning.finish_by_before_run_at"])
        #expect(plan.warnings.first?.operation == "a")
    }
}
