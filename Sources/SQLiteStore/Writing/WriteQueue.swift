import Glibc
import JobStore
import StoreThreads
import Synchronization

// DESIGN
// There are two lines, in each of which tenants take turns (`WriteTurns`). Large updates of runs have a separate one,
// and the two alternate: another write waits for at most one group of them, however many there are. So later writes may
// overtake a large one. A run has one update in flight at a time, and requests of others about its job are valid before
// it and after it. While several tenants write, a group is small, so that the write of one waits for at most one group
// that has nothing of its own.

/// The queue of the writer thread. Adding a write costs a lock, and a wake-up only when the writer sleeps.
final class WriteQueue: Sendable {
    private struct Line: Sendable {
        var waiting = WriteTurns<StoreCommand>()
        var large = WriteTurns<StoreCommand>()
        /// The cost of the group that the writer has.
        var spent = 0
        var isTurnOfLarge = false
        var isSleeping = false
        var isClosed = false
    }

    private let line = Mutex(Line())
    /// The maximum cost of a group while several tenants write, and otherwise.
    private static let sharedCostMax = 1 << 20
    private static let aloneCostMax = 32 << 20
    /// The size from which an update is large, and the maximum total cost of large ones in a group.
    private static let largeBytesMin = 64 << 10
    private static let largeCostMax = 1 << 20
    /// For writes that are no large updates: the number waiting; the time since which the first has waited, and since
    /// which the first of those taken by the writer has, in monotonic nanoseconds; 0 without one.
    private let count = Atomic<Int>(0)
    private let waitingSince = Atomic<Int64>(0)
    private let takenSince = Atomic<Int64>(0)
    /// Whether several tenants have written.
    private let isShared = Atomic(false)
    /// Wakes the writer; rung once for each time that it announces to sleep.
    private let bell = Bell()

    /// The time for which the writer spins before it sleeps. Waking an idle processor costs the thread that does it up
    /// to 50 µs on a virtual machine, and that thread produces the next write.
    private static let watchNanoseconds: Int64 = 200_000

    /// Adds a write at the end, or refuses it when the queue is closed or has no room.
    func add(_ command: StoreCommand) {
        enum Step { case none, ring, refuse(JobStoreError) }
        let step = line.withLock { line in
            if line.isClosed { return Step.refuse(.closed) }
            if command.isUpdate, command.bytes >= Self.largeBytesMin {
                line.large.add(command)
            } else {
                if line.waiting.mayRefuse(command), !command.isUpdate,
                    let refusal = line.waiting.refusal(of: command)
                {
                    return .refuse(refusal)
                }
                if line.waiting.isEmpty || line.waiting.hasSeveralOwners { command.madeAt = Self.now }
                if line.waiting.isEmpty { waitingSince.store(command.madeAt, ordering: .relaxed) }
                line.waiting.add(command)
                if line.waiting.hasSeveralOwners { isShared.store(true, ordering: .relaxed) }
                count.store(line.waiting.count, ordering: .relaxed)
            }
            if !line.isSleeping { return .none }
            line.isSleeping = false
            return .ring
        }
        switch step {
        case .none: break
        case .ring: bell.ring()
        case .refuse(let error): command.refuse(error)
        }
    }

    /// The waiting writes, including those that the writer has taken, without large updates.
    var pressure: StorePressure {
        let taken = takenSince.load(ordering: .relaxed)
        let first = taken != 0 ? taken : waitingSince.load(ordering: .relaxed)
        guard first != 0 else { return StorePressure() }
        return StorePressure(
            waiting: count.load(ordering: .relaxed), oldest: .nanoseconds(max(0, Self.now - first)))
    }

    /// The waiting writes, and how long those of one tenant wait; while others write, too, without those taken.
    /// - Parameter owner: the name of the tenant; empty for none.
    func pressure(of owner: String) -> StorePressure {
        if !isShared.load(ordering: .relaxed) { return pressure }
        let (all, own) = line.withLock { ($0.waiting.count, $0.waiting.standing(of: owner)) }
        var pressure = StorePressure(waiting: all, own: own.count)
        if let first = own.first { pressure.oldest = .nanoseconds(max(0, Self.now - age(of: first))) }
        return pressure
    }

