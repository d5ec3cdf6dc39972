/// Hours of the day, on some days of the week, in a time zone.
///
/// A window that ends at or before its beginning lasts until the next day. Where a clock change skips its beginning or
/// end, the time of the change counts; where the time occurs twice, the first one.
public struct TimeWindow: Sendable, Hashable {
    /// A time zone of the IANA database, such as `Europe/Berlin`.
    public var zone: String
    /// The days on which it opens.
    public var days: Set<Weekday>
    /// The opening, in minutes after midnight: 0…1,439.
    public var from: Int
    /// The closing, in minutes after midnight: 1…1,440.
    public var to: Int
    /// Days on which it does not open, as days since 1970-01-01.
    public var exceptions: Set<Int64>

    /// Days of the week.
    public enum Weekday: String, Sendable, Hashable, CaseIterable {
        /// Sunday.
        case sun
        /// Monday.
        case mon
        /// Tuesday.
        case tue
        /// Wednesday.
        case wed
        /// Thursday.
        case thu
        /// Friday.
        case fri
        /// Saturday.
        case sat
    }

    /// A window; by default all of every day.
    public init(
        zone: String = "UTC", days: Set<Weekday> = Set(Weekday.allCases), from: Int = 0, to: Int = 1_440,
        exceptions: Set<Int64> = []
    ) {
        self.zone = zone
        self.days = days
        self.from = from
        self.to = to
        self.exceptions = exceptions
    }

    /// The state of a window at a given time.
    public enum State: Sendable, Hashable {
        /// It is open.
        case open
        /// It opens at that time.
        case opens(Timestamp)
        /// It does not open within the next 400 days.
        case closedForLong
        /// This machine does not have the time zone.
        case unknownZone
    }

    /// Whether it is open, and when it opens if not.
    public func state(at now: Timestamp) -> State {
        guard let rules = SystemZones.rules(named: zone) else { return .unknownZone }
        return state(at: now, rules)
    }

    func state(at now: Timestamp, _ rules: ZoneRules) -> State {
        let seconds = now.milliseconds.floored(by: 1_000)
        let today = (seconds + rules.offset(at: seconds)).floored(by: 86_400)
        for day in (today - 2)...(today + 400) where opens(on: day) {
            let begin = rules.moment(ofLocal: day * 86_400 + Int64(from) * 60)
            let end = rules.moment(ofLocal: (to > from ? day : day + 1) * 86_400 + Int64(to) * 60)
            if seconds < begin, begin < end { return .opens(Timestamp(milliseconds: begin * 1_000)) }
            if seconds >= begin && seconds < end { return .open }
        }
        return .closedForLong
    }

    private func opens(on day: Int64) -> Bool {
        let weekday = Weekday.allCases[Int(YearlyRule.Change.weekday(of: day))]
        return days.contains(weekday) && !exceptions.contains(day)
    }
}
