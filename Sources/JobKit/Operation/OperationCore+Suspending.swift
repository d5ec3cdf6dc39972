internal import Synchronization

/// Taking a tree that only waits out of memory.
extension OperationCore {
    /// Whether nothing in this subtree can go on before some date; that date, `never` when no date helps, or nil when
    /// something can go on.
    func idleUntil() -> Timestamp? {
        let (alarm, isStopping) = standing.withLock { ($0.alarm, $0.stop != nil) }
        guard !isStopping, let date = idleUntilByState() else { return nil }
        return min(date, alarm ?? .never)
    }

    private func idleUntilByState() -> Timestamp? {
        let view = standing.withLock {
            ($0.lifecycle.state, $0.waits, $0.children, $0.unmet, $0.waitsForSlot)
        }
        let (state, waits, children, unmet, waitsForSlot) = view
        if isReleased(waits) { return nil }
        switch state {
        case .executing:
            return waits.isEmpty ? Self.idleUntil(children) : Self.earliest(waits)
        case .evaluatingConditions:
            return conditionsIdleUntil()
        case .initialized, .pending:
            if !waits.isEmpty { return Self.earliest(waits) }
            return unmet > 0 || queue.beginsNothing ? .never : nil
        case .ready: return waitsForSlot || !waits.isEmpty ? .never : nil
        case .finishing, .finished: return nil
        }
    }

    /// Its conditions are idle when each of them waits, itself or for an operation that it needs first.
    private func conditionsIdleUntil() -> Timestamp? {
        let (waits, children, needs, isBusy) = standing.withLock {
            ($0.waits, $0.children, $0.needsOpen, $0.waits.count + $0.needsOpen < $0.conditionsOpen)
        }
        if isBusy || (waits.isEmpty && needs == 0) { return nil }
        guard needs > 0 else { return Self.earliest(waits) }
        return Self.idleUntil(children).map { min($0, Self.earliest(waits)) }
    }

    private static func idleUntil(_ children: [OperationCore]) -> Timestamp? {
        let open = children.filter { $0.state != .finished }
        guard !open.isEmpty else { return nil }
        var earliest = Timestamp.never
        for child in open {
            guard let date = child.idleUntil() else { return nil }
            earliest = min(earliest, date)
        }
        return earliest
    }

    private static func earliest(_ waits: [UInt64: OperationWait]) -> Timestamp {
        waits.values.reduce(.never) { min($0, $1.until ?? .never) }
    }

    /// Whether it waits for a hold that has been released, and its task has not heard of it.
    private func isReleased(_ waits: [UInt64: OperationWait]) -> Bool {
        !environment.hold.isHeld && waits.values.contains { $0.reason == .hold }
    }

    /// All that this subtree waits for just now.
    func allWaits() -> [OperationWait] {
        let (waits, children) = standing.withLock { (Array($0.waits.values), $0.children) }
        return waits + children.flatMap { $0.allWaits() }
    }

    /// Whether its run was suspended before it was over.
    var isSuspended: Bool { standing.withLock { $0.lifecycle.isSuspended } }

    /// Whether its work is to return as soon as it can, whatever it does.
    var mustUnwind: Bool { standing.withLock { $0.stop != nil || $0.lifecycle.isSuspended } }

    /// Takes the subtree out of memory without an outcome: a later run goes on from the journal. None of its
    /// operations goes any further from here on; what waits for them here unwinds.
    func suspend() {
        var subtree: [OperationCore] = []
        markSuspended(&subtree)
        for core in subtree { core.unwind() }
    }

    private func markSuspended(_ subtree: inout [OperationCore]) {
        let children = standing.withLock { standing -> [OperationCore]? in
            standing.lifecycle.apply(.suspend) ? standing.children : nil
        }
        guard let children else { return }
        subtree.append(self)
        for child in children { child.markSuspended(&subtree) }
    }

    /// Ends its tasks; the one that drives it unloads it.
    private func unwind() {
        let (task, watches) = standing.withLock { ($0.task, $0.watches) }
        for watch in watches { watch.cancel() }
        if let task { task.cancel() } else { unload() }
    }

    /// Ends it in memory when its run was suspended.
    func unload() {
        let isUnloaded = standing.withLock { $0.lifecycle.apply(.unload) }
        if isUnloaded { finish(OperationEnding(state: .cancelled)) }
    }
}
