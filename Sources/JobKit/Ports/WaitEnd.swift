/// The end of a wait: a date of the wall clock; or an elapsed time, independent of changes to the wall clock.
package struct WaitEnd: Sendable {
    /// The date. For an elapsed time it is the expected date, unless the wall clock is set.
    let date: Timestamp
    /// The clock's `uptime` at that time; nil when the date counts.
    let uptime: Duration?

    init(_ date: Timestamp) {
        self.date = date
        uptime = nil
    }

    fileprivate init(_ date: Timestamp, uptime: Duration) {
        self.date = date
        self.uptime = uptime
    }

    /// Whether it never comes: a time beyond what dates can say.
    var isNever: Bool { date == .never }

    /// Whether it is over.
    func hasCome(by clock: any OperationClock) -> Bool {
        uptime.map { $0 <= clock.uptime } ?? (date <= clock.now)
    }

    /// Returns when it is over.
    func sleep(by clock: any OperationClock) async throws {
        if let uptime { return try await clock.sleep(untilUptime: uptime) }
        try await clock.sleep(until: date)
    }
}

extension OperationClock {
    /// The end of a time that begins now.
    func end(after duration: Duration) -> WaitEnd {
        WaitEnd(now.advanced(by: duration), uptime: uptime + min(duration, .longest))
    }

    /// The end of a duration that began at `begin`.
    /// - Parameter uptime: the `uptime` at that time; nil when it is unknown, and the rest is computed by the current
    ///   wall clock.
    package func end(of duration: Duration, since begin: Timestamp, uptime began: Duration? = nil) -> WaitEnd
    {
        let date = begin.advanced(by: duration)
        return WaitEnd(
            date, uptime: (began ?? uptime) + min(began == nil ? remaining(until: date) : duration, .longest))
    }
}

extension Duration {
    /// Longer than any wait, and short enough to be added to another one: some 36 million years.
    package static let longest = Duration.seconds(1 << 50)
}
