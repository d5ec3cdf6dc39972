internal import HTTPMessage
internal import StrictJSON
package import Synchronization

/// One operation on a queue, without its output's type.
///
/// DESIGN. Its life is a value (`OperationLife`), and so is everything else that changes (`OperationParts`). What acts
/// on one part is a small type of its own: attempts, origins, keys, slots, clocks, hooks.
///
/// Nothing runs for an operation that waits for others: an operation that finishes counts down its dependants, and the
/// last one wakes them. From then on one task drives it through its states (`drive`), and it ends once: the first event
/// that ends it wins. A stop of what is not executing ends it at once, on the caller's thread; a stop of what is
/// executing cancels the task and starts the grace period.
package final class OperationCore: Sendable {
    package let name: String
    package let path: [String]
    /// The names from the root down to it, the root included.
    let publisherPath: [String]
    /// All that applies to it, without the edges: those are released when it is over.
    let settings: AOperationSettings
    let submittedAt: Timestamp
    /// The clock's `uptime` at that time; nil when it was submitted before it was made.
    private let submittedUptime: Duration?
    /// Keys that an ancestor holds: this one need not take them again.
    let inheritedKeys: Set<String>
    let queue: QueueCore
    let feed: EventFeed
    package let parts: Mutex<OperationParts>

    /// The operation's own code with the output's type hidden.
    struct Work: Sendable {
        /// Runs one attempt and leaves the output in its box.
        let run: @Sendable (AOperationContext) async throws -> Void
        /// The output in the box, for the journal.
        let captured: @Sendable () -> OperationResult?
        /// Puts the output of an earlier run into the box.
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
        parts = Mutex(OperationParts(edges: settings.edges, work: work, at: now))
        feed = EventFeed(observers: settings.observers)
    }

    /// The place of an operation in its tree.
    struct Place: Sendable {
        let path: [String]
        let publisherPath: [String]
        let heldKeys: Set<String>
    }

    /// The world that its queue gives it. Large: not kept once more by each operation.
    package var environment: AOperationEnvironment { queue.environment }
    package var state: OperationState { parts.withLock { $0.life.state } }
    package var ending: OperationEnding? { parts.withLock { $0.life.ending } }
    /// Its dependencies; empty when it is over.
    var edges: [AOperationSettings.Edge] { parts.withLock { $0.links.edges } }
    /// Its own code; nil when it is over.
    var work: Work? { parts.withLock { $0.work } }

    var info: AOperationInfo { AOperationInfo(self) }

    /// The end of a time that began with its submission.
    func end(afterSubmission duration: Duration) -> WaitEnd {
        environment.clock.end(of: duration, since: submittedAt, uptime: submittedUptime)
    }

    func note(exchange: HTTPCallExchange, status: Int?) {
        parts.withLock { $0.attempt.note(exchange, status: status) }
    }

    /// Keeps a note for the rest of this run.
    func keep(_ value: JSONValue, as name: String) { parts.withLock { $0.notes.values[name] = value } }

    /// A note of this run or an earlier one.
    func kept(_ name: String) -> JSONValue? {
        parts.withLock { $0.notes.values[name] } ?? environment.journal?.history(of: path)?.notes[name]
    }

    // MARK: Being added

    /// Makes `child` part of this subtree. Children that are over are forgotten from time to time.
    func adopt(_ child: OperationCore) {
        let (isSuspended, children) = parts.withLock { parts -> (Bool, [OperationCore]?) in
            if parts.life.isSuspended { return (true, nil) }
            return (false, parts.life.state == .finished ? nil : parts.links.adopt(child))
        }
        if isSuspended { return child.suspend() }
        guard let children else { return }
        let over = Set(children.filter { $0.ending != nil }.map { ObjectIdentifier($0) })
        parts.withLock { $0.links.forget(over) }
    }

    /// Runs after `other`, too. Only before it is put on its queue.
    func follow(_ other: OperationCore, _ requirement: AOperationSettings.Requirement) {
        parts.withLock { parts in
            guard parts.life.state == .initialized else { return }
            parts.links.edges.append(.init(core: other, requirement: requirement))
        }
    }

    /// Waits for one more thing, which `dependencyFinished` says has come. Only before it is put on its queue.
    func waitForTurn() { parts.withLock { _ = $0.life.apply(.dependencyAdded) } }

    /// Ends it as failed without having executed it.
    func refuse(_ error: AOperationError) {
        guard claimEnd() else { return }
        finish(OperationEnding(state: .failed, errors: [stamp(error)]))
    }

    /// Puts it on its queue: it begins as soon as everything it depends on is finished.
    func enqueue() {
        let edges = parts.withLock { parts -> [AOperationSettings.Edge]? in
            let edges = parts.links.edges
            return parts.life.accepts(.enqueued(dependencies: edges.count, isHeld: settings.isHeld))
                ? edges : nil
        }
        guard let edges else { return }
        raise(.submitted)
        interruptedAttempt.note()
        if !edges.isEmpty, feed.isObserved() {
            let names = edges.filter { $0.core.ending == nil }.map(\.core.name)
            if !names.isEmpty { raise(.waiting(.dependencies(names))) }
        }
        clocks.armDeadline()
        clocks.armTimeoutAgain()
        for edge in edges where !edge.core.addDependant(self) { dependencyFinished() }
        dependencyFinished()
    }

    private func addDependant(_ dependant: OperationCore) -> Bool {
        parts.withLock { parts in
            guard parts.life.state != .finished else { return false }
            parts.links.dependants.append(dependant)
            return true
        }
    }

    /// One of the things that it waits for came: the last of them lets it begin.
    func dependencyFinished() {
        if case .begin = parts.withLock({ $0.life.apply(.dependencyMet) }) { queue.begin(self) }
    }

    /// Starts the task that drives it. Called by the queue, once.
    func begin() {
        // An operation that is added inside of another one's work is not part of that work.
        let task = Self.current == nil ? drivingTask() : Self.$current.withValue(nil) { drivingTask() }
        // The task may have begun already, and a stop before this had nothing to cancel.
        let mustStop = parts.withLock { parts -> Bool in
            if parts.life.state == .finished { return true }
            parts.tasks.driver = task
            return parts.life.stop != nil || parts.life.isSuspended
        }
        if mustStop { task.cancel() }
    }

    private func drivingTask() -> Task<Void, Never> {
        Task(executorPreference: environment.executor) { await self.drive() }
    }

    // MARK: Ending

    /// Claims the right to end it; false when something else already did.
    func claimEnd() -> Bool { parts.withLock { $0.life.accepts(.ends) } }

    /// Makes the outcome known everywhere: frees what it held, wakes those that wait. Only after `claimEnd`.
    func finish(_ ending: OperationEnding) {
        scope?.dismiss(because: ending)
        queue.delegate?.queue(queue.name, willFinish: info, as: ending)
        if let unique = settings.unique { environment.uniqueness.release(unique.key, by: self) }
        let left = parts.withLock { $0.close(ending) }
        left.releaseWaiter?.resume()
        for clock in left.clocks { clock.cancel() }
        if left.holdsSlot { queue.slots.release(by: self) }
        if left.reservesSlot { queue.slots.cancelReservation(of: self) }
        // The keys of a suspended run stay its own until it comes back.
        if !left.isSuspended {
            keys.giveBack(left.keys)
            keys.giveBackInside()
        }
        feed.raise({ .finished(ending) }, of: self, isLast: true)
        for hook in left.hooks { hook(ending) }
        for waiter in parts.withLock({ $0.listeners.release() }) { waiter.resume(returning: ending) }
        for dependant in left.links.dependants { dependant.dependencyFinished() }
        queue.remove(self)
        queue.delegate?.queue(queue.name, didFinish: info, as: ending)
        if !path.isEmpty { environment.supervisor?.operationBecameIdle() }
    }

    /// Calls `hook` when it is finished; at once when it already is.
    package func whenFinished(_ hook: @escaping @Sendable (OperationEnding) -> Void) {
        let ending = parts.withLock { parts -> OperationEnding? in
            if parts.life.state != .finished { parts.listeners.add(hook) }
            return parts.life.ending
        }
        if let ending { hook(ending) }
    }

    /// Its outcome, as soon as its slot and its keys are free for others.
    package func finished() async -> OperationEnding {
        let ticket = parts.withLock { $0.waits.newTicket() }
        let ending = await withCheckedContinuation { wait($0, ticket, endsEarly: false) }
        return ending ?? OperationEnding(state: .cancelled)
    }

    /// The same; nil as soon as the task that waits is cancelled.
    func finishedUnlessCancelled() async -> OperationEnding? {
        let ticket = parts.withLock { $0.waits.newTicket() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, ticket, endsEarly: true) }
        } onCancel: {
            parts.withLock { $0.listeners.remove(ticket) }?.resume(returning: nil)
        }
    }

    private func wait(
        _ continuation: CheckedContinuation<OperationEnding?, Never>, _ ticket: UInt64, endsEarly: Bool
    ) {
        let (isOver, ending) = parts.withLock { parts -> (Bool, OperationEnding?) in
            if parts.listeners.isReleased { return (true, parts.life.ending) }
            if endsEarly, Task.isCancelled { return (true, nil) }
            parts.listeners.add(continuation, ticket)
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
