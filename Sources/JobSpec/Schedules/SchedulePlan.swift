package import JobKit

/// The planned times of a schedule: a function of its spec and its name, so that every server and every preview has the
/// same ones.
package struct SchedulePlan: Sendable, Hashable {
    package var times: ScheduleTimes
    /// The clocks that count.
    package var zone: ZoneRules
    /// Planned times are not before this.
    package var startsAt: Timestamp?
    /// Planned times are not after this.
    package var endsAt: Timestamp?
    /// Days on which nothing runs, as days since 1970 on the clocks of `zone`.
    package var exceptions: Set<Int64> = []
    /// The longest time by which a job may run later than planned.
    package var jitter = Duration.zero
    /// The name of the schedule, from which the jitter of each time is drawn.
    package var name: String

    package init(times: ScheduleTimes, zone: ZoneRules, name: String) {
        self.times = times
        self.zone = zone
        self.name = name
    }

    /// A planned time.
    package struct Slot: Sendable, Hashable {
        /// The time by the rule, which identifies it.
        package var at: Timestamp
        /// The time at which its job is made: with jitter a little later.
        package var dueAt: Timestamp
        /// Whether it lies on a day of `exceptions`.
        package var isExcluded: Bool

        package init(at: Timestamp, dueAt: Timestamp, isExcluded: Bool) {
            (self.at, self.dueAt, self.isExcluded) = (at, dueAt, isExcluded)
        }
    }

    /// The first planned time after `moment`; nil when there is none.
    package func next(after moment: Timestamp) -> Slot? {
        guard let at = time(after: moment) else { return nil }
        return Slot(at: at, dueAt: at.advanced(by: delay(of: at)), isExcluded: isExcluded(at))
    }

    /// The same without what else is known about it.
    package func time(after moment: Timestamp) -> Timestamp? {
        var from = moment
        if let startsAt, startsAt > from { from = startsAt.advanced(by: .milliseconds(-1)) }
        guard let at = times.next(after: from, in: zone), at <= endsAt ?? .latestWritable else { return nil }
        return at
    }

    /// Whether `at` is a planned time.
    package func contains(_ at: Timestamp) -> Bool {
        time(after: at.advanced(by: .milliseconds(-1))) == at
    }

    private func isExcluded(_ at: Timestamp) -> Bool {
        if exceptions.isEmpty { return false }
        let seconds = at.milliseconds.floored(by: 1_000)
        return exceptions.contains((seconds + zone.offset(at: seconds)).floored(by: 86_400))
    }

    /// The same for a name and a time always, and shorter than the distance to the next time, so that the order holds.
    private func delay(of at: Timestamp) -> Duration {
        guard jitter > .zero else { return .zero }
        var longest = jitter.wholeMilliseconds
        if let next = times.next(after: at, in: zone) {
            longest = min(longest, next.milliseconds - at.milliseconds)
        }
        return .milliseconds(Int64(Self.hash(name, at) % UInt64(max(longest, 1))))
    }

    /// FNV-1a over the name and the time, and the finish of MurmurHash3, which spreads neighbouring times.
    private static func hash(_ name: String, _ at: Timestamp) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Array(name.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for shift in stride(from: 0, to: 64, by: 8) {
            hash =
                (hash ^ UInt64(truncatingIfNeeded: at.milliseconds >> Int64(shift)) & 0xFF) &* 0x100_0000_01b3
        }
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return hash ^ hash >> 33
    }
}
