package import JobKit

/// The times of a schedule, before its bounds and exceptions.
package enum ScheduleTimes: Sendable, Hashable {
    case cron(CronExpression, gap: CalendarTimes.Gap)
    case on(CalendarTimes)
    /// Equal steps of elapsed time, counted from a moment.
    case every(Duration, from: Timestamp)

    /// The times on the calendar; nil for those that count elapsed time.
    package var calendar: CalendarTimes? {
        switch self {
        case .cron(let expression, let gap):
            var times = expression.times
            times.gap = gap
            return times
        case .on(let times): return times
        case .every: return nil
        }
    }

    /// The first time after `moment`; nil when there is none.
    package func next(after moment: Timestamp, in zone: ZoneRules) -> Timestamp? {
        guard case .every(let step, let start) = self else {
            let seconds = moment.milliseconds.floored(by: 1_000)
            return calendar?.next(after: seconds, in: zone).map { Timestamp(milliseconds: $0 * 1_000) }
        }
        let length = step.wholeMilliseconds
        let count = max(0, (moment.milliseconds - start.milliseconds).floored(by: length) + 1)
        return Timestamp(milliseconds: start.milliseconds + count * length)
    }
}
