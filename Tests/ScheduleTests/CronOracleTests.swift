import JobKit
import StrictJSON
import Testing

@testable import JobSpec

/// Seconds since 1970 of an RFC 3339 time.
func seconds(_ text: String) throws -> Int64 { try Timestamp.parse(text).milliseconds / 1_000 }

/// Planned times are compared with two references that share nothing with this program: a brute force in Python, which
/// asks zoneinfo what the clocks show in each minute, and cronsim.
///
/// cronsim was chosen because it does what Debian's cron does at clock changes, and says so; croniter answers the
/// wildcards of a repeated hour once. Where cronsim differs from this program it is not asked, and the brute force is:
/// `W`, `L-3`, `FRI#L` and `+` do not exist there; a step in a range (`0-59/15`) counts as a fixed time there, since
/// only a `*` at the beginning makes a wildcard, and as repeating here, as any step; and it takes `5/15`, which is
/// refused here since others read it differently. In a zone whose clocks shift by half an hour it passes over the
/// rest of the hour after the change, which the clocks do show: there it is asked for fixed times only.
@Suite struct `The planned times of a cron expression` {
    private static let zones = [
        "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Moscow", "Europe/Kyiv",
        "Europe/Chisinau", "Atlantic/Azores", "Africa/Casablanca", "Africa/Cairo", "Africa/El_Aaiun",
        "Africa/Johannesburg", "Asia/Jerusalem", "Asia/Beirut", "Asia/Gaza", "Asia/Tehran", "Asia/Kolkata",
        "Asia/Kathmandu", "Asia/Almaty", "Asia/Tokyo", "Australia/Lord_Howe", "Australia/Sydney",
        "Australia/Adelaide", "Australia/Brisbane", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Norfolk",
        "Pacific/Apia", "America/New_York", "America/Chicago", "America/Los_Angeles", "America/Phoenix",
        "America/St_Johns", "America/Havana", "America/Santiago", "America/Asuncion", "America/Nuuk",
        "America/Sao_Paulo", "Antarctica/Troll", "UTC",
    ]

    /// Times around those of clock changes: fixed, and repeating.
    private static let sharedExpressions = [
        "30 2 * * *", "0,15,59 0-3 * * *", "*/20 * * * *", "0 * * * *", "*/30 1-3 * * *", "15 */2 * * *",
        "0 0,12 * * SUN", "45 23 L * *",
    ]
    private static let ownExpressions = [
        "0-59/25 2 * * *", "10 0-23/3 * * *", "15 1-3 * * +SUN#L", "5 2 15W,L-2 * *",
    ]

    private struct Change {
        var zone: String
        var at: Int64
    }

    private static let day: Int64 = 86_400

