#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The system clock.
public struct SystemClock: AOperationClock {
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
    public func sleep(for duration: Duration) async throws { try await sleep(untilUptime: uptime + duration) }

    /// Sleeps on the continuous clock, again when a timer fires early.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(untilUptime end: Duration) async throws {
        while uptime < end {
            try await Task.sleep(until: Self.start.advanced(by: end), tolerance: nil, clock: .continuous)
        }
    }
}
