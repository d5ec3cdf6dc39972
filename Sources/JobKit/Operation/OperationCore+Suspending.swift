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
            let open = children.filter { $0.state != .finished }
            guard !open.isEmpty else { return nil }
            var earliest = date
            for child in open {
                guard let date = child.idleUntil() else { return nil }
                earliest = min(earliest, date)
            }
            return earliest
        }
    }

    /// All that this subtree waits for just now.
    package func allWaits() -> [OperationWait] {
        let (waits, children) = parts.withLock { (Array($0.waits.waits.values), $0.links.children) }
        return waits + children.flatMap { $0.allWaits() }
    }

    /// Whether its run was suspended before it was over.
    var isSuspended: Bool { parts.withLock { $0.life.isSuspended } }

    /// Whether its work is to return as soon as it can, whatever it does.
    package var mustUnwind: Bool { parts.withLock { $0.life.stop != nil || $0.life.isSuspended } }

    /// Takes the subtree out of memory without an outcome: a later run goes on from the journal. None of its
    /// operations goes any further from here on; what waits for them here unwinds.
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

    /// Ends its tasks; the one that drives it unloads it.
    private func unwind() {
        let tasks = parts.withLock { $0.tasks }
        for clock in tasks.clocks { clock.cancel() }
        if let driver = tasks.driver { driver.cancel() } else { unload() }
    }

    /// Ends it in memory when its run was suspended.
    func unload() {
        let isUnloaded = parts.withLock { $0.life.accepts(.unloaded) }
        if isUnloaded { finish(OperationEnding(state: .cancelled)) }
    }
}
