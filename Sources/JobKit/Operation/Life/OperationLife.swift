/// The life of one operation as a value: it maps an event to an action. The first event that ends it wins, once. It
/// knows no clock, no task and no other operation.
struct OperationLife: Sendable {
    /// A request to stop, by a person, a parent or a timer. The first one counts.
    struct StopRequest: Sendable {
        let error: AOperationError
        /// `cancelled` for requests of people and parents, `failed` or `expired` for clocks.
        let state: JobState
        /// Whether it only stops what is not being executed.
        var isBeforeStart = false
    }

    /// The conditions that are being evaluated.
    struct OpenConditions: Sendable {
        /// The number of those that have not answered.
        var unanswered = 0
        /// The number of those that wait for an operation that they need first.
        var needing = 0
    }

    enum Event: Sendable {
        /// Adds a dependency. Only before it is enqueued.
        case dependencyAdded
        /// It was added to its queue.
        case enqueued(dependencies: Int, isHeld: Bool)
        /// A dependency was met.
        case dependencyMet
        /// It must not be executed before it is released.
        case held
        case released
        /// Everything it depends on is finished and lets it run.
        case evaluates(at: Timestamp)
        case conditionsOpened(Int)
        case needsOpened(Int)
        /// All conditions hold.
        case isReady(at: Timestamp)
        /// It has its keys and its slot.
        case executes(at: Timestamp)
        /// A stop was requested. With `endsInside` its run has to end it even when it is not being executed.
        case stopRequested(endsInside: Bool)
        /// Its outcome is decided.
        case ends
        /// Its outcome is published.
        case finished
        /// Its run is suspended: it proceeds no further in this run.
        case suspended
        /// It leaves memory without an outcome, because its run is suspended.
        case unloaded
    }

    enum Action: Sendable {
        /// Nothing changed: the event is not permitted in this state.
        case refuse
        /// No action.
        case proceed
        /// All dependencies are met: its queue may begin it.
        case begin
        /// It proceeds if it waits for its release.
        case resume
        /// The task that drives it is cancelled, and its grace period begins.
        case cancelTask
        /// It ends now, with the error of the request.
        case end
    }

    private enum Phase: Sendable {
        /// Described, with the number of things that have to come before it begins; one of them is the queue.
        case initialized(unmet: Int)
        case pending(unmet: Int)
        case evaluatingConditions(OpenConditions)
        case ready
        case executing
        case finishing
        case finished
    }

    // Without the ending and the request, which every check of the phase would copy.
    private var phase = Phase.initialized(unmet: 1)
    /// The time of the last change of state.
    private(set) var since: Timestamp
    private(set) var isHeld = false
    /// The request that stops it.
    private(set) var stop: StopRequest?
    /// The outcome; nil before the end.
    private(set) var ending: OperationEnding?
    /// Whether its run was suspended before it was over.
    private(set) var isSuspended = false

    init(at now: Timestamp) { since = now }

    var state: OperationState {
        switch phase {
        case .initialized: .initialized
        case .pending: .pending
        case .evaluatingConditions: .evaluatingConditions
        case .ready: .ready
        case .executing: .executing
        case .finishing: .finishing
        case .finished: .finished
        }
    }

    /// The start of the execution, while it lasts.
    var executingSince: Timestamp? { state == .executing ? since : nil }

    /// Whether its outcome is decided, or left to a later run: nothing that happens changes that.
    var isSettled: Bool {
        switch phase {
        case .finishing, .finished: true
        default: isSuspended
        }
    }

    /// Whether something has to come before it begins.
    var waitsForOthers: Bool {
        switch phase {
        case .initialized(let unmet), .pending(let unmet): unmet > 0
        default: false
        }
    }

    /// The conditions that are being evaluated; none in any other state.
    var conditions: OpenConditions {
        if case .evaluatingConditions(let open) = phase { open } else { OpenConditions() }
    }

