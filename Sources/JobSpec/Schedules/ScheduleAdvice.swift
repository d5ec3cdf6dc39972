package import JobKit

/// Warnings about schedules: what is allowed, and read otherwise than people mean it.
package enum ScheduleAdvice {
    /// The warnings about a schedule that the reader accepted.
    package static func warnings(about spec: ScheduleSpec, at now: Timestamp) -> [SpecWarning] {
        var warnings: [(code: String, detail: String)] = []
        switch spec.plan.times {
        case .cron(let expression, _): warnings += CronAdvice(expression).warnings
        case .every(let step, _): warnings += aboutSteps(step, spec)
        case .on: break
        }
        if let times = spec.plan.times.calendar {
            warnings += aboutDays(times.days) + aboutClocks(times, spec, now)
        }
        return warnings.map { SpecWarning(path: [], code: $0.code, detail: $0.detail) }
    }

    private static func aboutSteps(_ step: Duration, _ spec: ScheduleSpec) -> [(code: String, detail: String)]
    {
        var warnings: [(code: String, detail: String)] = []
        if step.wholeMilliseconds % 86_400_000 == 0 {
            let start = spec.plan.startsAt ?? Timestamp(milliseconds: 0)
            let time = start.description.dropFirst(11).prefix(5)
            warnings.append(
                (
                    "warning.every_day",
                    "\"every\" counts elapsed time, always at \(time) UTC: where clocks change, it is another hour of "
                        + "the day from then on. For a time of day write \"on\": {\"at\": [\"08:00\"]} with \"tz\"."
                ))
        } else if spec.zone != "UTC" && spec.plan.exceptions.isEmpty {
            warnings.append(
                ("warning.zone_unused", "\"every\" counts elapsed time, so that \"tz\" changes nothing."))
        }
        return warnings
    }

    /// Days that some months do not have.
    private static func aboutDays(_ rule: DayRule) -> [(code: String, detail: String)] {
        guard rule.weekdays == nil, let days = rule.days, !days.isEmpty else { return [] }
        let numbers = days.map { day in if case .day(let number) = day { number } else { Int64(0) } }
        guard let least = numbers.min(), least > 28 else { return [] }
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let lengths: [Int64] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let chosen = (0..<12).filter { rule.months & (1 << ($0 + 1)) != 0 }
        let short = chosen.filter { lengths[$0] < least }.map { names[$0] }
        if short.isEmpty && !(least == 29 && chosen.contains(1)) { return [] }
        let months = short.isEmpty ? "Feb of most years" : short.joined(separator: ", ")
        return [
            (
                "warning.short_months",
                "It does not run in \(months), which has no day \(least). For the last day of each month write L "
                    + "in cron, or \"last\" in \"on\"."
            )
        ]
    }

    /// The first clock change that skips one of the times, and the first that repeats one.
    private static func aboutClocks(
        _ times: CalendarTimes, _ spec: ScheduleSpec, _ now: Timestamp
    ) -> [(code: String, detail: String)] {
        if case .cron(let expression, _) = spec.plan.times, expression.text(of: .hour).hasPrefix("*") {
            return []
        }
        let from = max(now, spec.plan.startsAt ?? now).milliseconds.floored(by: 1_000)
        let changes = ClockChange.all(of: times, spec.plan.zone, after: from, days: 400)
        var warnings: [(code: String, detail: String)] = []
        if let change = changes.first(where: { !$0.skipped.isEmpty }) {
            let instead = ClockText.time(change.at + spec.plan.zone.offset(at: change.at))
            let effect =
                if times.isRepeating {
                    "it does not run at these times, since times with a wildcard or step follow the clock."
                } else if times.gap == .after {
                    "it runs when they change, at \(instead). \"gap\": \"skip\" leaves it out."
                } else {
                    "it does not run at these times (\"gap\": \"skip\")."
                }
            warnings.append(
                (
                    "warning.clocks_skip",
                    "On \(ClockText.date(change.skipped[0])) the clocks of \(spec.zone) skip "
                        + "\(ClockText.times(change.skipped)): \(effect)"
                ))
        }
        if times.isRepeating, let change = changes.first(where: { !$0.repeated.isEmpty }) {
            warnings.append(
                (
                    "warning.clocks_repeat",
                    "On \(ClockText.date(change.repeated[0])) the clocks of \(spec.zone) show "
                        + "\(ClockText.times(change.repeated)) twice: it runs both times, since times with a wildcard "
                        + "or step follow the clock."
                ))
        }
        return warnings
    }
}
