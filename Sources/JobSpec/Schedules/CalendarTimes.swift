package import JobKit

/// Times of day on the days of a calendar, as the clocks of a time zone show them.
package struct CalendarTimes: Sendable, Hashable {
    package var days: DayRule
    /// Minutes after midnight, in order: 0…1,439, at least one.
    package var minutes: [Int]
    /// Whether the times repeat within a day (`*/10`), so that elapsed time counts: what the clocks skip does not
    /// happen, and what they show twice happens twice. Otherwise each time happens once a day.
    package var isRepeating: Bool
    /// The rule for a time that the clocks skip; without effect on times that repeat.
    package var gap = Gap.after

    package init(days: DayRule, minutes: [Int], isRepeating: Bool = false) {
        self.days = days
        self.minutes = minutes
        self.isRepeating = isRepeating
    }

    /// The rule for a time that the clocks skip.
    package enum Gap: String, Sendable, Hashable, CaseIterable {
        /// It happens at the moment of the clock change.
        case after
        /// It does not happen.
        case skip
    }

    /// The first time after `moment`, both in seconds since 1970; nil when there is none.
    package func next(after moment: Int64, in zone: ZoneRules) -> Int64? {
        isRepeating ? nextRepeating(after: moment, zone) : nextFixed(after: moment, zone)
    }

    private func nextFixed(after moment: Int64, _ zone: ZoneRules) -> Int64? {
        var local = moment + zone.offset(at: moment)
        let latest = local + Self.period
        while let candidate = nextLocal(after: local), candidate <= latest {
            local = candidate
            let found = zone.moment(ofLocal: candidate)
            let isSkipped = gap == .skip && found + zone.offset(at: found) != candidate
            // A time that the clocks show twice has passed when they show it again.
            if found > moment && !isSkipped { return found }
            // The clocks skip everything up to what they show then: once a year at most, instead of each minute.
            if isSkipped { local = max(local, found + zone.offset(at: found) - 1) }
        }
        return nil
    }

    private func nextRepeating(after moment: Int64, _ zone: ZoneRules) -> Int64? {
        var from = moment
        // Looked for again only where clocks leave the stretch that was looked through.
        var found: (after: Int64, local: Int64)?
        while from <= moment + Self.period {
            let offset = zone.offset(at: from)
            // The moment of a clock change may be one of the times itself.
            let after = from + offset - (from == moment ? 0 : 1)
            if found.map({ after < $0.after || after >= $0.local }) ?? true {
                guard let local = nextLocal(after: after) else { return nil }
                found = (after, local)
            }
            guard let local = found?.local else { return nil }
            guard let change = zone.change(after: from), change <= local - offset else {
                return local - offset
            }
            from = change
        }
        return nil
    }

    /// The local times of a stretch, in seconds since 1970 without a zone.
    func locals(in range: Range<Int64>) -> [Int64] {
        var found: [Int64] = []
        var local = range.lowerBound - 1
        while let next = nextLocal(after: local), next < range.upperBound {
            found.append(next)
            local = next
        }
        return found
    }

    /// The first local time after `local`, both in seconds.
    private func nextLocal(after local: Int64) -> Int64? {
        let day = local.floored(by: 86_400)
        if days.contains(day) {
            let next = position(after: Int((local - day * 86_400) / 60))
            if next < minutes.count { return day * 86_400 + Int64(minutes[next]) * 60 }
        }
        guard let first = minutes.first, let next = days.first(from: day + 1) else { return nil }
        return next * 86_400 + Int64(first) * 60
    }

    /// The position in `minutes` of the first one after `minute`.
    private func position(after minute: Int) -> Int {
        var low = 0
        var high = minutes.count
        while low < high {
            let middle = (low + high) / 2
            if minutes[middle] > minute { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// After 400 years the calendar repeats.
    private static let period: Int64 = 146_097 * 86_400
}
