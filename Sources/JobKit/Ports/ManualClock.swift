internal import Synchronization

/// A clock that moves only on command, for tests.
public final class ManualClock: OperationClock {
    private struct Sleeper {
        let wakeAt: Timestamp
        let waker: AlarmWaker
    }

    private struct Face {
        var now: Timestamp
        var nextID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelledEarly: Set<UInt64> = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let face: Mutex<Face>

    /// A clock that shows `start`.
    public init(start: Timestamp = Timestamp(milliseconds: 1_700_000_000_000)) {
        face = Mutex(Face(now: start))
    }

    /// The time it shows.
    public var now: Timestamp { face.withLock { $0.now } }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { face.withLock { $0.sleepers.count } }

    /// The time at which the next sleeper wakes; nil when none sleeps.
    public var nextWake: Timestamp? { face.withLock { $0.sleepers.values.map(\.wakeAt).min() } }

    /// Sleeps until the clock was advanced far enough.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return }
        try await sleep { $0.advanced(by: duration) }
    }

    /// Sleeps until the clock shows `date`, even if that is past when the sleep begins.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until date: Timestamp) async throws {
        try await sleep { _ in date }
    }

    /// Sleeps until this clock's uptime reaches `end`.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(untilUptime end: Duration) async throws {
        try await sleep { _ in Timestamp(milliseconds: end.wholeMilliseconds) }
    }

    /// - Parameter wakeAt: when to wake, by the time at which the sleep begins.
    private func sleep(until wakeAt: @escaping @Sendable (Timestamp) -> Timestamp) async throws {
        let id = newAlarm()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(id, until: wakeAt, .task(continuation))
            }
        } onCancel: {
            let sleeper = face.withLock { face -> Sleeper? in
                if let sleeper = face.sleepers.removeValue(forKey: id) { return sleeper }
                face.cancelledEarly.insert(id)
                return nil
            }
            sleeper?.waker.refuse()
        }
    }

    /// Advances the time and resumes all sleepers that are due, earliest first.
    public func advance(by duration: Duration) {
        let due = face.withLock { face -> [Sleeper] in
            face.now = face.now.advanced(by: duration)
            let ids = face.sleepers.filter { $0.value.wakeAt <= face.now }
                .sorted { ($0.value.wakeAt, $0.key) < ($1.value.wakeAt, $1.key) }.map(\.key)
            return ids.compactMap { face.sleepers.removeValue(forKey: $0) }
        }
        for sleeper in due { sleeper.waker.wake() }
    }

    /// Returns as soon as at least `count` tasks are asleep.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let ready = face.withLock { face -> Bool in
                if face.sleepers.count >= count { return true }
                face.waiters.append((count, continuation))
                return false
            }
            if ready { continuation.resume() }
        }
    }

    private func fallAsleep(
        _ id: UInt64, until wakeAt: (Timestamp) -> Timestamp, _ waker: AlarmWaker
    ) {
        enum Step { case refuse, goOn, sleep([CheckedContinuation<Void, Never>]) }
        let step = face.withLock { face -> Step in
            if face.cancelledEarly.remove(id) != nil { return .refuse }
            let wakeAt = wakeAt(face.now)
            if wakeAt <= face.now { return .goOn }
            face.sleepers[id] = Sleeper(wakeAt: wakeAt, waker: waker)
            let count = face.sleepers.count
            let ready = face.waiters.filter { $0.count <= count }.map(\.continuation)
            face.waiters.removeAll { $0.count <= count }
            return .sleep(ready)
        }
        switch step {
        case .refuse: waker.refuse()
        case .goOn: waker.wake()
        case .sleep(let waiters): for waiter in waiters { waiter.resume() }
        }
    }
}

extension ManualClock: AlarmClock {
    package func newAlarm() -> UInt64 {
        face.withLock { face in
            face.nextID += 1
            return face.nextID
        }
    }

    package func setAlarm(_ number: UInt64, at end: WaitEnd, _ action: @escaping @Sendable () -> Void) {
        let date = end.uptime.map { Timestamp(milliseconds: $0.wholeMilliseconds) } ?? end.date
        fallAsleep(number, until: { _ in date }, .action(action))
    }

    package func removeAlarm(_ number: UInt64) {
        _ = face.withLock { $0.sleepers.removeValue(forKey: number) }
    }
}
