internal import StrictJSON
internal import Synchronization

/// The mutable state of an operation, in independent parts.
package struct OperationParts {
    var life: OperationLife
    package var links: OperationLinks
    /// The work; released at the end, with everything that it retains.
    var work: OperationCore.Work?
    /// Released at the end, too.
    var baggage: OperationBaggage?
    /// The members, when it is a group that is not over.
    var scope: GroupScope?
    var waits = WaitList()
    var slot = SlotState()
    /// The exclusive keys that it holds.
    var keys: Set<ByteKey> = []
    var attempt = AttemptFacts()
    var tasks = OperationTasks()
    var listeners = EndListeners()
    var releaseWaiter: CheckedContinuation<Void, Never>?
    var notes = RunNotes()
    var hookErrors: [AOperationError] = []

    init(
        edges: [OperationSettings.Edge], work: OperationCore.Work, _ baggage: OperationBaggage? = nil,
        at now: Timestamp
    ) {
        life = OperationLife(at: now)
        links = OperationLinks(edges: edges)
        self.work = work
        self.baggage = baggage
    }

    /// The work left after the end.
    struct Remains {
        let isSuspended: Bool
        let releaseWaiter: CheckedContinuation<Void, Never>?
        let timers: [OperationTasks.Timer]
        let parking: Parking?
        let holdsSlot: Bool
        let reservesSlot: Bool
        let keys: Set<ByteKey>
        let hooks: [@Sendable (OperationEnding) -> Void]
        let links: OperationLinks
        // Only held until no lock is held any more.
        let work: OperationCore.Work?
        let baggage: OperationBaggage?
        let scope: GroupScope?
    }

    /// Closes it: releases everything that it retained.
    mutating func close(_ ending: OperationEnding) -> Remains {
        let remains = Remains(
            isSuspended: life.isSuspended, releaseWaiter: releaseWaiter, timers: tasks.end(),
            parking: tasks.unpark(),
            holdsSlot: slot.giveBack(), reservesSlot: slot.isReserved || slot.leavePlace(), keys: keys,
            hooks: listeners.takeHooks(), links: links, work: work, baggage: baggage, scope: scope)
        _ = life.finish(ending)
        links.removeAll()
        work = nil
        baggage = nil
        scope = nil
        releaseWaiter = nil
        keys = []
        waits.endAll()
        return remains
    }

    /// Whether nothing of it can go on before some date.
    enum Idleness {
        case busy
        /// Waits for this date, or an external event.
        case until(Timestamp)
        /// Idle as long as all inner operations are, and at most until this date.
        case asChildren(until: Timestamp)
    }

    /// - Parameters:
    ///   - isHeld: whether a person holds its tree.
    ///   - beginsNothing: whether its queue is suspended.
    func idleness(isHeld: Bool, beginsNothing: Bool) -> Idleness {
        // A stopping operation is busy, and so is one that was released, even before its task learns of it.
        if life.stop != nil || !isHeld && waits.isForRelease { return .busy }
        let earliest = min(waits.earliest, tasks.alarm ?? .never)
        switch life.state {
        case .executing where attempt.keepsItsRun: return .busy
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
