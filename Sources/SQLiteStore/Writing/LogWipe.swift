import JobKit

// DESIGN
// Erased content is overwritten in the database (`secure_delete`), but the write-ahead log has the former pages until
// later ones take their place: on an idle store for ever. So the log is moved into the database and its file cut to
// nothing some time after an erasure. Erasures of that time share one wipe. It waits for a moment without writes, yet
// not for long, and the next one comes after a pause in proportion to its cost: erasures without end, such as those
// of retention, take a small share of the writer's time.

/// The time at which the write-ahead log is emptied, since it has erased content.
struct LogWipe {
    /// The wait in which further erasures come.
    private let pause: Duration
    /// The longest wait for a moment without writes, in pauses.
    private static let patience = 10
    /// The least time between two wipes, in units of the time that the first took.
    private static let share = 50
    /// The first erasure since the last wipe.
    private var firstAt: ContinuousClock.Instant?
    private var notBefore: ContinuousClock.Instant?

    init(pauseMilliseconds: Int) { pause = .milliseconds(pauseMilliseconds) }

    /// Whether the log has erased content.
    var isPending: Bool { firstAt != nil }

    /// Records a commit that erased something.
    mutating func noteErasure(at now: ContinuousClock.Instant) { firstAt = firstAt ?? now }

    /// Whether it is time.
    /// - Parameter isIdle: whether no write waits.
    func isDue(at now: ContinuousClock.Instant, isIdle: Bool) -> Bool {
        guard let firstAt else { return false }
        return now >= max(firstAt + pause * (isIdle ? 1 : Self.patience), notBefore ?? firstAt)
    }

    /// Milliseconds until it is time on an idle store, at least 1; nil when nothing was erased.
    func millisecondsLeft(at now: ContinuousClock.Instant) -> Int? {
        guard let firstAt else { return nil }
        let left = now.duration(to: max(firstAt + pause, notBefore ?? firstAt))
        return max(1, Int(clamping: left.wholeMilliseconds))
    }

    /// Records a try.
    /// - Parameter isDone: whether the log is empty; it is not when a reader needs it.
    mutating func end(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant, isDone: Bool) {
        if isDone { firstAt = nil }
        notBefore = end + max(pause, start.duration(to: end) * Self.share)
    }
}
