import JobKit
import JobStore

// DESIGN
// A claimed job leaves a dead entry in the index of runnable ones. PostgreSQL skips and removes it, but not while a
// snapshot from before is open, such as that of a backup: then each claim would walk all that were claimed since. So
// claims begin at the time since which the first runnable job waits, which is looked up now and then. What becomes
// runnable with an earlier time is noted when this server stores it, told by the news of other servers, or found with
// the next look.

/// The time from which on jobs are runnable, as far as is known.
struct ReadyMark {
    /// Claims consider jobs that are runnable since then.
    private(set) var start = Timestamp(milliseconds: .min)
    private var nextLook = ContinuousClock.now
    private static let lookEvery = Duration.seconds(1)
    /// The clocks of servers differ, and a new job takes a moment to be stored.
    private static let tolerance = Duration.seconds(1)

    /// Looks up the first runnable job if it is time to.
    mutating func look(_ first: () throws(PostgresFailure) -> Timestamp?) throws(PostgresFailure) {
        if ContinuousClock.now < nextLook { return }
        let now = SystemClock().now
        start = min(try first() ?? now, now).advanced(by: .zero - Self.tolerance)
        nextLook = .now + Self.lookEvery
    }

    /// Follows a job that may have become runnable.
    mutating func note(_ job: StoredJob) {
        if let time = job.readyAt, time < start { start = time }
    }

    /// Has the next claim look at all.
    mutating func reset() { self = ReadyMark() }
}
