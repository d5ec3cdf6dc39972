import HTTPMessage
import JobKit
import StrictJSON
import Testing

@testable import JobSpec

/// Reads a schedule as of the beginning of November 2026.
func readSchedule(_ text: String) throws -> Result<ScheduleSpec, SpecProblems> {
    ScheduleReader.read(
        try JSONParser.parse(Array(text.utf8)), name: "nightly",
        now: try Timestamp.parse("2026-11-01T00:00:00Z"),
        egress: EgressPolicy(), kinds: .none, templates: { _ in nil })
}

private let job = #""job": {"type": "delay", "for": "1s"}"#

@Suite struct `A schedule that is probably not meant so` {
    private func problems(_ members: String) throws -> [SpecProblem] {
        switch try readSchedule("{\(members), \(job)}") {
        case .success: []
        case .failure(let problems): problems.list
        }
    }

    private func warnings(_ members: String) throws -> [SpecWarning] {
        ScheduleAdvice.warnings(
            about: try readSchedule("{\(members), \(job)}").get(),
            at: try Timestamp.parse("2026-11-01T00:00:00Z"))
    }

    @Test(arguments: [
        (#""cron": "*/10 *""#, "/cron", "five fields"),
        (#""cron": "0 0 31 2 *""#, "/cron", "never happens"),
        (#""calendar": {"days": [30], "months": ["feb"], "at": ["08:00"]}"#, "/calendar", "never happens"),
        (#""cron": "0 3 * * *", "tz": "Berlin""#, "/tz", "no time zone"),
        (#""cron": "0 3 * * *", "tz": "CEST""#, "/tz", "no time zone"),
        (#""every": "1h", "cron": "0 3 * * *""#, "/every", "one of"),
        (#""tz": "UTC""#, "", "when it runs"),
        (#""every": "10""#, "/every", "not a duration"),
        (#""every": "100ms""#, "/every", "more than"),
        (#""every": "1h", "gap": "skip""#, "/gap", "elapsed"),
        (#""cron": "@reboot""#, "/cron", "start of a machine"),
        (#""calendar": {"weekdays": ["monday"]}"#, "/calendar", "at which times"),
        (#""cron": "0 3 * * *", "ends_at": "2026-10-01T00:00:00Z""#, "/ends_at", "no time from now on"),
        (#""cron": "0 3 * * *", "params": {}"#, "/params", "there is none"),
    ])
    func `is refused with its place`(members: String, pointer: String, text: String) throws {
        let found = try problems(members)
        #expect(
            found.contains { $0.pointer.description == pointer && $0.detail.contains(text) },
            "\(found.map { "\($0.pointer): \($0.detail)" })")
    }

    @Test func `is refused with what is meant where that is clear`() throws {
        #expect(try problems(#""cron": "0 3 * * *", "tz": "Berlin""#).first?.suggestion == "Europe/Berlin")
        #expect(
            try problems(#""cron": "0 3 * * *", "tz": "Europe/Berln""#).first?.suggestion == "Europe/Berlin")
        #expect(try problems(#""cron": "*/10 *""#).first?.suggestion == "*/10 * * * *")
        #expect(
            try problems(#""calendar": {"weekdays": ["frist mon"], "at": ["08:00"]}"#).first?.suggestion
                == "first mon")
    }

    @Test(arguments: [
        (#""cron": "0 0 1-7 * MON""#, "warning.cron_either", "0 0 * * MON#1"),
        (#""cron": "0 0 13 * FRI""#, "warning.cron_either", "0 0 13 * +FRI"),
        (#""cron": "0 0 */2 * MON""#, "warning.cron_both", "+MON"),
        (#""cron": "* 3 * * *""#, "warning.cron_every_minute", "0 3 * * *"),
        (#""cron": "*/45 * * * *""#, "warning.cron_step", "45m"),
        (#""cron": "0 */5 * * *""#, "warning.cron_step", "5h"),
        (#""cron": "0 8 31 * *""#, "warning.short_months", "Feb, Apr, Jun, Sep, Nov"),
        (#""calendar": {"days": [29], "at": ["08:00"]}"#, "warning.short_months", "most years"),
        (#""every": "24h""#, "warning.every_day", "00:00 UTC"),
        (#""every": "1h", "tz": "Europe/Berlin""#, "warning.zone_unused", "tz"),
        (#""cron": "30 2 * * *", "tz": "Europe/Berlin""#, "warning.clocks_skip", "2027-03-28"),
        (
            #""cron": "30 2 * * *", "tz": "Europe/Berlin", "gap": "skip""#, "warning.clocks_skip",
            "does not run"
        ),
        (#""cron": "*/20 2 * * *", "tz": "Europe/Berlin""#, "warning.clocks_repeat", "2027-10-31"),
    ])
    func `says what will happen`(members: String, code: String, text: String) throws {
        let found = try warnings(members)
        #expect(
            found.contains { $0.code == code && $0.detail.contains(text) },
            "\(found.map { "\($0.code): \($0.detail)" })")
    }

    @Test(arguments: [
        #""cron": "0 3 * * MON-FRI", "tz": "Europe/Berlin""#,
        #""cron": "*/10 * * * *", "tz": "Europe/Berlin""#,
        #""every": "10m""#, #""calendar": {"days": ["last"], "at": ["08:00"]}"#, #""cron": "0 0 L * *""#,
        #""cron": "0 0 1-7 * +MON""#, #""cron": "0 8-18/2 * * *""#, #""cron": "@daily""#,
        #""cron": "0 0 29,1 * *""#,
    ])
    func `is not suspected without a reason`(members: String) throws {
        #expect(try warnings(members).isEmpty)
    }

    @Test func `has a job that can be made`() throws {
        func problems(_ text: String) throws -> [String] {
            guard case .failure(let found) = try readSchedule(text) else { return [] }
            return found.list.map(\.pointer.description)
        }
        #expect(try problems(#"{"cron": "@daily"}"#) == [""])
        #expect(try problems(#"{"cron": "@daily", "job": {"type": "delya", "for": "1s"}}"#) == ["/job/type"])
        #expect(
            try problems(#"{"cron": "@daily", "job": {"type": "delay", "for": "1s", "run_at": "2s"}}"#) == [
                "/job/run_at"
            ])
        #expect(
            try problems(
                #"{"cron": "@daily", "job": {"type": "delay", "for": "1s", "labels": {"schedule": "x"}}}"#)
                == ["/job/labels/schedule"])
        #expect(
            try problems(
                #"{"cron": "@daily", "job": {"type": "delay", "for": "1s", "labels": {"callback_of": "x"}}}"#)
                == ["/job/labels/callback_of"])
        #expect(try problems(#"{"cron": "@daily", "template": "none"}"#) == ["/template"])
        #expect(try problems(#"{"cron": "@daily", "job": {"template": "none"}}"#) == ["/job/template"])
    }
}

@Suite struct `The preview of a schedule` {
    private func preview(_ members: String, after text: String) throws -> [SchedulePreview.Entry] {
        let spec = try readSchedule("{\(members), \(job)}").get()
        return SchedulePreview(of: spec.plan, after: try Timestamp.parse(text), count: 10).entries
    }

    @Test func `tells what the clocks do to a fixed time`() throws {
        let leap = try preview(
            #""cron": "30 2 * * *", "tz": "Europe/Berlin""#, after: "2027-03-27T02:00:00Z")
        #expect(leap.count == 10)
        #expect(leap[0].local == "2027-03-28T03:00:00+02:00")
        #expect(leap[0].notes == ["The clocks skip 02:30 that day: it runs when they change, at 03:00."])
        #expect(leap[1].local == "2027-03-29T02:30:00+02:00")
        #expect(leap[1].notes.isEmpty)
        let back = try preview(
            #""cron": "30 2 * * *", "tz": "Europe/Berlin""#, after: "2027-10-30T12:00:00Z")
        #expect(back[0].local == "2027-10-31T02:30:00+02:00")
        #expect(back[0].notes == ["The clocks show this time twice: it runs the first time."])
    }

    @Test func `ends with the last job that max_runs leaves, and counts no day without one`() throws {
        let spec = try readSchedule(
            "{\(#""cron": "0 3 * * *", "max_runs": 5, "except": ["2026-12-25"]"#), \(job)}"
        ).get()
        let preview = SchedulePreview(
            of: spec.plan, after: try Timestamp.parse("2026-12-24T00:00:00Z"), count: 10, runsLeft: 2)
        #expect(preview.entries.map(\.slot.isExcluded) == [false, true, false])
    }

    @Test func `tells both passes of a repeated hour apart`() throws {
        let twice = try preview(
            #""cron": "0 */2 * * *", "tz": "Europe/Berlin""#, after: "2027-10-30T23:00:00Z")
        #expect(twice[0].local == "2027-10-31T02:00:00+02:00")
        #expect(twice[1].local == "2027-10-31T02:00:00+01:00")
        #expect(twice[0].notes == ["The clocks show this time twice: this is the first time."])
        #expect(twice[1].notes == ["The clocks show this time twice: this is the second time."])
    }

    @Test func `has the jitter that the runs will have, and the excluded days`() throws {
        let members = #""cron": "0 3 * * *", "jitter": "1h", "except": ["2026-12-25"]"#
        let first = try preview(members, after: "2026-12-24T00:00:00Z")
        let second = try preview(members, after: "2026-12-24T00:00:00Z")
        #expect(first.map(\.slot) == second.map(\.slot))
        #expect(first[1].notes == ["No job is made: the day is an exception (except)."])
        #expect(first.allSatisfy { $0.slot.dueAt.since($0.slot.at) < .seconds(3_600) })
        #expect(first.contains { $0.slot.dueAt > $0.slot.at })
    }

    @Test func `of words holds where all of them do`() throws {
        let found = try preview(
            #""calendar": {"months": ["dec", 2], "weekdays": ["first tue", "last fri"], "at": ["08:00", "17:30"]}"#,
            after: "2026-11-01T00:00:00Z")
        #expect(
            found.prefix(5).map(\.local) == [
                "2026-12-01T08:00:00+00:00", "2026-12-01T17:30:00+00:00", "2026-12-25T08:00:00+00:00",
                "2026-12-25T17:30:00+00:00", "2027-02-02T08:00:00+00:00",
            ])
        let both = try preview(
            #""calendar": {"days": [13], "weekdays": ["fri"], "at": ["00:00"]}"#,
            after: "2026-11-01T00:00:00Z")
        #expect(both.prefix(2).map { String($0.local.prefix(10)) } == ["2026-11-13", "2027-08-13"])
    }
}

@Suite struct `A schedule with long lists` {
    private func problems(_ members: String) throws -> [SpecProblem] {
        switch try readSchedule("{\(members), \(job)}") {
        case .success: []
        case .failure(let problems): problems.list
        }
    }

    private func list(_ entry: String, _ count: Int) -> String {
        "[" + Array(repeating: entry, count: count).joined(separator: ", ") + "]"
    }

    @Test(arguments: [
        ("months", "1", 12), ("days", "31", 33), ("weekdays", "\"mon\"", 49), ("at", "\"08:00\"", 1_440),
    ])
    func `is refused with the limit of the list`(member: String, entry: String, most: Int) throws {
        func members(_ count: Int) -> String {
            #""calendar": {"\#(member)": \#(list(entry, count))\#(member == "at" ? "" : #", "at": ["08:00"]"#)}"#
        }
        #expect(try problems(members(most)) == [])
        for count in [most + 1, 90_000] {
            let found = try problems(members(count))
            #expect(found.map(\.pointer.description) == ["/calendar/\(member)"])
            #expect(found.map(\.code) == ["spec.too_large"])
            #expect(found.first?.detail.contains("There are \(count) entries; allowed are \(most)") == true)
        }
    }

    @Test func `is refused with the limit of its excluded days`() throws {
        let members = { (count: Int) in #""every": "1h", "except": \#(list(#""2026-12-25""#, count))"# }
        #expect(try problems(members(10_000)) == [])
        #expect(try problems(members(10_001)).map(\.code) == ["spec.too_large"])
    }

    @Test func `takes an entry once, also of a schedule that was stored with more`() throws {
        let text =
            #"{"calendar": {"weekdays": \#(list(#""mon""#, 90_000)), "at": ["08:00", "08:00"]}, \#(job)}"#
        let spec = try #require(ScheduleReader.readStored(Array(text.utf8), name: "nightly"))
        #expect(spec.plan.times.calendar?.days.weekdays == [.every(1)])
        #expect(spec.plan.times.calendar?.minutes == [480])
    }
}

@Suite struct `The next time of a calendar` {
    private func plan(_ members: String) throws -> SchedulePlan {
        try readSchedule("{\(members), \(job)}").get().plan
    }

    @Test func `is found behind many that the clocks skip`() throws {
        // The last Sunday of March, when the clocks of Berlin skip from 02:00 to 03:00.
        let times = (0..<60).map { #""02:\#($0 < 10 ? "0" : "")\#($0)""# }.joined(separator: ", ")
        let members = { (more: String) in
            #""calendar": {"months": ["mar"], "weekdays": ["last sun"], "at": [\#(times)\#(more)]}, "#
                + #""tz": "Europe/Berlin""#
                + #", "gap": "skip""#
        }
        let next = try plan(members(#", "03:00""#)).next(after: Timestamp.parse("2026-11-01T00:00:00Z"))
        #expect(next?.at.description == "2027-03-28T01:00:00.000Z")
        switch try readSchedule("{\(members("")), \(job)}") {
        case .success: Issue.record("It never happens.")
        case .failure(let problems): #expect(problems.list.map(\.pointer.description) == ["/calendar"])
        }
    }

    @Test func `is the same for rare days with steps as without them`() throws {
        let moment = try Timestamp.parse("2026-11-01T00:00:00Z")
        let fixed = try plan(#""cron": "0 0 29 2 +MON", "tz": "Europe/Berlin""#).next(after: moment)
        let repeating = try plan(#""cron": "*/10 0-23/2 29 2 +MON", "tz": "Europe/Berlin""#).next(
            after: moment)
        #expect(fixed?.at == repeating?.at)
        #expect(fixed?.at.description == "2044-02-28T23:00:00.000Z")
    }
}
