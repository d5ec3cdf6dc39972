#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The system clock.
public struct SystemClock: OperationClock {
    /// The machine's own clock.
    public init() {}

    /// The wall time.
    public var now: Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// With a resolution below one microsecond.
    public func remaining(until date: Timestamp) -> Duration {
        .seconds(Double(date.milliseconds) / 1_000 - Date().timeIntervalSince1970)
    }

    private static let start = ContinuousClock.now

    /// Of the continuous clock, since its first use.
    public var uptime: Duration { Self.start.duration(to: .now) }

    /// Sleeps on the continuous clock.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await sleep(untilUptime: uptime + min(duration, .longest))
    }

    /// Sleeps on the continuous clock. All sleeps have one timer of the system.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(untilUptime end: Duration) async throws {
        if end > uptime { try await SystemTimers.shared.sleep(until: end) }
    }

    /// Sleeps until the wall clock shows `date`. A change to it is noticed within half a minute.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until date: Timestamp) async throws {
        let left = remaining(until: date)
        guard left > .zero else { return }
        try await SystemTimers.shared.sleep(until: uptime + min(left, .seconds(30)), date: date)
    }

    /// The time of the continuous clock when `uptime` shows `end`.
    func date(of end: Duration) -> ContinuousClock.Instant { Self.start.advanced(by: end) }
}
