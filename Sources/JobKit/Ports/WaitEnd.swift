/// When a wait is over: on a date, however the wall clock is set; or when so much time has passed, whatever the wall
/// clock shows.
package struct WaitEnd: Sendable {
    /// The date. For a time that passes it is the one that the wall clock will show unless it is set.
    let date: Timestamp
    /// The clock's `uptime` at that time; nil when the date counts.
    private let uptime: Duration?

    /// A date.
    init(_ date: Timestamp) {
        self.date = date
        uptime = nil
    }

    fileprivate init(_ date: Timestamp, uptime: Duration) {
        self.date = date
        self.uptime = uptime
    }

    /// Whether it is over.
    func hasCome(by clock: any AOperationClock) -> Bool {
        uptime.map { $0 <= clock.uptime } ?? (date <= clock.now)
    }

    /// Returns when it is over.
    func sleep(by clock: any AOperationClock) async throws {
        if let uptime { return try await clock.sleep(untilUptime: uptime) }
        try await clock.sleep(until: date)
    }
}

extension AOperationClock {
    /// The end of a time that begins now.
    func end(after duration: Duration) -> WaitEnd {
        WaitEnd(now.advanced(by: duration), uptime: uptime + duration)
    }

    /// The end of a time that began at `begin`.
    /// - Parameter uptime: what `uptime` showed then; nil when that is not known, and what is left is told by the
    ///   wall clock, as it is set now.
    package func end(of duration: Duration, since begin: Timestamp, uptime began: Duration? = nil) -> WaitEnd
    {
        let date = begin.advanced(by: duration)
        return WaitEnd(date, uptime: began.map { $0 + duration } ?? uptime + remaining(until: date))
    }
}
