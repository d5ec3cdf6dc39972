/// The clock of operations, which never use the system clock directly: tests and simulations have their own.
public protocol OperationClock: Sendable {
    /// The wall time.
    var now: Timestamp { get }

    /// The time that the clock has run, from an arbitrary origin. Monotonic, and independent of changes to the wall
    /// time. Default: from `now`, for a clock whose time is not set.
    var uptime: Duration { get }

    /// The time until `date`, at the clock's resolution; zero or less when that is past.
    func remaining(until date: Timestamp) -> Duration

    /// Returns after `duration` on the monotonic clock; immediately when it is not above zero.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(for duration: Duration) async throws

    /// Returns when the wall clock shows `date` or later.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(until date: Timestamp) async throws

    /// Returns when `uptime` shows `end` or more. Default: sleeps once for as long as that is.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(untilUptime end: Duration) async throws
}

extension OperationClock {
    /// Long waits are divided so that a change to the clock is noticed within half a minute.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    public func sleep(until date: Timestamp) async throws {
        var left = remaining(until: date)
        while left > .zero {
            try await sleep(for: min(left, .seconds(30)))
            left = remaining(until: date)
        }
    }

    /// The wall time.
    public var uptime: Duration { .milliseconds(now.milliseconds) }

    /// Sleeps once.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    public func sleep(untilUptime end: Duration) async throws { try await sleep(for: end - uptime) }

    /// With a resolution of one millisecond.
    public func remaining(until date: Timestamp) -> Duration { date.since(now) }
}
