internal import HTTPMessage
internal import StrictJSON
internal import Synchronization

/// One operation on a queue, without its output's type.
///
/// DESIGN. Nothing runs for an operation that waits for others: whoever finishes counts down its dependants, and the
/// last one wakes them. From then on one task drives it through its stations (`drive`), and finishing happens once,
/// decided by the lifecycle: the first event that ends it wins. A stop of what is not executing ends it at once, on
/// the caller's thread; a stop of what is executing cancels the task and starts the grace period.
final class OperationCore: Sendable {
    /// A wish to stop, of a person, a parent or a clock. The first one counts.
    struct StopRequest: Sendable {
        let error: AOperationError
        /// `cancelled` for wishes, `failed` for clocks.
        let state: JobState
    }

    struct Standing {
        var lifecycle = OperationLifecycle()
        var unmet = 1
        var dependants: [OperationCore] = []
        var children: [OperationCore] = []
        var finishWaiters: [CheckedContinuation<OperationEnding, Never>] = []
        var hooks: [@Sendable (OperationEnding) -> Void] = []
        var ending: OperationEnding?
        var stop: StopRequest?
        var task: Task<Void, Never>?
        var watches: [Task<Void, Never>] = []
        /// What it waits for just now, by ticket: an executing one for one thing, conditions for several.
        var waits: [UInt64: OperationWait] = [:]
        var nextWait: UInt64 = 0
        /// How many of its conditions are being evaluated and have not answered.
        var conditionsOpen = 0
        /// How many of its conditions wait for an operation that they need first.
        var needsOpen = 0
        var waitsForSlot = false
        var heldKeys: Set<String> = []
        var holdsSlot = false
        var notes: [String: JSONValue] = [:]
        var attempt = 0
        var exchange: HTTPCallExchange?
        var status: Int?
    }

    let name: String
    let path: [String]
    /// The names from the root down to it, the root included.
    let publisherPath: [String]
    let settings: AOperationSettings
    let environment: AOperationEnvironment
    let submittedAt: Timestamp
    /// Keys that an ancestor holds: this one need not take them again.
    let inheritedKeys: Set<String>
    let queue: QueueCore
    let feed: EventFeed
    let work: Work
    let standing = Mutex(Standing())

    /// The operation's own code with the output's type hidden.
    struct Work: Sendable {
        /// Runs one attempt and leaves the output in its box.
        let run: @Sendable (AOperationContext) async throws -> Void
        /// What is in the box, for the journal.
        let captured: @Sendable () -> OperationResult?
        /// Puts what an earlier run produced into the box.
        let restore: @Sendable (OperationResult) -> Void
    }

    init(name: String, place: Place, settings: AOperationSettings, queue: QueueCore, work: Work) {
        self.name = name
        path = place.path
        publisherPath = place.publisherPath
        inheritedKeys = place.heldKeys
        self.settings = settings
        self.queue = queue
        self.work = work
        environment = queue.environment
        submittedAt = queue.environment.submittedAt ?? queue.environment.clock.now
        feed = EventFeed(info: AOperationInfo(name: name, path: place.path), observers: settings.observers)
    }

    /// Where an operation stands in its tree.
    struct Place: Sendable {
        let path: [String]
        let publisherPath: [String]
        let heldKeys: Set<String>
    }

    var state: OperationState { standing.withLock { $0.lifecycle.state } }
    var ending: OperationEnding? { standing.withLock { $0.ending } }

    var info: AOperationInfo { AOperationInfo(name: name, path: path) }

    func addObserver(_ observer: any AOperationObserver) { feed.add(observer) }

    func note(exchange: HTTPCallExchange, status: Int?) {
        standing.withLock {
            $0.exchange = exchange
            $0.status = status
        }
    }

    /// Keeps a note for the rest of this run.
    func keep(_ value: JSONValue, as name: String) { standing.withLock { $0.notes[name] = value } }

    /// A note of this run or an earlier one.
    func kept(_ name: String) -> JSONValue? {
        standing.withLock { $0.notes[name] } ?? environment.journal?.history(of: path)?.notes[name]
    }

    // MARK: Being added

    /// Puts it on its queue: it begins as soon as everything it depends on is finished.
    func enqueue() {
        let isNew = standing.withLock { standing -> Bool in
            guard standing.lifecycle.apply(.enqueue) else { return false }
            standing.unmet += settings.edges.count
            return true
        }
        guard isNew else { return }
        feed.raise(.submitted, at: environment.clock.now)
        armDeadline()
        for edge in settings.edges where !edge.core.addDependant(self) { dependencyFinished() }
        dependencyFinished()
    }

    private func addDependant(_ dependant: OperationCore) -> Bool {
        standing.withLock { standing in
            guard standing.ending == nil else { return false }
            standing.dependants.append(dependant)
            return true
        }
    }

    private func dependencyFinished() {
        let isFree = standing.withLock { standing -> Bool in
            standing.unmet -= 1
            return standing.unmet == 0 && standing.lifecycle.state == .pending
        }
        if isFree { queue.begin(self) }
    }

    /// Starts the task that drives it. Called by the queue, once.
    func begin() {
        let task = Task(executorPreference: environment.executor) { await self.drive() }
        let isStale = standing.withLock { standing -> Bool in
            standing.task = task
            return standing.lifecycle.state == .finished
        }
        if isStale { task.cancel() }
    }

    // MARK: Ending

    /// Claims the right to end it; false when something else already did.
    func claimEnd() -> Bool { standing.withLock { $0.lifecycle.apply(.end) } }

    /// Makes the outcome known everywhere: frees what it held, wakes whoever waits. Only after `claimEnd`.
    func finish(_ ending: OperationEnding) {
        let before = standing.withLock { standing -> Standing in
            let before = standing
            standing.ending = ending
            _ = standing.lifecycle.apply(.finish)
            standing.dependants = []
            standing.finishWaiters = []
            standing.hooks = []
            standing.watches = []
            standing.children = []
            standing.heldKeys = []
            standing.holdsSlot = false
            standing.waits = [:]
            standing.task = nil
            return before
        }
        for watch in before.watches { watch.cancel() }
        if before.holdsSlot { queue.slots.giveBack() }
        giveBackKeys(before.heldKeys)
        feed.raise(.finished(ending), at: environment.clock.now)
        for hook in before.hooks { hook(ending) }
        for waiter in before.finishWaiters { waiter.resume(returning: ending) }
        for dependant in before.dependants { dependant.dependencyFinished() }
        queue.remove(self)
        environment.journal?.settled()
    }

    /// Calls `hook` when it is finished; at once when it already is.
    func whenFinished(_ hook: @escaping @Sendable (OperationEnding) -> Void) {
        let ending = standing.withLock { standing -> OperationEnding? in
            if standing.ending == nil { standing.hooks.append(hook) }
            return standing.ending
        }
        if let ending { hook(ending) }
    }

    func finished() async -> OperationEnding {
        await withCheckedContinuation { continuation in
            let ending = standing.withLock { standing -> OperationEnding? in
                if standing.ending == nil { standing.finishWaiters.append(continuation) }
                return standing.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Fills in what an error does not say yet about its origin; what it says stays.
    func stamp(_ error: AOperationError) -> AOperationError {
        var error = error
        if error.publisher == nil { error.publisher = name }
        if error.path.isEmpty { error.path = publisherPath }
        if error.at == nil { error.at = environment.clock.now }
        return error
    }
}
