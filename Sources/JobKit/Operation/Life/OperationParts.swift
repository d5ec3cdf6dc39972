internal import Synchronization

/// All that changes about an operation, in parts that know nothing of each other.
package struct OperationParts {
    var life: OperationLife
    package var links: OperationLinks
    /// Its own code; released when it is over, with all that it holds on to.
    var work: OperationCore.Work?
    /// The members, when it is a group that is not over.
    var scope: GroupScope?
    var waits = WaitList()
    var slot = SlotState()
    /// The exclusive keys that it holds.
    var keys: Set<String> = []
    var attempt = AttemptFacts()
    var tasks = OperationTasks()
    var listeners = EndListeners()
    var releaseWaiter: CheckedContinuation<Void, Never>?
    var notes = RunNotes()
    var hookErrors: [AOperationError] = []

    init(edges: [AOperationSettings.Edge], work: OperationCore.Work, at now: Timestamp) {
        life = OperationLife(at: now)
        links = OperationLinks(edges: edges)
        self.work = work
    }

    /// All that is left to do when it is over.
    struct Remains {
        let isSuspended: Bool
        let releaseWaiter: CheckedContinuation<Void, Never>?
        let clocks: [Task<Void, Never>]
        let holdsSlot: Bool
        let reservesSlot: Bool
        let keys: Set<String>
        let hooks: [@Sendable (OperationEnding) -> Void]
        let links: OperationLinks
        // Only held until no lock is held any more.
        let work: OperationCore.Work?
        let scope: GroupScope?
    }

    /// It is over: releases everything that it held on to.
    mutating func close(_ ending: OperationEnding) -> Remains {
        let remains = Remains(
            isSuspended: life.isSuspended, releaseWaiter: releaseWaiter, clocks: tasks.end(),
            holdsSlot: slot.giveBack(), reservesSlot: slot.isReserved, keys: keys,
            hooks: listeners.takeHooks(), links: links, work: work, scope: scope)
        _ = life.finish(ending)
        links.removeAll()
        work = nil
        scope = nil
        releaseWaiter = nil
        keys = []
        waits.endAll()
        return remains
    }

    /// Whether nothing of it can go on before some date.
    enum Idleness {
        case busy
        /// Nothing but this date ends the wait, or something from outside.
        case until(Timestamp)
        /// As long as everything inside of it is idle, and at most until this date.
        case asChildren(until: Timestamp)
    }

    /// - Parameters:
    ///   - isHeld: whether a person holds its tree.
    ///   - beginsNothing: whether its queue is suspended.
    func idleness(isHeld: Bool, beginsNothing: Bool) -> Idleness {
        // One that is being stopped has something to do; and so has one that was released, though its task has not
        // heard of that yet.
        if life.stop != nil || !isHeld && waits.isForRelease { return .busy }
        let earliest = min(waits.earliest, tasks.alarm ?? .never)
        switch life.state {
        case .executing: return waits.isEmpty ? .asChildren(until: earliest) : .until(earliest)
        case .evaluatingConditions:
            let open = life.conditions
            if waits.count + open.needing < open.unanswered || waits.isEmpty && open.needing == 0 {
                return .busy
            }
            return open.needing > 0 ? .asChildren(until: earliest) : .until(earliest)
        case .initialized, .pending:
            return !waits.isEmpty || life.waitsForOthers || beginsNothing ? .until(earliest) : .busy
        case .ready: return slot.isWaiting || !waits.isEmpty ? .until(tasks.alarm ?? .never) : .busy
        case .finishing, .finished: return .busy
        }
    }
}