    private static func clockChanges() throws -> [Change] {
        let question: JSONValue = [
            "changes": .array(zones.map { .string($0) }),
            "from": .number(JSONNumber(try seconds("2026-01-01T00:00:00Z"))),
            "to": .number(JSONNumber(try seconds("2028-01-01T00:00:00Z"))),
        ]
        return try ReferenceTimes.answers(to: [question])[0].array?.map { change in
            let parts = try #require(change.array)
            return Change(
                zone: try #require(parts[0].string), at: try #require(parts[1].number?.int64))
        } ?? []
    }

    private static func question(
        _ text: String, _ zone: String, from: Int64, to: Int64, gap: String = "after", by: String = "walk"
    ) -> JSONValue {
        [
            "expr": .string(text), "tz": .string(zone), "from": .number(JSONNumber(from)),
            "to": .number(JSONNumber(to)), "gap": .string(gap), "by": .string(by),
        ]
    }

    /// The planned times of this program.
    private func times(
        _ text: String, _ zone: String, from: Int64, to: Int64, gap: CalendarTimes.Gap = .after
    ) throws -> [Int64] {
        var times = try CronExpression(text).times
        times.gap = gap
        let rules = try #require(SystemZones.rules(named: zone))
        var found: [Int64] = []
        var moment = from
        while let next = times.next(after: moment, in: rules), next <= to {
            found.append(next)
            moment = next
        }
        return found
    }

    @Test func `are those of the brute force around every clock change of 2026 and 2027`() throws {
        var questions: [JSONValue] = []
        var answers: [[Int64]] = []
        let changes = try Self.clockChanges()
        #expect(changes.count > 80)
        for change in changes {
            let (from, to) = (change.at - Self.day / 2, change.at + Self.day / 2)
            for text in Self.sharedExpressions + Self.ownExpressions {
                questions.append(Self.question(text, change.zone, from: from, to: to))
                answers.append(try times(text, change.zone, from: from, to: to))
            }
            for text in ["30 2 * * *", "0,15,59 0-3 * * *"] {
                questions.append(Self.question(text, change.zone, from: from, to: to, gap: "skip"))
                answers.append(try times(text, change.zone, from: from, to: to, gap: .skip))
            }
        }
        try compare(questions, answers)
    }

    @Test func `are those of cronsim around every clock change of 2026 and 2027`() throws {
        var questions: [JSONValue] = []
        var answers: [[Int64]] = []
        for change in try Self.clockChanges() {
            let (from, to) = (change.at - Self.day / 2, change.at + Self.day / 2)
            let isHalf = change.zone == "Australia/Lord_Howe"
            for text in Self.sharedExpressions
            where !isHalf || !text.contains("*/") && !text.hasPrefix("0 * ") {
                let mine = try times(text, change.zone, from: from, to: to)
                questions.append([
                    "expr": .string(text), "tz": .string(change.zone), "from": .number(JSONNumber(from)),
                    "count": .number(JSONNumber(Int64(mine.count))), "by": "cronsim",
                ])
                answers.append(mine)
            }
        }
        try compare(questions, answers)
    }

    @Test func `follow every rule of the grammar`() throws {
        let expressions = [
            "* * * * *", "*/7 * * * *", "5 4 * * *", "0 0 1 1 *", "0 12 29 2 *", "0 0 31 * *",
            "0 0 * JAN,jul MON-FRI",
            "0 0 * * 0", "0 0 * * 7", "0 0 * * FRI-SUN", "0 0 * * 5-7", "0 0 1-7 * MON", "0 0 1-7 * +MON",
            "0 0 */2 * MON",
            "0 0 13 * FRI", "0 0 13 * +FRI", "0 0 * */3 */2", "0 0 L * *", "0 0 LW * *", "0 0 L-1 * *",
            "0 0 L-30 * *",
            "0 0 1W * *", "0 0 15W * *", "0 0 31W * *", "0 0 30W 2,4 *", "0 0 1W,15W,LW * *", "0 0 * * MON#1",
            "0 0 * * 5#5", "0 0 * * SUN#L", "0 0 * * 3L", "0 0 * * MON#1,FRI#L", "0 0 ? * TUE", "0 0 1 * ?",
            "0-30/10,45 8-18/2,22 1-15/7,L 1-12/5 *", "1,2,3 0 1,2 6 +SAT,SUN", "0 0 29 FEB +MON", "@yearly",
            "@annually",
            "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
        ]
        var questions: [JSONValue] = []
        var answers: [[Int64]] = []
        for (index, text) in expressions.enumerated() {
            let from = try seconds("2024-02-27T10:11:12Z") + Int64(index) * 5 * Self.day
            let isFrequent = text.hasPrefix("*") || text == "@hourly"
            let to = from + (isFrequent ? 3 : text.contains("29 FEB +") ? 12_000 : 1_500) * Self.day
            questions.append(Self.question(text, "UTC", from: from, to: to, by: "days"))
            answers.append(try times(text, "UTC", from: from, to: to))
        }
        try compare(questions, answers)
        #expect(answers.filter(\.isEmpty).isEmpty)
    }

    private func compare(_ questions: [JSONValue], _ answers: [[Int64]]) throws {
        let expected = try ReferenceTimes.times(of: questions)
        #expect(expected.count == answers.count)
        var differences: [String] = []
        for ((question, mine), theirs) in zip(zip(questions, answers), expected) where mine != theirs {
            let extra = mine.filter { !theirs.contains($0) }.map {
                Timestamp(milliseconds: $0 * 1_000).description
            }
            let lacking = theirs.filter { !mine.contains($0) }.map {
                Timestamp(milliseconds: $0 * 1_000).description
            }
            differences.append("\(question): only here \(extra.prefix(5)), only there \(lacking.prefix(5))")
        }
        #expect(
            differences.isEmpty,
            "\(differences.count) differ: \(differences.prefix(8).joined(separator: "\n"))")
    }
}