    /// Applies an event and returns the action due.
    mutating func apply(_ event: Event) -> Action {
        switch event {
        case .dependencyAdded, .enqueued, .dependencyMet: applyBeforeBeginning(event)
        case .held, .released: applyToHold(event)
        case .evaluates, .conditionsOpened, .needsOpened, .isReady, .executes: applyOnTheWay(event)
        case .stopRequested, .ends, .finished, .suspended, .unloaded: applyAtTheEnd(event)
        }
    }

    /// The event `stopRequested`, with the request, which counts when it is the first one.
    mutating func requestStop(_ request: StopRequest, endsInside: Bool) -> Action {
        if request.isBeforeStart, endsInside || state == .executing { return .refuse }
        let action = apply(.stopRequested(endsInside: endsInside))
        if case .refuse = action {} else { stop = request }
        return action
    }

    /// The event `finished`, with the outcome.
    mutating func finish(_ ending: OperationEnding) -> Bool {
        guard accepts(.finished) else { return false }
        self.ending = ending
        return true
    }

    /// Whether an event is allowed here; it is applied then.
    mutating func accepts(_ event: Event) -> Bool {
        if case .refuse = apply(event) { false } else { true }
    }

    private mutating func applyBeforeBeginning(_ event: Event) -> Action {
        switch (event, phase) {
        case (.dependencyAdded, .initialized(let unmet)): phase = .initialized(unmet: unmet + 1)
        case (.dependencyMet, .initialized(let unmet)): phase = .initialized(unmet: unmet - 1)
        case (.enqueued(let dependencies, let holds), .initialized(let unmet)) where !isSuspended:
            isHeld = isHeld || holds
            phase = .pending(unmet: unmet + dependencies + (isHeld ? 1 : 0))
        case (.dependencyMet, .pending(let unmet)):
            phase = .pending(unmet: unmet - 1)
            return unmet == 1 && !isSuspended ? .begin : .proceed
        default: return .refuse
        }
        return .proceed
    }

    private mutating func applyToHold(_ event: Event) -> Action {
        if case .held = event {
            switch phase {
            case .executing, .finishing, .finished: return .refuse
            case .pending(let unmet) where unmet > 0 && !isHeld: phase = .pending(unmet: unmet + 1)
            default: break
            }
            isHeld = true
            return .proceed
        }
        guard isHeld else { return .refuse }
        isHeld = false
        // Only an operation that was held before it began counts its hold.
        if case .pending(let unmet) = phase, unmet > 0 { return applyBeforeBeginning(.dependencyMet) }
        return .resume
    }

    private mutating func applyOnTheWay(_ event: Event) -> Action {
        if isSuspended { return .refuse }
        switch (event, phase) {
        case (.evaluates(let now), .pending):
            phase = .evaluatingConditions(OpenConditions())
            since = now
        case (.conditionsOpened(let change), .evaluatingConditions(var open)):
            open.unanswered += change
            phase = .evaluatingConditions(open)
        case (.needsOpened(let change), .evaluatingConditions(var open)):
            open.needing += change
            phase = .evaluatingConditions(open)
        case (.isReady(let now), .evaluatingConditions):
            phase = .ready
            since = now
        case (.executes(let now), .ready):
            phase = .executing
            since = now
        default: return .refuse
        }
        return .proceed
    }

    private mutating func applyAtTheEnd(_ event: Event) -> Action {
        switch (event, phase) {
        case (.stopRequested(let endsInside), _):
            if stop != nil || isSettled { return .refuse }
            if endsInside || state == .executing { return .cancelTask }
            phase = .finishing
            return .end
        case (.ends, _):
            if isSettled { return .refuse }
            phase = .finishing
        case (.finished, .finishing): phase = .finished
        case (.suspended, .finished): return .refuse
        case (.suspended, _):
            if isSuspended { return .refuse }
            isSuspended = true
        case (.unloaded, .finishing), (.unloaded, .finished): return .refuse
        case (.unloaded, _):
            if !isSuspended { return .refuse }
            phase = .finishing
        default: return .refuse
        }
        return .proceed
    }
}
