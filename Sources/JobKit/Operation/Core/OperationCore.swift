internal import HTTPMessage
package import StrictJSON
package import Synchronization

/// One operation on a queue, without its output's type.
///
/// DESIGN. Its life is a value (`OperationLife`), and so is the rest of its mutable state (`OperationParts`). Each part
/// is driven by a small type: attempts, origins, keys, slots, timers, hooks.
///
/// An operation that waits for others has no task: an operation that finishes counts down its dependants, and the last
/// one starts them. From then on one task drives it through its states (`drive`), except while it is parked
/// (`Parking`), and it ends once: the first event that ends it wins. A stop of an operation that is not executing ends
/// it immediately, on the caller's thread; a stop of an executing one cancels the task and starts the grace period.
package final class OperationCore: Sendable {
    package let name: String
    package let path: [String]
    /// The names from the root down to it, the root included.
    let publisherPath: [String]
    /// The settings, without the edges: those are released at the end.
    let settings: OperationSettings
    let submittedAt: Timestamp
    /// The clock's `uptime` at that time; nil when it was submitted before it was created.
    private let submittedUptime: Duration?
    /// Of a prerequisite: the keys that the operation with the condition holds meanwhile, see `ExclusiveKeys.wanted`.
    let outerKeys: [ByteKey: ExclusionOwner]
    let queue: QueueCore
    let feed: EventFeed
    package let parts: Mutex<OperationParts>

    /// The operation's own code with the output's type hidden.
    struct Work: Sendable {
        /// Runs one attempt and leaves the output in its box.
        let run: @Sendable (OperationContext) async throws -> Void
        /// The end of the wait with which each attempt begins; nil when it begins with something else.
        var lull: (@Sendable (OperationContext) -> WaitEnd)?
        /// The output in the box, for the journal.
        let captured: @Sendable () -> OperationResult?
        /// Restores the output of an earlier run.
        let restore: @Sendable (OperationResult) -> Void
    }

    init(name: String, place: Place, settings: OperationSettings, queue: QueueCore, work: Work) {
        self.name = name
        path = place.path
        publisherPath = place.publisherPath
        outerKeys = place.outerKeys
        var own = settings
        (own.edges, own.observers, own.producer) = ([], [], nil)
        let baggage = OperationBaggage(from: &own)
        self.settings = own
        self.queue = queue
        let clock = queue.environment.clock
        let now = clock.now
        submittedAt = queue.environment.submittedAt ?? now
        submittedUptime = queue.environment.submittedAt == nil ? clock.uptime : nil
        parts = Mutex(OperationParts(edges: settings.edges, work: work, baggage, at: now))
        feed = EventFeed(observers: settings.observers)
    }

    /// The position of an operation in its tree.
    struct Place: Sendable {
        let path: [String]
        let publisherPath: [String]
        var outerKeys: [ByteKey: ExclusionOwner] = [:]
    }

    /// The environment of its queue. Large, and therefore not copied into each operation.
    package var environment: OperationEnvironment { queue.environment }
    package var state: OperationState { parts.withLock { $0.life.state } }
    package var ending: OperationEnding? { parts.withLock { $0.life.ending } }
    /// The dependencies; empty after the end.
    var edges: [OperationSettings.Edge] { parts.withLock { $0.links.edges } }
    /// The work; nil after the end.
    var work: Work? { parts.withLock { $0.work } }

    var info: OperationInfo { OperationInfo(self) }

    /// The end of a time that began with its submission.
    func end(afterSubmission duration: Duration) -> WaitEnd {
        environment.clock.end(of: duration, since: submittedAt, uptime: submittedUptime)
    }

    /// The ends of a moment, of which the earlier one counts.
    func ends(of moment: OperationSettings.Moment) -> [WaitEnd] {
        [moment.date.map { WaitEnd($0) }, moment.sinceSubmission.map { end(afterSubmission: $0) }].compactMap
        { $0 }
    }

    func note(exchange: HTTPCallExchange, status: Int?) {
        parts.withLock { $0.attempt.note(exchange, status: status) }
    }

    /// Stores a note for the rest of this run.
    func keep(_ value: JSONValue, as name: String) { parts.withLock { $0.notes.values[name] = value } }

    /// A note of this run or an earlier one.
    package func kept(_ name: String) -> JSONValue? {
        parts.withLock { $0.notes.values[name] } ?? environment.journal?.history(of: path)?.notes[name]
    }

    // MARK: Being added

    /// Adds `child` to this subtree. Children that are over are removed from time to time.
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
    func follow(_ other: OperationCore, _ requirement: OperationSettings.Requirement) {
        parts.withLock { parts in
            guard parts.life.state == .initialized else { return }
            parts.links.edges.append(.init(core: other, requirement: requirement))
        }
    }

    /// Adds a dependency, which `dependencyFinished` meets. Only before the operation is enqueued.
    func waitForTurn() { parts.withLock { _ = $0.life.apply(.dependencyAdded) } }

    /// Ends it as failed before its execution.
    func refuse(_ error: AOperationError) {
        guard claimEnd() else { return }
        finish(OperationEnding(state: .failed, errors: [stamp(error)]))
    }

    /// Adds it to its queue: it begins as soon as all its dependencies have finished.
    func enqueue() {
        let edges = parts.withLock { parts -> [OperationSettings.Edge]? in
            let edges = parts.links.edges
            return parts.life.accepts(.enqueued(dependencies: edges.count, isHeld: settings.isHeld))
                ? edges : nil
        }
        guard let edges else { return }
        if queue.parent != nil, WaitGraph.beginsAfterOthers(self, edges) {
            if let refusal = WaitGraph.refusal(of: self) { return refuse(refusal) }
            loan.lendOuterSlots()
        }
        raise(.submitted)
        interruptedAttempt.note()
        if !edges.isEmpty, feed.isObserved() {
            let names = edges.filter { $0.core.ending == nil }.map(\.core.name)
            if !names.isEmpty { raise(.waiting(.dependencies(names))) }
        }
        clocks.armStart()
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

    /// Counts down the open dependencies: the last one starts the operation.
    func dependencyFinished() {
        if case .begin = parts.withLock({ $0.life.apply(.dependencyMet) }) { queue.begin(self) }
    }

    /// Starts the task that drives it. Called by the queue, once.
    func begin() {
        entry.keepPlace()
        // An operation that is added inside another one's work is not part of that work.
        let task = Self.current == nil ? drivingTask() : Self.$current.withValue(nil) { drivingTask() }
        drive(task, after: 0)
    }

    /// Keeps the task that drives it since it was parked for so many times.
    func drive(_ task: Task<Void, Never>, after parkings: UInt32) {
        // The task may have begun already, and a stop before this had nothing to cancel.
        let mustStop = parts.withLock { parts -> Bool in
            if parts.life.state == .finished { return true }
            parts.tasks.drive(task, after: parkings)
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

    /// Publishes the outcome: releases its resources, resumes its waiters. Only after `claimEnd`.
    func finish(_ ending: OperationEnding) {
        scope?.dismiss(because: ending)
        queue.delegate?.queue(queue.name, willFinish: info, as: ending)
        if let unique = settings.unique { environment.uniqueness.release(unique.key, by: self) }
        let left = parts.withLock { $0.close(ending) }
        left.releaseWaiter?.resume()
        for timer in left.timers { timer.cancel() }
        left.parking?.callOff()
        if left.holdsSlot { queue.slots.release(by: self) }
        if left.reservesSlot { queue.slots.cancelReservation(of: self) }
        // A suspended run keeps its keys until it is resumed.
        if !left.isSuspended {
            keys.giveBack(left.keys, namedBy: left.baggage?.conditions ?? [])
            keys.giveBackInside()
        }
        feed.raise({ .finished(ending) }, of: self, isLast: true)
        for hook in left.hooks { hook(ending) }
        for waiter in parts.withLock({ $0.listeners.release() }) { waiter.resume(returning: ending) }
        for dependant in left.links.dependants { dependant.dependencyFinished() }
        queue.remove(self)
        if queue.hasWaits.load(ordering: .relaxed) { queue.parent?.loan.lendWhenAllWaits() }
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

    /// The outcome, once its slot and its keys are free for others.
    package func waitUntilFinished() async -> OperationEnding {
        let ticket = parts.withLock { $0.waits.newTicket() }
        let ending = await withCheckedContinuation { wait($0, ticket, endsEarly: false) }
        return ending ?? OperationEnding(state: .cancelled)
    }

    /// The outcome; nil as soon as the waiting task is cancelled.
    func waitUntilFinishedOrCancelled() async -> OperationEnding? {
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

    /// Completes the origin of an error; existing members are kept, after redaction.
    func stamp(_ error: AOperationError) -> AOperationError {
        var error = environment.scrubber.scrubbed(error)
        if error.publisher == nil { error.publisher = name }
        if error.path.isEmpty { error.path = publisherPath }
        if error.at == nil { error.at = environment.clock.now }
        return error
    }
}
