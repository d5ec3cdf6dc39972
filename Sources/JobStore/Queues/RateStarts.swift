import JobKit

/// The jobs of one transaction that count for a rate.
struct RateStarts: Sendable {
    /// The state of the rate before the first of them.
    let before: RateState
    private var count = 0
    private var ready = Timestamp(milliseconds: .min)
    private var claimedAt = Timestamp(milliseconds: .min)
    /// Claims are stored sooner: a later time comes from a clock that was set.
    private static let writeMax = Duration.seconds(60)

    init(before: RateState) { self.before = before }

    /// Adds a job that is claimed at `now`.
    /// - Parameter time: the time since which it was ready.
    mutating func add(now: Timestamp, ready time: Timestamp) {
        count += 1
        ready = max(ready, time)
        claimedAt = max(claimedAt, now)
    }

    /// Whether `time` is later than the claims by more than a burst makes up for.
    func isLate(for limit: RateLimit, at time: Timestamp) -> Bool {
        claimedAt.advanced(by: limit.per / limit.count * limit.burst) < time
    }

    /// The state of the rate when all of them begin at `time`, soon after their claims; nil for any other time.
    func state(after limit: RateLimit, at time: Timestamp) -> RateState? {
        guard time >= claimedAt, time < claimedAt.advanced(by: Self.writeMax) else { return nil }
        return (0..<count).reduce(before) { state, _ in limit.taking(state, now: time, ready: ready) }
    }
}
