import Glibc
import Synchronization

/// Finds the longest time for which a loop looked at nothing else: the processor time of one turn of its thread.
///
/// A turn begins and ends with a look at the monotonic clock, which is no system call. The processor time, which is
/// one, is read once in two milliseconds that the loop does not sleep; short turns in between are measured together, so
/// that a slice may be told as up to two milliseconds too long, and never as too short.
///
/// One thread uses it. Its numbers are atomic because a turn looks at them five times, and a plain property of a class
/// is checked for exclusive access each time.
struct SliceMeter: ~Copyable {
    /// The nanoseconds within which turns are measured together.
    static let interval: Int64 = 2_000_000

    /// The time from which on the loop does not sleep; `asleep` while it may.
    private let awakeSince = Atomic(asleep)
    private static let asleep = Int64.min
    /// The time awake since the processor time was read, without the current turn.
    private let awake = Atomic<Int64>(0)
    private let spentBefore = Atomic<Int64>(0)

    /// Begins at these times, in nanoseconds: of the monotonic clock, and of the thread's processor time.
    func begin(at now: Int64, spent: Int64) {
        awakeSince.store(now, ordering: .relaxed)
        awake.store(0, ordering: .relaxed)
        spentBefore.store(spent, ordering: .relaxed)
    }

    /// Notes that the loop may sleep now, after the end of a turn.
    func sleep() { awakeSince.store(Self.asleep, ordering: .relaxed) }

    /// Whether the loop may be asleep.
    var isAsleep: Bool { awakeSince.load(ordering: .relaxed) == Self.asleep }

    /// Notes that the loop is awake.
    func wake(at now: Int64) { awakeSince.store(now, ordering: .relaxed) }

    /// Notes the end of a turn.
    /// - Parameters:
    ///   - now: nanoseconds of the monotonic clock.
    ///   - spent: the thread's processor time in nanoseconds, which is read only when needed.
    /// - Returns: the nanoseconds that the turn took, with the short ones before; nil when it was short itself.
    func end(at now: Int64, spent: () -> Int64) -> Int64? {
        let since = isAsleep ? now : awakeSince.load(ordering: .relaxed)
        let total = awake.load(ordering: .relaxed) + now - since
        awake.store(total, ordering: .relaxed)
        wake(at: now)
        guard total >= SliceMeter.interval else { return nil }
        let spent = spent()
        defer { begin(at: now, spent: spent) }
        return spent - spentBefore.load(ordering: .relaxed)
    }

    static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
