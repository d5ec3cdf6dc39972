/// A wall clock time, in whole milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since the epoch.
    public var milliseconds: Int64

    /// The moment this many milliseconds after the epoch.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Later than any date: what no date ends.
    public static let never = Timestamp(milliseconds: .max)

    /// The earlier one is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment `duration` later, at the end of the representable range when it would lie beyond.
    public func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time since `earlier`; negative when that is later than this.
    public func since(_ earlier: Timestamp) -> Duration {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? .max : difference)
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up so that a wait is never too short; clamped to 64 bits.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        if overflow { return seconds < 0 ? .min : .max }
        let part = attoseconds / 1_000_000_000_000_000
        let rest: Int64 = attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0
        let (sum, carried) = scaled.addingReportingOverflow(part + rest)
        return carried ? .max : sum
    }
}
