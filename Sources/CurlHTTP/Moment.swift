import Glibc

/// A moment on the monotonic clock, in nanoseconds. A call looks at the time often; `ContinuousClock` counts in 128
/// bits, which is dear.
struct Moment: Comparable, Hashable {
    let nanoseconds: Int64

    /// The present one.
    static var now: Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The earlier one is less.
    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// This much later, at the end of all time when it would lie beyond.
    func advanced(by nanoseconds: Int64) -> Moment {
        let (sum, overflows) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return Moment(nanoseconds: overflows ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    /// This much later.
    func advanced(by duration: Duration) -> Moment { advanced(by: duration.wholeNanoseconds) }

    /// How much time lies between an earlier moment and this one.
    func since(_ earlier: Moment) -> Duration { .nanoseconds(nanoseconds - earlier.nanoseconds) }

    /// The milliseconds, with fractions, between an earlier moment and this one.
    func milliseconds(since earlier: Moment) -> Double {
        Double(nanoseconds - earlier.nanoseconds) / 1_000_000
    }
}

extension Duration {
    /// Nanoseconds, rounded down, within a century.
    var wholeNanoseconds: Int64 {
        let century: Int64 = 3_155_760_000
        let (seconds, attoseconds) = components
        return min(max(seconds, -century), century) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
