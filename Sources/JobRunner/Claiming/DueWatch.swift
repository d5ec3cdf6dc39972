internal import JobKit
internal import JobStore
internal import Synchronization

/// Looks for jobs when their dates have come.
final class DueWatch: Sendable {
    private let store: any JobStore
    private let loop: any EngineLoop
    private let settings: RunnerSettings
    private let state: RunnerBoard
    private let slots: RunSlots
    private let ports = Mutex<Ports?>(nil)

    /// The timer, and the connections to the engine.
    private struct Ports: Sendable {
        var timer: any EngineTimer
        var lookFor: @Sendable (Timestamp) -> Timestamp
        var isDue: @Sendable () -> Void
    }

    init(
        store: any JobStore, loop: any EngineLoop, settings: RunnerSettings, slots: RunSlots,
        state: RunnerBoard
    ) {
        self.store = store
        self.loop = loop
        self.settings = settings
        self.slots = slots
        self.state = state
    }

    /// Begins with the earliest date of the store. On the loop.
    /// - Parameters:
    ///   - lookFor: the time of the claim for a job due at a date.
    ///   - isDue: called when a date has come.
    func begin(
        lookFor: @escaping @Sendable (Timestamp) -> Timestamp, isDue: @escaping @Sendable () -> Void
    ) {
        let timer = loop.makeTimer { [self] in dateCame() }
        ports.withLock { $0 = Ports(timer: timer, lookFor: lookFor, isDue: isDue) }
        dateCame()
    }

    /// Ends the timer and the connections to the engine. On the loop.
    func release() { ports.withLock { $0 = nil } }

    /// Looks at the date of a stored job, unless it looks earlier: then it asks the store for the next date. From any
    /// thread.
    func noteDue(_ date: Timestamp) {
        if state.withLock({ $0.nextLook }).map({ $0 <= date }) ?? false { return }
        loop.execute { [self] in look(at: date) }
    }

    /// Looks at a date, too. On the loop.
    func look(at date: Timestamp) {
        let isEarlier = state.withLock { state -> Bool in
            if let known = state.nextLook, known <= date { return false }
            state.nextLook = date
            return true
        }
        guard isEarlier else { return }
        let wait = max(.zero, loop.clock.remaining(until: date))
        ports.withLock { $0?.timer }?.schedule(after: min(wait, .seconds(30)))
    }

    private func dateCame() {
        guard let ports = ports.withLock({ $0 }), !state.withLock({ $0.isDraining }) else { return }
        let now = loop.clock.now
        let hasCome = state.withLock { state -> Bool in
            // Dates reported from here on must not be overwritten by an answer that does not include them.
            defer { state.nextLook = nil }
            return state.nextLook.map { $0 <= now } ?? false
        }
        if hasCome { ports.isDue() }
        store.perform(NextDueDate()) { [self] reply in
            let due: Timestamp
            switch reply {
            case .success(let date?): due = date
            case .failure(let error) where error.isRetryable:
                due = loop.clock.now.advanced(by: settings.times.storeRetry)
            default: return
            }
            loop.execute { [self] in
                let ahead = ports.lookFor(due)
                if ahead > loop.clock.now { return look(at: ahead) }
                // A job that could have been claimed ahead and was not must wait for its date. A job that is already
                // due waits for a slot, or for its tenant's share, and the next run that ends claims it: no need to
                // look again soon.
                let isFull =
                    slots.hasPassedOver || state.withLock { $0.working >= settings.limits.concurrency }
                let soonest = loop.clock.now.advanced(by: .milliseconds(isFull ? 100 : 1))
                look(at: max(due, soonest))
            }
        }
    }
}
