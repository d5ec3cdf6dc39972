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
        var edges: [AOperationSettings.Edge]
        /// Its own code; let go of when it is over, with all that it holds on to.
        var work: Work?
        /// The members, when it is a group that is not over.
        var scope: GroupScope?
        var isHeld = false
        var releaseWaiter: CheckedContinuation<Void, Never>?
        /// Since when it has been where it stands.
        var since: Timestamp
        var dependants: [OperationCore] = []
        var children: [OperationCore] = []
        /// With how many children those that are over are forgotten.
        var childrenSweep = 64
        /// Who waits for its end, by ticket.
        var finishWaiters: [UInt64: CheckedContinuation<OperationEnding?, Never>] = [:]
        /// It is over, and what it held has been given back.
        var hasLetGo = false
        var hooks: [@Sendable (OperationEnding) -> Void] = []
        var hookErrors: [AOperationError] = []
        var ending: OperationEnding?
        /// Whether it is settled how it ends, or that a later run decides it.
        var isSettled: Bool { lifecycle.isSettled }
        var stop: StopRequest?
        var task: Task<Void, Never>?
        var watches: [Task<Void, Never>] = []
        /// When the first of its clocks strikes: its timeout or its deadline.
        var alarm: Timestamp?
        /// What it waits for just now, by ticket: an executing one for one thing, conditions for several.
        var waits: [UInt64: OperationWait] = [:]
        /// The operations whose end its work waits for just now, by ticket.
        var awaited: [UInt64: OperationCore] = [:]
        var nextWait: UInt64 = 0
        /// How many of its conditions are being evaluated and have not answered.
        var conditionsOpen = 0
        /// How many of its conditions wait for an operation that they need first.
        var needsOpen = 0
        var waitsForSlot = false
        var heldKeys: Set<String> = []
        var holdsSlot = false
        /// Whether a place of its queue was kept for it when it came back from an earlier run.
        var keepsSlot = false
        var notes: [String: JSONValue] = [:]
        /// How often an operation of this name was run inside of it.
        var innerRuns: [String: Int] = [:]
        var attempt = 0
        var exchange: HTTPCallExchange?
        var status: Int?
        /// The right to make the call of the attempt that begins.
        var originPass: OriginPass?
        /// Where the last call went.
        var origin: String?

        /// What is left to do when it is over.
        struct Remains {
            var releaseWaiter: CheckedContinuation<Void, Never>?
            var watches: [Task<Void, Never>]
            var holdsSlot: Bool
            var keepsSlot: Bool
            var heldKeys: Set<String>
            var isSuspended: Bool
            var hooks: [@Sendable (OperationEnding) -> Void]
            var dependants: [OperationCore]
            // Only held until no lock is held any more.
            var work: Work?
            var scope: GroupScope?
            var edges: [AOperationSettings.Edge]
            var children: [OperationCore]
        }

        /// It is over: lets go of everything that it held on to.
        mutating func close(_ ending: OperationEnding) -> Remains {
            let remains = Remains(
                releaseWaiter: releaseWaiter, watches: watches, holdsSlot: holdsSlot, keepsSlot: keepsSlot,
                heldKeys: heldKeys, isSuspended: lifecycle.isSuspended, hooks: hooks, dependants: dependants,
                work: work, scope: scope, edges: edges, children: children)
            self.ending = ending
            _ = lifecycle.apply(.finish)
            edges = []
            work = nil
            scope = nil
            releaseWaiter = nil
            dependants = []
            hooks = []
            watches = []
            children = []
            heldKeys = []
            holdsSlot = false
            waits = [:]
            awaited = [:]
            task = nil
            return remains
        }

        /// What it held has been given back; who waited for that.
        mutating func letGo() -> [CheckedContinuation<OperationEnding?, Never>] {
            hasLetGo = true
            defer { finishWaiters = [:] }
            return finishWaiters.sorted { $0.key < $1.key }.map(\.value)
        }

        /// Notes that it waits; the ticket to end that with.
        mutating func begin(_ wait: OperationWait) -> UInt64 {
            let ticket = newTicket()
            waits[ticket] = wait
            return ticket
        }

        /// A number that no other wait has.
        mutating func newTicket() -> UInt64 {
            nextWait += 1
            return nextWait
        }

        init(edges: [AOperationSettings.Edge], work: Work, since: Timestamp) {
            self.edges = edges
            self.work = work
            self.since = since
        }
    }

    let name: String
    let path: [String]
    /// The names from the root down to it, the root included.
    let publisherPath: [String]
    /// All that applies to it, without the edges: those are let go of when it is over.
    let settings: AOperationSettings
    let submittedAt: Timestamp
    /// What the clock's `uptime` showed then; nil when it was submitted before it was made.
    private let submittedUptime: Duration?
    /// Keys that an ancestor holds: this one need not take them again.
    let inheritedKeys: Set<String>
    let queue: QueueCore
    let feed: EventFeed
    let standing: Mutex<Standing>

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
        var own = settings
        own.edges = []
        self.settings = own
        self.queue = queue
        let clock = queue.environment.clock
        let now = clock.now
        submittedAt = queue.environment.submittedAt ?? now
        submittedUptime = queue.environment.submittedAt == nil ? clock.uptime : nil
        standing = Mutex(Standing(edges: settings.edges, work: work, since: now))
        feed = EventFeed(observers: settings.observers)
    }

    /// Where an operation stands in its tree.
    struct Place: Sendable {
        let path: [String]
        let publisherPath: [String]
        let heldKeys: Set<String>
    }

    /// The world that its queue gives it. Large: not kept once more by each operation.
    var environment: AOperationEnvironment { queue.environment }
    var state: OperationState { standing.withLock { $0.lifecycle.state } }
    var ending: OperationEnding? { standing.withLock { $0.ending } }
    /// What must be finished before it; empty when it is over.
    var edges: [AOperationSettings.Edge] { standing.withLock { $0.edges } }
    /// Its own code; nil when it is over.
    var work: Work? { standing.withLock { $0.work } }

    var info: AOperationInfo { AOperationInfo(self) }

    /// The end of a time that began with its submission.
    func end(afterSubmission duration: Duration) -> WaitEnd {
        environment.clock.end(of: duration, since: submittedAt, uptime: submittedUptime)
    }

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
        let edges = standing.withLock { standing -> [AOperationSettings.Edge]? in
            guard standing.lifecycle.apply(.enqueue) else { return nil }
            standing.unmet += standing.edges.count
            standing.isHeld = standing.isHeld || settings.isHeld
            if standing.isHeld { standing.unmet += 1 }
            return standing.edges
        }
        guard let edges else { return }
        raise(.submitted)
        noteInterruption()
        raiseWaiting(for: edges)
        armDeadline()
        armTimeoutAgain()
        for edge in edges where !edge.core.addDependant(self) { dependencyFinished() }
        dependencyFinished()
    }

    private func addDependant(_ dependant: OperationCore) -> Bool {
        standing.withLock { standing in
            guard standing.ending == nil else { return false }
            standing.dependants.append(dependant)
            return true
        }
    }

    /// One of the things that it waits for came: the last of them lets it begin.
    func dependencyFinished() {
        let isFree = standing.withLock { standing -> Bool in
            standing.unmet -= 1
            return standing.unmet == 0 && standing.lifecycle.state == .pending && !standing.isSettled
        }
        if isFree { queue.begin(self) }
    }

    /// Starts the task that drives it. Called by the queue, once.
    func begin() {
        // What is added inside of an operation's work is not part of that work.
        let task = Self.current == nil ? drivingTask() : Self.$current.withValue(nil) { drivingTask() }
        // The task may have begun already, and whoever asked it to stop had nothing yet to cancel.
        let mustStop = standing.withLock { standing -> Bool in
            if standing.lifecycle.state == .finished { return true }
            standing.task = task
            return standing.stop != nil || standing.lifecycle.isSuspended
        }
        if mustStop { task.cancel() }
    }

    private func drivingTask() -> Task<Void, Never> {
        Task(executorPreference: environment.executor) { await self.drive() }
    }

    // MARK: Ending

    /// Claims the right to end it; false when something else already did.
    func claimEnd() -> Bool { standing.withLock { $0.lifecycle.apply(.end) } }

    /// Makes the outcome known everywhere: frees what it held, wakes whoever waits. Only after `claimEnd`.
    func finish(_ ending: OperationEnding) {
        scope?.dismiss(because: ending)
        queue.delegate?.queue(queue.name, willFinish: info, as: ending)
        if let unique = settings.unique { environment.uniqueness.release(unique.key, by: self) }
        let left = standing.withLock { $0.close(ending) }
        left.releaseWaiter?.resume()
        for watch in left.watches { watch.cancel() }
        if left.holdsSlot { queue.slots.giveBack(from: self) }
        if left.keepsSlot { queue.slots.letGo(of: self) }
        // The keys of a suspended run stay its own until it comes back.
        if !left.isSuspended {
            giveBackKeys(left.heldKeys)
            giveBackKeysInside()
        }
        raiseFinished(ending)
        for hook in left.hooks { hook(ending) }
        for waiter in standing.withLock({ $0.letGo() }) { waiter.resume(returning: ending) }
        for dependant in left.dependants { dependant.dependencyFinished() }
        queue.remove(self)
        queue.delegate?.queue(queue.name, didFinish: info, as: ending)
        if queue.parent != nil { environment.supervisor?.operationBecameIdle() }
    }

    /// Calls `hook` when it is finished; at once when it already is.
    func whenFinished(_ hook: @escaping @Sendable (OperationEnding) -> Void) {
        let ending = standing.withLock { standing -> OperationEnding? in
            if standing.ending == nil { standing.hooks.append(hook) }
            return standing.ending
        }
        if let ending { hook(ending) }
    }

    /// How it ended, as soon as its place and its keys are free for others.
    func finished() async -> OperationEnding {
        let ticket = standing.withLock { $0.newTicket() }
        let ending = await withCheckedContinuation { wait($0, ticket, endsEarly: false) }
        return ending ?? OperationEnding(state: .cancelled)
    }

    /// The same; nil as soon as the task that waits is cancelled.
    func finishedUnlessCancelled() async -> OperationEnding? {
        let ticket = standing.withLock { $0.newTicket() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, ticket, endsEarly: true) }
        } onCancel: {
            standing.withLock { $0.finishWaiters.removeValue(forKey: ticket) }?.resume(returning: nil)
        }
    }

    private func wait(
        _ continuation: CheckedContinuation<OperationEnding?, Never>, _ ticket: UInt64, endsEarly: Bool
    ) {
        let (isOver, ending) = standing.withLock { standing -> (Bool, OperationEnding?) in
            if standing.hasLetGo { return (true, standing.ending) }
            if endsEarly, Task.isCancelled { return (true, nil) }
            standing.finishWaiters[ticket] = continuation
            return (false, nil)
        }
        if isOver { continuation.resume(returning: ending) }
    }

    /// Fills in what an error does not say yet about its origin; what it says stays, but for secrets.
    func stamp(_ error: AOperationError) -> AOperationError {
        var error = environment.scrubber.scrubbed(error)
        if error.publisher == nil { error.publisher = name }
        if error.path.isEmpty { error.path = publisherPath }
        if error.at == nil { error.at = environment.clock.now }
        return error
    }
}
