internal import FoundationEssentials

/// The machine's own clock.
public struct SystemClock: AOperationClock {
    /// The machine's own clock.
    public init() {}

    /// The wall time.
    public var now: Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// In steps of less than a microsecond.
    public func remaining(until date: Timestamp) -> Duration {
        .seconds(Double(date.milliseconds) / 1_000 - Date().timeIntervalSince1970)
    }

    /// Sleeps on the continuous clock.
    public func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return }
        try await Task.sleep(for: duration, tolerance: nil, clock: .continuous)
    }
}
