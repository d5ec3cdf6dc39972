import Glibc
import JobStore
import StoreThreads
import Synchronization

// DESIGN
// There are two lines. Large writes (`StoreCommand.bytes`) have a separate one, and the two alternate: a small write
// waits for at most one large one, however many there are. So later writes may overtake a large one. Only
// updates of runs are large; a run has one in flight at a time, and requests of others about its job are valid before
// it and after it.

/// The queue of the writer thread. Adding a write costs a lock, and a wake-up only when the writer sleeps.
final class WriteQueue: Sendable {
    private struct Line: Sendable {
        var waiting: [StoreCommand] = []
        var large: [StoreCommand] = []
        var isTurnOfLarge = false
        var isSleeping = false
        var isClosed = false
    }

    private let line = Mutex(Line())
    /// The size from which a write is large, and the maximum total size of large writes in one group.
    private static let largeBytesMin = 64 << 10
    private static let largeGroupBytesMax = 1 << 20
    /// For small writes: the number waiting; the time since which the first has waited, and since which the first of
    /// those taken by the writer has, in monotonic nanoseconds; 0 without one.
    private let count = Atomic<Int>(0)
    private let waitingSince = Atomic<Int64>(0)
    private let takenSince = Atomic<Int64>(0)
    /// Wakes the writer; rung once for each time that it announces to sleep.
    private let bell = Bell()

    /// The time for which the writer spins before it sleeps. Waking an idle processor costs the thread that does it up
    /// to 50 µs on a virtual machine, and that thread produces the next write.
    private static let watchNanoseconds: Int64 = 200_000

    /// Adds a write at the end, or refuses it when the queue is closed.
    func add(_ command: StoreCommand) {
        enum Step { case none, ring, refuse }
        let step = line.withLock { line in
            if line.isClosed { return Step.refuse }
            if command.bytes >= Self.largeBytesMin {
                line.large.append(command)
            } else {
                if line.waiting.isEmpty { waitingSince.store(Self.now, ordering: .relaxed) }
                line.waiting.append(command)
                count.store(line.waiting.count, ordering: .relaxed)
            }
            if !line.isSleeping { return .none }
            line.isSleeping = false
            return .ring
        }
        switch step {
        case .none: break
        case .ring: bell.ring()
        case .refuse: command.refuse(.closed)
        }
    }

    /// The waiting writes, including those that the writer has taken.
    var pressure: StorePressure {
        let taken = takenSince.load(ordering: .relaxed)
        let first = taken != 0 ? taken : waitingSince.load(ordering: .relaxed)
        guard first != 0 else { return StorePressure() }
        return StorePressure(
            waiting: count.load(ordering: .relaxed), oldest: .nanoseconds(max(0, Self.now - first)))
    }

    private static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Closes the queue. Waiting writes are still done.
    func close() {
        let mustRing = line.withLock { line in
            line.isClosed = true
            defer { line.isSleeping = false }
            return line.isSleeping
        }
        if mustRing { bell.ring() }
    }

    /// Waits for writes.
    /// - Parameters:
    ///   - limit: the maximum number to take.
    ///   - milliseconds: the maximum wait; nil means without limit.
    /// - Returns: the writes in order, none when the time is up; nil when none will come any more.
    func next(limit: Int, waiting milliseconds: Int?) -> [StoreCommand]? {
        let waiting = take(limit, sleeps: true)
        guard waiting?.isEmpty == true else { return waiting }
        bell.wait(milliseconds: milliseconds)
        return take(limit, sleeps: false)
    }

    /// The writes since the last `next`, for the group being written; none when there are more than `limit`.
    /// - Parameter milliseconds: the wait when none came.
    func more(limit: Int, waiting milliseconds: Int) -> [StoreCommand] {
        if count.load(ordering: .relaxed) == 0 {
            guard milliseconds > 0 else { return [] }
            let end = Self.now + Self.watchNanoseconds
            while count.load(ordering: .relaxed) == 0 && Self.now < end { sched_yield() }
            let mustWait = line.withLock { line in
                line.isSleeping = line.waiting.isEmpty && line.large.isEmpty && !line.isClosed
                return line.isSleeping
            }
            if mustWait { bell.wait(milliseconds: milliseconds) }
        }
        return line.withLock { line in
            line.isSleeping = false
            return line.waiting.count <= limit ? takeAll(&line) : []
        }
    }

    private func take(_ limit: Int, sleeps: Bool) -> [StoreCommand]? {
        line.withLock { line in
            line.isSleeping = false
            let isTurnOfLarge = !line.large.isEmpty && (line.isTurnOfLarge || line.waiting.isEmpty)
            line.isTurnOfLarge = !isTurnOfLarge
            if isTurnOfLarge {
                takenSince.store(0, ordering: .relaxed)
                return takeLarge(&line)
            }
            takenSince.store(waitingSince.load(ordering: .relaxed), ordering: .relaxed)
            if line.waiting.isEmpty {
                if line.isClosed { return nil }
                line.isSleeping = sleeps
                return []
            }
            if line.waiting.count <= limit { return takeAll(&line) }
            let first = Array(line.waiting.prefix(limit))
            line.waiting.removeFirst(limit)
            count.store(line.waiting.count, ordering: .relaxed)
            // The remaining writes came while the group before this one was written.
            waitingSince.store(Self.now, ordering: .relaxed)
            return first
        }
    }

    /// Takes at least one.
    private func takeLarge(_ line: inout Line) -> [StoreCommand] {
        var bytes = 0
        let taken = line.large.prefix { command in
            defer { bytes += command.bytes }
            return bytes == 0 || bytes + command.bytes <= Self.largeGroupBytesMax
        }
        line.large.removeFirst(taken.count)
        return Array(taken)
    }

    private func takeAll(_ line: inout Line) -> [StoreCommand] {
        if line.waiting.isEmpty { return [] }
        defer {
            line.waiting = []
            line.waiting.reserveCapacity(64)
            count.store(0, ordering: .relaxed)
            waitingSince.store(0, ordering: .relaxed)
        }
        return line.waiting
    }
}
