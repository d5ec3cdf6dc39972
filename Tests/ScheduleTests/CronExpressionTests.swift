import JobKit
import Testing

@testable import JobSpec

@Suite struct `A cron expression` {
    private func failure(_ text: String) -> CronExpression.Failure? {
        do throws(CronExpression.Failure) {
            _ = try CronExpression(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("*/10 *", "*/10 * * * *"), ("0 0 3 * * *", "0 3 * * *"), ("5/15 * * * *", "5-59/15 * * * *"),
        ("0 22-2 * * *", "0 22-23,0-2 * * *"), ("0 0 * * MONDAY", "0 0 * * MON"), ("@Daily", "@daily"),
        ("0 0 * JANUARY *", "0 0 * JAN *"), ("0 8,10/4 * * *", "0 8,10-23/4 * * *"),
    ])
    func `that is probably meant otherwise comes with its correction`(text: String, meant: String) throws {
        let failure = try #require(self.failure(text))
        #expect(failure.suggestion == meant)
        #expect(self.failure(meant) == nil)
    }

    @Test(arguments: [
        "", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
        "1,,2 * * * *", "a * * * *", "* * * * MON#6", "* * * * MON#", "* * 0W * *", "* * 1-5W * *",
        "* * L-31 * *",
        "* * L-0 * *", "L * * * *", "* * * * L", "+1 * * * *", "* * * * MON,+TUE", "-1 * * * *", "1- * * * *",
        "*/x * * * *", "? * * * *", "@reboot", "@every 5m", "1 2 3 4 5 6 7", "99999999999999999999 * * * *",
    ])
    func `that means nothing is refused with the place`(text: String) throws {
        #expect(try #require(failure(text)).detail.count > 20)
    }

    @Test(arguments: [
        "0 0 31 2 *", "0 0 30,31 FEB *", "0 0 31W 4,6 *", "0 0 31 4,6,9,11 *", "*/5 * 30 2 +MON",
    ])
    func `that never happens is known as such at once`(text: String) throws {
        #expect(try CronExpression(text).times.next(after: 1_700_000_000, in: .utc) == nil)
    }

    @Test func `that happens once in decades is found`() throws {
        let next = try CronExpression("0 0 29 2 +SUN#5").times.next(
            after: seconds("2032-03-01T00:00:00Z"), in: .utc)
        #expect(next == (try seconds("2060-02-29T00:00:00Z")))
    }

    @Test func `whose only day the clocks always skip never happens with gap skip`() throws {
        let berlin = try #require(SystemZones.rules(named: "Europe/Berlin"))
        var times = try CronExpression("30 2 * 3 +SUN#L").times
        times.gap = .skip
        #expect(times.next(after: 1_767_225_600, in: berlin) == nil)
        times.gap = .after
        #expect(times.next(after: 1_767_225_600, in: berlin) == (try seconds("2026-03-29T01:00:00Z")))
    }
}

@Suite struct `A plan` {
    private func plan(_ times: ScheduleTimes, _ zone: String = "UTC") throws -> SchedulePlan {
        SchedulePlan(times: times, zone: try #require(SystemZones.rules(named: zone)), name: "nightly")
    }

    @Test func `of equal steps counts elapsed time from its start`() throws {
        let start = try Timestamp.parse("2026-03-28T12:00:00Z")
        var plan = try plan(.every(.seconds(86_400), from: start), "Europe/Berlin")
        plan.startsAt = start
        let first = try #require(plan.next(after: Timestamp(milliseconds: 0)))
        #expect(first.at == start)
        #expect(plan.next(after: first.at)?.at == start.advanced(by: .seconds(86_400)))
    }

    @Test func `has its bounds, and tells of the days on which it does not run`() throws {
        var plan = try plan(.cron(CronExpression("0 0 * * *"), gap: .after), "America/New_York")
        plan.startsAt = try Timestamp.parse("2026-12-24T05:00:00Z")
        plan.endsAt = try Timestamp.parse("2026-12-26T05:00:00Z")
        plan.exceptions = [try seconds("2026-12-25T00:00:00Z") / 86_400]
        var found: [SchedulePlan.Slot] = []
        var moment = Timestamp(milliseconds: 0)
        while let next = plan.next(after: moment) {
            found.append(next)
            moment = next.at
        }
        #expect(found.map(\.isExcluded) == [false, true, false])
        #expect(found.first?.at == plan.startsAt)
        #expect(found.last?.at == plan.endsAt)
    }

    @Test func `with jitter is the same each time and keeps its order`() throws {
        var plan = try plan(.cron(CronExpression("*/5 * * * *"), gap: .after))
        plan.jitter = .seconds(600)
        var moment = Timestamp(milliseconds: 1_767_225_600_000)
        var last = moment
        var delays: Set<Int64> = []
        for _ in 0..<200 {
            let next = try #require(plan.next(after: moment))
            #expect(next == plan.next(after: moment))
            #expect(next.dueAt >= max(next.at, last))
            #expect(next.dueAt.since(next.at) < .seconds(300))
            delays.insert(next.dueAt.milliseconds - next.at.milliseconds)
            (moment, last) = (next.at, next.dueAt)
        }
        #expect(delays.count > 150)
        plan.name = "hourly"
        #expect(plan.next(after: moment)?.dueAt != nil)
    }
}
