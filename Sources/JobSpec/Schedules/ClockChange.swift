internal import JobKit

/// One change of the clocks, and the times of a calendar that it skips or repeats.
struct ClockChange {
    /// Seconds since 1970.
    let at: Int64
    /// The local times that do not exist, in order.
    var skipped: [Int64] = []
    /// The local times that the clocks show twice, in order.
    var repeated: [Int64] = []

    /// The changes after `moment` and within `days` that touch a time of the calendar.
    static func all(of times: CalendarTimes, _ zone: ZoneRules, after moment: Int64, days: Int64)
        -> [ClockChange]
    {
        var found: [ClockChange] = []
        var from = moment
        while let change = zone.change(after: from), change < moment + days * 86_400 {
            let one = ClockChange(at: change, of: times, zone)
            if !one.skipped.isEmpty || !one.repeated.isEmpty { found.append(one) }
            from = change
        }
        return found
    }

    init(at change: Int64, of times: CalendarTimes, _ zone: ZoneRules) {
        at = change
        let (before, after) = (zone.offset(at: change - 1), zone.offset(at: change))
        if after > before { skipped = times.locals(in: (change + before)..<(change + after)) }
        if after < before { repeated = times.locals(in: (change + after)..<(change + before)) }
    }
}
