internal import Synchronization

/// From "its conditions hold" into execution.
extension OperationCore {
    // DESIGN
    // Keys come first, so that nobody keeps a place from others while it waits for a key. But who has keys waits for
    // no place either: whoever has the place may wait for the keys, as a member of a group that is one of its siblings.
    // It gives them back and stands in line for a place that it takes together with the keys, or not at all: when the
    // keys are not free in that moment, it stands in line for them once more. So whoever waits here has nothing that
    // others wait for, and those who have places are executed. Who goes from one line to the other does so because
    // somebody else was executed; nobody goes round and round for nothing.

    /// Takes keys and a place and enters execution; false when it ended meanwhile. Whoever is held, or stands on a
    /// suspended queue, keeps neither from others.
    func enterExecution() async -> Bool {
        while true {
            await waitForRelease()
            guard await passHoldOutside(), await takeKeys() else { return false }
            let keys = standing.withLock { $0.heldKeys }
            var answer = await takeSlot(waits: keys.isEmpty)
            let hadToWait = answer == .busy
            if hadToWait {
                giveBackKeysEarly()
                answer = await takeSlot(waits: true, with: keys)
            }
            if answer == .busy { continue }
            guard answer == .taken else { return false }
            let now = environment.clock.now
            let mustWait = isHeldOutside || hadToWait && queue.slots.isSuspended
            let isHeld = standing.withLock { standing -> Bool? in
                if standing.isSettled { return nil }
                if mustWait || standing.isHeld { return true }
                standing.since = now
                return standing.lifecycle.apply(.execute) ? false : nil
            }
            guard isHeld == true else { return isHeld == false }
            giveBackSlotEarly()
            giveBackKeysEarly()
        }
    }

    /// Takes a place, and `keys` together with it.
    private func takeSlot(waits: Bool, with keys: Set<String> = []) async -> SlotPool.Answer {
        standing.withLock { $0.waitsForSlot = true }
        // Standing in line, too, may be what leaves nothing of the tree that can go on.
        if waits, queue.slots.capacity != nil { environment.supervisor?.operationBecameIdle() }
        let takesKeys = keys.isEmpty ? nil : taking(keys)
        // From the moment in which the place is its own it is not quiet any more, though its task has not heard of it.
        let answer = await queue.slots.take(priority: settings.priority, who: self, waits: waits) {
            self.standing.withLock { $0.waitsForSlot = false }
            return takesKeys?() ?? true
        }
        let isKept = standing.withLock { standing -> Bool in
            standing.waitsForSlot = false
            guard answer == .taken, standing.lifecycle.state == .ready else { return false }
            standing.holdsSlot = true
            return true
        }
        guard answer == .taken else { return answer }
        let hasKeys = keys.isEmpty ? true : await keepKeys(keys)
        if isKept { return hasKeys ? .taken : .cancelled }
        queue.slots.giveBack(from: self)
        return .cancelled
    }

    /// Has a place kept for it when it has begun in an earlier run and is not over: it had a place then, and others
    /// must not run in it meanwhile. They might even wait for keys that it has. Before it is put on its queue.
    func keepSlot() {
        guard queue.slots.capacity != nil, let history = environment.journal?.history(of: path),
            history.startedAt != nil, history.ending == nil
        else { return }
        queue.slots.keep(for: self)
        standing.withLock { $0.keepsSlot = true }
    }

    /// A place that was kept for it is kept on.
    private func giveBackSlotEarly() {
        let (holdsSlot, keepsSlot) = standing.withLock { standing -> (Bool, Bool) in
            defer { standing.holdsSlot = false }
            return (standing.holdsSlot, standing.keepsSlot)
        }
        if holdsSlot { queue.slots.giveBack(from: self, isKept: keepsSlot) }
    }

    private func giveBackKeysEarly() {
        let keys = standing.withLock { standing -> Set<String> in
            if standing.lifecycle.isSuspended { return [] }
            defer { standing.heldKeys = [] }
            return standing.heldKeys
        }
        if !keys.isEmpty { giveBackKeys(keys) }
    }

    // MARK: Being held

    /// Keeps it from being executed until it is released; false when it is too late for that.
    func hold() -> Bool {
        standing.withLock { standing in
            switch standing.lifecycle.state {
            case .executing, .finishing, .finished: return false
            case .pending where standing.unmet > 0 && !standing.isHeld: standing.unmet += 1
            default: break
            }
            standing.isHeld = true
            return true
        }
    }

    /// Lets it go on; false when it was not held.
    func release() -> Bool {
        let (wasHeld, isWaiting, waiter) = standing.withLock {
            standing -> (Bool, Bool, CheckedContinuation<Void, Never>?) in
            guard standing.isHeld else { return (false, false, nil) }
            standing.isHeld = false
            defer { standing.releaseWaiter = nil }
            return (true, standing.lifecycle.state == .pending && standing.unmet > 0, standing.releaseWaiter)
        }
        if isWaiting { dependencyFinished() }
        waiter?.resume()
        return wasHeld
    }

    private func waitForRelease() async {
        guard standing.withLock({ $0.isHeld }) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isHeld = standing.withLock { standing -> Bool in
                    guard standing.isHeld, standing.ending == nil, !Task.isCancelled else { return false }
                    standing.releaseWaiter = continuation
                    return true
                }
                if !isHeld { continuation.resume() }
            }
        } onCancel: {
            let waiter = standing.withLock { standing -> CheckedContinuation<Void, Never>? in
                defer { standing.releaseWaiter = nil }
                return standing.releaseWaiter
            }
            waiter?.resume()
        }
    }

    // MARK: Before it is enqueued

    /// Makes `child` part of this subtree. Children that are over are forgotten from time to time.
    func adopt(_ child: OperationCore) {
        let (isSuspended, children) = standing.withLock { standing -> (Bool, [OperationCore]?) in
            if standing.lifecycle.isSuspended { return (true, nil) }
            guard standing.ending == nil else { return (false, nil) }
            standing.children.append(child)
            return (false, standing.children.count >= standing.childrenSweep ? standing.children : nil)
        }
        if isSuspended { return child.suspend() }
        guard let children else { return }
        let over = Set(children.filter { $0.ending != nil }.map { ObjectIdentifier($0) })
        standing.withLock { standing in
            standing.children.removeAll { over.contains(ObjectIdentifier($0)) }
            standing.childrenSweep = max(64, standing.children.count * 2)
        }
    }

    /// Runs after `other`, too. Only before it is put on its queue.
    func follow(_ other: OperationCore, _ requirement: AOperationSettings.Requirement) {
        standing.withLock { standing in
            guard standing.lifecycle.state == .initialized else { return }
            standing.edges.append(.init(core: other, requirement: requirement))
        }
    }

    /// Waits for one more thing, which `dependencyFinished` says has come. Only before it is put on its queue.
    func waitForTurn() { standing.withLock { $0.unmet += 1 } }

    /// Ends it as failed without having executed it.
    func refuse(_ error: AOperationError) {
        guard claimEnd() else { return }
        finish(OperationEnding(state: .failed, errors: [stamp(error)]))
    }
}
