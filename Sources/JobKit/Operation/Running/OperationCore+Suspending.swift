internal import Synchronization

/// Taking a tree that only waits out of memory.
extension OperationCore {
    /// Whether nothing in this subtree can go on before some date; that date, `never` when no date helps, or nil when
    /// something can go on.
    package func idleUntil() -> Timestamp? {
        let (isHeld, beginsNothing) = (environment.hold.isHeld, queue.beginsNothing)
        let (idleness, children) = parts.withLock {
            ($0.idleness(isHeld: isHeld, beginsNothing: beginsNothing), $0.links.children)
        }
        switch idleness {
        case .busy: return nil
        case .until(let date): return date
        case .asChildren(let date):
            // Members that their group has not started yet wait for it alone: when no others are open, it is about to.
            let open = children.filter {
                $0.state != .finished && !$0.queue.isSuspended(for: .notStarted)
            }
            guard !open.isEmpty else { return nil }
            var earliest = date
            for child in open {
                guard let date = child.idleUntil() else { return nil }
                earliest = min(earliest, date)
            }
            return earliest
        }
    }

    /// All current waits of this subtree.
    package func allWaits() -> [OperationWait] {
        let (waits, children) = parts.withLock { ($0.waits.waits, $0.links.children) }
        return waits + children.flatMap { $0.allWaits() }
    }

    /// Whether its run was suspended before it was over.
    var isSuspended: Bool { parts.withLock { $0.life.isSuspended } }

    /// Whether its work must return as soon as it can, without an outcome if need be.
    package var mustUnwind: Bool { parts.withLock { $0.life.stop != nil || $0.life.isSuspended } }

    /// Suspends the subtree without an outcome: a later run continues from the journal. None of its operations proceeds
    /// from here on; their waiters unwind.
    package func suspend() {
        var subtree: [OperationCore] = []
        markSuspended(&subtree)
        for core in subtree { core.unwind() }
    }

    private func markSuspended(_ subtree: inout [OperationCore]) {
        let children = parts.withLock { $0.life.accepts(.suspended) ? $0.links.children : nil }
        guard let children else { return }
        subtree.append(self)
        for child in children { child.markSuspended(&subtree) }
    }

    /// Cancels its tasks; the driving one unloads it.
    private func unwind() {
        let (tasks, parking) = parts.withLock { ($0.tasks, $0.tasks.unpark()) }
        for timer in tasks.timers { timer.cancel() }
        parking?.callOff()
        if let driver = tasks.driver { driver.cancel() } else { unload() }
    }

    /// Removes it from memory when its run was suspended.
    func unload() {
        let isUnloaded = parts.withLock { $0.life.accepts(.unloaded) }
        if isUnloaded { finish(OperationEnding(state: .cancelled)) }
    }
}
