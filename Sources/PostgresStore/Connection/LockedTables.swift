import JobKit
import Synchronization

// DESIGN
// Few threads read for all requests, so reads of a locked table must not keep each of them for as long as a lock is
// worth waiting for. Once one has waited in vain, the others hardly wait for some time. Reads of other tables do not
// notice.

/// The time until which reads hardly wait for locks.
final class LockedTables: Sendable {
    /// The longest waits for a lock, in milliseconds.
    static let usualWait = 1_000
    static let shortWait = 20
    private static let lasts = Duration.seconds(1)

    /// Milliseconds from `start`; 0 when no lock was met.
    private let until = Atomic<Int64>(0)
    private let start = ContinuousClock.now

    /// Notes that a read waited for a lock in vain.
    func note(at now: ContinuousClock.Instant) {
        until.store(start.duration(to: now + Self.lasts).wholeMilliseconds, ordering: .relaxed)
    }

    /// Whether a read waited in vain a moment ago.
    func areKnown(at now: @autoclosure () -> ContinuousClock.Instant) -> Bool {
        let end = until.load(ordering: .relaxed)
        return end != 0 && start.duration(to: now()).wholeMilliseconds < end
    }
}
