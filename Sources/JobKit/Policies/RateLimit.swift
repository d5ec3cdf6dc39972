/// A limit on how often something may begin: `count` times in `per`, at an even pace, after `burst` at once.
package struct RateLimit: Sendable, Hashable {
    package let count: Int
    package let per: Duration
    /// The number that may begin at the same time after a pause, at least 1.
    package let burst: Int

    /// - Parameter burst: nil is what the rate gives in a tenth of a second.
    package init(count: Int, per: Duration, burst: Int? = nil) {
        self.count = max(1, count)
        self.per = per
        self.burst = max(1, burst ?? Int(Double(count) * (Duration.milliseconds(100) / per)))
    }

    /// The time from one to the next, in nanoseconds.
    private var interval: Int64 { max(1, Self.nanoseconds(per) / Int64(count)) }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooMuch ? .max / 4 : whole + attoseconds / 1_000_000_000
    }

    // DESIGN
    // The generic cell rate algorithm (ITU-T I.371): one number says when the next would be due at an even pace, and a
    // burst lets it begin that much earlier. A server takes some time to notice that a moment has come. A burst of
    // several makes up for that; without one, what was ready before it begins counts from then, but less than one
    // interval back. So no window of `per` has more than `count` + `burst`, and the pace is kept.

    /// The time from which the next may begin.
    package func opening(_ state: RateState, now: Timestamp) -> Timestamp {
        let opening = next(state, Self.nanoseconds(now)) - Int64(burst - 1) * interval
        return Timestamp(milliseconds: (opening + 999_999) / 1_000_000)
    }

    /// Whether the next may begin.
    package func admits(_ state: RateState, now: Timestamp) -> Bool { opening(state, now: now) <= now }

    /// The state after one more has begun.
    /// - Parameter ready: the time since which it has waited for that.
    package func taking(_ state: RateState, now: Timestamp, ready: Timestamp) -> RateState {
        let time = Self.nanoseconds(now)
        let start = burst > 1 ? time : max(min(Self.nanoseconds(ready), time), time - interval + 1)
        return RateState(next: max(next(state, time), start) + interval)
    }

    /// The state after one of those that were taken did not begin.
    package func givingBack(_ state: RateState) -> RateState { RateState(next: state.next - interval) }

    /// The time at which one more may begin, and the state in which that is reserved for it.
    package func reserving(_ state: RateState, now: Timestamp) -> (date: Timestamp, state: RateState) {
        let time = Self.nanoseconds(now)
        let opening = state.next - Int64(burst - 1) * interval
        let date = Timestamp(milliseconds: (max(opening, time) + 999_999) / 1_000_000)
        return (date, RateState(next: max(state.next, time) + interval))
    }

    /// The number of the burst that may begin now, 0 to `burst`.
    package func room(_ state: RateState, now: Timestamp) -> Int {
        let time = Self.nanoseconds(now)
        let lead = max(0, next(state, time) - time)
        return max(0, burst - Int((lead + interval - 1) / interval))
    }

    /// When the next is due. A later time than any that a state can reach comes from a clock that was set back.
    private func next(_ state: RateState, _ time: Int64) -> Int64 {
        min(state.next, time + Int64(burst) * interval)
    }

    private static func nanoseconds(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds, 0), .max / 4_000_000) * 1_000_000
    }
}

/// The state of a rate limit: the time at which the next is due at an even pace.
package struct RateState: Sendable, Hashable {
    /// In nanoseconds since 1970-01-01T00:00:00Z.
    package var next: Int64

    package init(next: Int64 = 0) { self.next = next }

    /// The latest state that holds nothing back at `now`.
    package init(over now: Timestamp) { next = now.milliseconds * 1_000_000 }

    /// Whether it no longer holds anything back.
    package func isOver(at now: Timestamp) -> Bool { next / 1_000_000 <= now.milliseconds }
}

/// Limits on things that run: jobs of a queue, or calls to a host.
package struct FlowLimits: Sendable, Hashable {
    /// The maximum number at the same time.
    package var concurrency: Int?
    /// The maximum pace at which they begin.
    package var rate: RateLimit?

    package init(concurrency: Int? = nil, rate: RateLimit? = nil) {
        self.concurrency = concurrency
        self.rate = rate
    }
}
