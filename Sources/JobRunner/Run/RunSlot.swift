internal import JobStore
internal import Synchronization

/// The slot of one run, which has none while its work waits for others, and at its end.
struct RunSlot {
    private var isHeld = true
    private var isOver = false
    /// The number of waits that its work is in.
    private var awaits = 0

    /// Whether others may use it, and the run takes one again.
    var isLent: Bool { !isHeld && !isOver }

    /// A wait begins.
    /// - Returns: whether the slot is free for others from now on.
    mutating func beginsToAwait() -> Bool {
        awaits += 1
        if isOver { return false }
        defer { isHeld = false }
        return isHeld
    }

    /// A wait is over.
    /// - Returns: whether the work needs a slot again.
    mutating func hasAwaited() -> Bool {
        awaits -= 1
        return awaits == 0 && isLent
    }

    /// There is a slot for it again.
    /// - Returns: false when it does not need it any more.
    mutating func takeAgain() -> Bool {
        guard isLent else { return false }
        isHeld = true
        return true
    }

    /// The run has no use for a slot any more.
    /// - Returns: whether it holds one.
    mutating func end() -> Bool {
        isOver = true
        defer { isHeld = false }
        return isHeld
    }
}

extension JobRun {
    private var tenant: Tenant? { claim.record.tenant }

    /// Work of the tree begins to wait for another job, or for an operation outside of it: the run gives its slot away
    /// meanwhile. Otherwise it could be the slot that this other needs.
    func workBeganToAwait() {
        guard state.withLock({ $0.slot.beginsToAwait() }) else { return }
        host.slots.giveBack(of: tenant)
        host.lent(true)
    }

    /// Its work goes on as soon as the run has a slot again.
    func workAwaited() async {
        guard state.withLock({ $0.slot.hasAwaited() }) else { return }
        await host.slots.takeAgain(for: tenant)
        let needsIt = state.withLock { $0.slot.takeAgain() }
        if needsIt { host.lent(false) } else { host.slots.giveBack(of: tenant) }
    }

    /// The end of its work.
    /// - Returns: whether it gives a slot back.
    func endsSlot() -> Bool {
        let (isHeld, wasLent) = state.withLock { state -> (Bool, Bool) in
            let wasLent = state.slot.isLent
            return (state.slot.end(), wasLent)
        }
        if wasLent { host.lent(false) }
        return isHeld
    }
}
