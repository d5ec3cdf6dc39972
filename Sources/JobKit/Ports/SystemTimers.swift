internal import Synchronization

// DESIGN
// A sleeping task of its own for each timer costs a kilobyte and more, and the system keeps a cancelled sleep until its
// time is over. So the timers are entries of a heap, and one task sleeps until the first of them ends. One that ends
// earlier than that gets a new sleeping task, and the other one is cancelled. None of them sleeps longer than a minute,
// so that what the system keeps of it is gone soon.

/// The timers on the machine's continuous clock.
final class SystemTimers: Sendable {
    static let shared = SystemTimers()

    private struct Timer {
        let waker: AlarmWaker
        /// The date of the wall clock, which may be set meanwhile; nil when only the elapsed time counts.
        let date: Timestamp?
    }

    private struct Face {
        var board = TimerBoard<Timer>()
        var lastTicket: UInt64 = 0
        /// The end of the current sleep; nil when no task sleeps.
        var sleepsUntil: Duration?
        /// The number of the task that sleeps.
        var sleeper: UInt64 = 0
        var task: Task<Void, Never>?
    }

    private let face = Mutex(Face())
    private let clock = SystemClock()

    /// The longest sleep of the task.
    private static let sleepMax = Duration.seconds(60)
    /// The longest time between two looks at the wall clock.
    private static let lookMax = Duration.seconds(30)

    func newTicket() -> UInt64 {
        face.withLock { face in
            face.lastTicket += 1
            return face.lastTicket
        }
    }

    /// The number of entries, for tests.
    var entryCount: Int { face.withLock { $0.board.entryCount } }

    // MARK: Setting them

    /// Returns at `end`, and not before the wall clock shows `date`.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until end: Duration, date: Timestamp? = nil) async throws {
        let ticket = newTicket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A cancellation after this look finds the timer.
                let isSet = set(ticket, until: end, Timer(waker: .task(continuation), date: date)) {
                    !Task.isCancelled
                }
                if !isSet { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            remove(ticket)?.refuse()
        }
    }

    /// Calls `action` at `end`, and not before the wall clock shows `date`.
    func set(
        _ ticket: UInt64, until end: Duration, date: Timestamp? = nil,
        _ action: @escaping @Sendable () -> Void
    ) {
        _ = set(ticket, until: end, Timer(waker: .action(action), date: date)) { true }
    }

    /// Removes a timer. What its action retains is released when no lock is held.
    func cancel(_ ticket: UInt64) { _ = remove(ticket) }

    private func remove(_ ticket: UInt64) -> AlarmWaker? { face.withLock { $0.board.remove(ticket)?.waker } }

    private func set(
        _ ticket: UInt64, until end: Duration, _ timer: Timer, if isWanted: () -> Bool
    ) -> Bool {
        let (isSet, sleeper) = face.withLock { face -> (Bool, UInt64?) in
            guard isWanted() else { return (false, nil) }
            face.board.add(timer, ticket, until: end)
            if let until = face.sleepsUntil, until <= end { return (true, nil) }
            face.sleepsUntil = end
            face.sleeper += 1
            return (true, face.sleeper)
        }
        if let sleeper { begin(sleeper) }
        return isSet
    }

    // MARK: Their ends

    private func begin(_ sleeper: UInt64) {
        // Safe because it is one task for all sleeps, and would else keep the task-local values of the first of them.
        let task = Task.detached(priority: .high) { await self.sleep(as: sleeper) }
        let old = face.withLock { face -> Task<Void, Never>? in
            // A later one has begun already.
            guard face.sleeper == sleeper else { return task }
            defer { face.task = task }
            return face.task
        }
        old?.cancel()
    }

    private func sleep(as sleeper: UInt64) async {
        while let end = fire(as: sleeper) {
            try? await Task.sleep(until: clock.date(of: end), tolerance: nil, clock: .continuous)
        }
    }

    private enum Step {
        case wake(AlarmWaker)
        /// The first one has to wait for its date.
        case again
        /// Nothing is due. Nil when there is nothing to sleep for, or another task sleeps.
        case sleep(until: Duration?)
    }

    /// Wakes all that are due.
    /// - Returns: the end of the next sleep; nil when the task is not needed any more.
    private func fire(as sleeper: UInt64) -> Duration? {
        while true {
            let now = clock.uptime
            switch face.withLock({ step(of: &$0, by: now, as: sleeper) }) {
            case .wake(let waker): waker.wake()
            case .again: break
            case .sleep(let end): return end
            }
        }
    }

    private func step(of face: inout Face, by now: Duration, as sleeper: UInt64) -> Step {
        guard face.sleeper == sleeper else { return .sleep(until: nil) }
        guard let (ticket, timer) = face.board.takeFirst(by: now) else {
            face.sleepsUntil = face.board.earliest().map { min($0, now + Self.sleepMax) }
            if face.sleepsUntil == nil { face.task = nil }
            return .sleep(until: face.sleepsUntil)
        }
        guard let left = timer.date.map(clock.remaining), left > .zero else { return .wake(timer.waker) }
        face.board.add(timer, ticket, until: now + min(left, Self.lookMax))
        return .again
    }
}

extension SystemClock: AlarmClock {
    package func newAlarm() -> UInt64 { SystemTimers.shared.newTicket() }

    package func setAlarm(_ number: UInt64, at end: WaitEnd, _ action: @escaping @Sendable () -> Void) {
        if let uptime = end.uptime { return SystemTimers.shared.set(number, until: uptime, action) }
        SystemTimers.shared.set(
            number, until: uptime + min(remaining(until: end.date), .seconds(30)), date: end.date, action)
    }

    package func removeAlarm(_ number: UInt64) { SystemTimers.shared.cancel(number) }
}
