import Glibc

/// Finds the longest time for which a loop looked at nothing else: the processor time of one turn of its thread.
///
/// A turn begins and ends with a look at the monotonic clock, which is no system call. The processor time, which is
/// one, is read once in two milliseconds that the loop does not sleep; short turns in between are measured together, so
/// that a slice may be told as up to two milliseconds too long, and never as too short.
struct SliceMeter {
    /// The nanoseconds within which turns are measured together.
    static let interval: Int64 = 2_000_000

    /// The time from which on the loop does not sleep; nil while it may.
    private var awakeSince: Int64?
    /// The time awake since the processor time was read, without the current turn.
    private var awake: Int64 = 0
    private var spentBefore: Int64 = 0

    /// Begins at these times, in nanoseconds: of the monotonic clock, and of the thread's processor time.
    mutating func begin(at now: Int64, spent: Int64) {
        awakeSince = now
        awake = 0
        spentBefore = spent
    }

    /// Notes that the loop may sleep now, after the end of a turn.
    mutating func sleep() { awakeSince = nil }

    /// Whether the loop may be asleep.
    var isAsleep: Bool { awakeSince == nil }

    /// Notes that the loop is awake.
    mutating func wake(at now: Int64) { awakeSince = now }

    /// Notes the end of a turn.
    /// - Parameters:
    ///   - now: nanoseconds of the monotonic clock.
    ///   - spent: the thread's processor time in nanoseconds, which is read only when needed.
    /// - Returns: the nanoseconds that the turn took, with the short ones before; nil when it was short itself.
    mutating func end(at now: Int64, spent: () -> Int64) -> Int64? {
        awake += now - (awakeSince ?? now)
        awakeSince = now
        guard awake >= SliceMeter.interval else { return nil }
        let spent = spent()
        defer { begin(at: now, spent: spent) }
        return spent - spentBefore
    }

    static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
