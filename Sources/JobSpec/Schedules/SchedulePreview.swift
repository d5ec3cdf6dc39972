package import JobKit

/// The next planned times of a schedule, with notes on what the clocks do.
package struct SchedulePreview: Sendable {
    package struct Entry: Sendable {
        package let slot: SchedulePlan.Slot
        /// The time as the clocks of the zone show it.
        package let local: String
        package let notes: [String]
    }

    package let entries: [Entry]
    /// Whether the schedule is paused, so that they come when it is resumed.
    package let isPaused: Bool

    /// The first `count` planned times after `moment`.
    /// - Parameter runsLeft: the number of jobs after which the schedule is over; nil has no end.
    package init(
        of plan: SchedulePlan, after moment: Timestamp, count: Int, runsLeft: Int? = nil,
        isPaused: Bool = false
    ) {
        var entries: [Entry] = []
        var from = moment
        var runsLeft = runsLeft ?? .max
        while entries.count < count, runsLeft > 0, let slot = plan.next(after: from) {
            entries.append(
                Entry(
                    slot: slot, local: ClockText.text(of: slot.at, in: plan.zone),
                    notes: Self.notes(slot, plan)))
            from = slot.at
            if !slot.isExcluded { runsLeft -= 1 }
        }
        self.entries = entries
        self.isPaused = isPaused
    }

    private static func notes(_ slot: SchedulePlan.Slot, _ plan: SchedulePlan) -> [String] {
        var notes: [String] = []
        if slot.isExcluded { notes.append("No job is made: the day is an exception (except).") }
        guard let times = plan.times.calendar else { return notes }
        let at = slot.at.milliseconds / 1_000
        let local = at + plan.zone.offset(at: at)
        guard let change = plan.zone.change(after: at - 86_400), change <= at + 86_400 else { return notes }
        let clocks = ClockChange(at: change, of: times, plan.zone)
        if change == at, !times.isRepeating, times.gap == .after, !clocks.skipped.isEmpty {
            notes.append(
                "The clocks skip \(ClockText.times(clocks.skipped)) that day: it runs when they change, at "
                    + "\(ClockText.time(local)).")
        }
        if clocks.repeated.contains(local) {
            if !times.isRepeating {
                notes.append("The clocks show this time twice: it runs the first time.")
            } else {
                notes.append(
                    "The clocks show this time twice: this is the \(at < change ? "first" : "second") time.")
            }
        }
        return notes
    }
}
