/// The clock of operations, which never ask the machine: tests and simulations give their own.
public protocol AOperationClock: Sendable {
    /// The wall time.
    var now: Timestamp { get }

    /// The time that the clock has run, from any moment on. It never goes back, and setting the wall time does not
    /// change it. Default: from `now`, for a clock whose time is not set.
    var uptime: Duration { get }

    /// The time until `date`, as finely as the clock knows; zero or less when that is past.
    func remaining(until date: Timestamp) -> Duration

    /// Returns after `duration` on the monotonic clock; at once when it is not above zero.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(for duration: Duration) async throws

    /// Returns when the wall clock shows `date` or later.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(until date: Timestamp) async throws

    /// Returns when `uptime` shows `end` or more. Default: sleeps once for as long as that is.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(untilUptime end: Duration) async throws
}

extension AOperationClock {
    /// Long waits are cut so that a clock that jumps is noticed within half a minute.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    public func sleep(until date: Timestamp) async throws {
        var left = remaining(until: date)
        while left > .zero {
            try await sleep(for: min(left, .seconds(30)))
            left = remaining(until: date)
        }
    }

    /// As long as the wall time says.
    public var uptime: Duration { .milliseconds(now.milliseconds) }

    /// Sleeps once.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    public func sleep(untilUptime end: Duration) async throws { try await sleep(for: end - uptime) }

    /// In steps of a millisecond.
    public func remaining(until date: Timestamp) -> Duration { date.since(now) }
}