    /// The time since which a write waits. Those that came before there were several tenants have none of their own.
    private func age(of command: StoreCommand) -> Int64 {
        command.madeAt != 0 ? command.madeAt : waitingSince.load(ordering: .relaxed)
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

    /// The writes since the last `next`, for the group being written: all of them or, while several tenants write, the
    /// first of them; none when the group has no room.
    /// - Parameters:
    ///   - milliseconds: the wait when none came.
    ///   - watches: whether the next one is expected so soon that the writer spins before it sleeps.
    func more(limit: Int, waiting milliseconds: Int, watches: Bool = true) -> [StoreCommand] {
        if count.load(ordering: .relaxed) == 0 {
            guard milliseconds > 0 else { return [] }
            let end = watches ? Self.now + Self.watchNanoseconds : 0
            while watches && count.load(ordering: .relaxed) == 0 && Self.now < end { sched_yield() }
            let mustWait = line.withLock { line in
                line.isSleeping = line.waiting.isEmpty && line.large.isEmpty && !line.isClosed
                return line.isSleeping
            }
            if mustWait { bell.wait(milliseconds: milliseconds) }
        }
        return line.withLock { line in
            line.isSleeping = false
            if line.waiting.isEmpty { return [] }
            if line.waiting.hasSeveralOwners {
                return takeInTurn(&line, limit, Self.sharedCostMax - line.spent, takesOne: false)
            }
            let hasRoom = line.spent + line.waiting.cost <= Self.aloneCostMax
            return line.waiting.count <= limit && hasRoom ? takeAll(&line) : []
        }
    }

    private func take(_ limit: Int, sleeps: Bool) -> [StoreCommand]? {
        line.withLock { line in
            line.isSleeping = false
            let isTurnOfLarge = !line.large.isEmpty && (line.isTurnOfLarge || line.waiting.isEmpty)
            line.isTurnOfLarge = !isTurnOfLarge
            if isTurnOfLarge {
                takenSince.store(0, ordering: .relaxed)
                // The group takes in what comes meanwhile only while one tenant writes.
                line.spent = Self.sharedCostMax
                return line.large.next(.max, costMax: Self.largeCostMax)
            }
            line.spent = 0
            takenSince.store(waitingSince.load(ordering: .relaxed), ordering: .relaxed)
            if line.waiting.isEmpty {
                if line.isClosed { return nil }
                line.isSleeping = sleeps
                return []
            }
            if line.waiting.hasSeveralOwners {
                return takeInTurn(&line, limit, Self.sharedCostMax, takesOne: true)
            }
            if line.waiting.count <= limit, line.waiting.cost <= Self.aloneCostMax { return takeAll(&line) }
            let first = line.waiting.next(limit, costMax: Self.aloneCostMax)
            line.spent = Self.aloneCostMax
            count.store(line.waiting.count, ordering: .relaxed)
            // The remaining writes came while the group before this one was written.
            waitingSince.store(Self.now, ordering: .relaxed)
            return first
        }
    }

    private func takeInTurn(
        _ line: inout Line, _ limit: Int, _ costMax: Int, takesOne: Bool
    ) -> [StoreCommand] {
        if limit <= 0 || costMax <= 0 { return [] }
        let taken = line.waiting.next(limit, costMax: costMax, takesOne: takesOne)
        line.spent += taken.reduce(0) { $0 + $1.cost }
        count.store(line.waiting.count, ordering: .relaxed)
        waitingSince.store(line.waiting.firsts.map(age).min() ?? 0, ordering: .relaxed)
        return taken
    }

    private func takeAll(_ line: inout Line) -> [StoreCommand] {
        line.spent += line.waiting.cost
        let taken = line.waiting.next(.max)
        count.store(0, ordering: .relaxed)
        waitingSince.store(0, ordering: .relaxed)
        return taken
    }
}
