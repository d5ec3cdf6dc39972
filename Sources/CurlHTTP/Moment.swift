import Glibc

/// A time of the monotonic clock, in nanoseconds. A call reads the time often; `ContinuousClock` counts in 128 bits,
/// which is expensive.
struct Moment: Comparable, Hashable {
    let nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// This time plus an interval, clamped to the end of the clock.
    func advanced(by nanoseconds: Int64) -> Moment {
        let (sum, overflows) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return Moment(nanoseconds: overflows ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    func advanced(by duration: Duration) -> Moment { advanced(by: duration.wholeNanoseconds) }

    /// The duration since an earlier time.
    func since(_ earlier: Moment) -> Duration { .nanoseconds(nanoseconds - earlier.nanoseconds) }

    /// The milliseconds, with fractions, since an earlier time.
    func milliseconds(since earlier: Moment) -> Double {
        Double(nanoseconds - earlier.nanoseconds) / 1_000_000
    }
}

extension Duration {
    /// Nanoseconds, rounded down, clamped to a century.
    var wholeNanoseconds: Int64 {
        let century: Int64 = 3_155_760_000
        let (seconds, attoseconds) = components
        return min(max(seconds, -century), century) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
