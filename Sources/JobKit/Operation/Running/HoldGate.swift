internal import Synchronization

/// The holds that keep an operation from going on: that of a person on the whole tree, and its own.
struct HoldGate {
    let core: OperationCore

    /// Whether the tree is held, and with it this operation. Final work of a cancelled operation is not held.
    private var isClosed: Bool { core.environment.hold.isHeld && !isInsideOfStopped }

    /// Whether it is kept from execution. An operation that was executed in an earlier run goes on when it has inner
    /// operations, which are held individually, or when it only waits: their timers go on.
    var isClosedToEntry: Bool { isClosed && !wasEntered }

    private var wasEntered: Bool { core.settings.isEnteredAgain && core.begunAt != nil }

    private var isInsideOfStopped: Bool {
        var next = core.queue.parent
        while let outer = next {
            if outer.isStopRequested { return true }
            next = outer.queue.parent
        }
        return false
    }

    /// Waits before its execution while the tree is held; false when it ended meanwhile or its run was suspended.
    func passToEntry() async -> Bool { wasEntered ? true : await pass() }

    /// Waits while the tree is held; false when it ended meanwhile or its run was suspended.
    func pass() async -> Bool {
        while isClosed {
            core.entry.leavePlace()
            let ticket = core.parts.withLock { $0.waits.begin(OperationWait(reason: .hold)) }
            defer { core.endWait(ticket) }
            core.environment.supervisor?.waitBegan(until: .never)
            await core.environment.hold.released { !isInsideOfStopped }
            if Task.isCancelled { return false }
        }
        return true
    }

    // MARK: Its own hold

    /// Prevents the execution until it is released; false when it is too late.
    func hold() -> Bool { core.parts.withLock { $0.life.accepts(.held) } }

    /// Releases it; false when it was not held.
    func release() -> Bool {
        let (action, waiter) = core.parts.withLock { parts in
            let action = parts.life.apply(.released)
            defer { parts.releaseWaiter = nil }
            return (action, parts.releaseWaiter)
        }
        switch action {
        case .refuse: return false
        case .begin: core.queue.begin(core)
        default: waiter?.resume()
        }
        return true
    }

    /// Returns when it is not held, or its task was cancelled.
    func waitForRelease() async {
        guard core.parts.withLock({ $0.life.isHeld }) else { return }
        core.entry.leavePlace()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isHeld = core.parts.withLock { parts -> Bool in
                    guard parts.life.isHeld, parts.life.state != .finished, !Task.isCancelled else {
                        return false
                    }
                    parts.releaseWaiter = continuation
                    return true
                }
                if !isHeld { continuation.resume() }
            }
        } onCancel: {
            let waiter = core.parts.withLock { parts -> CheckedContinuation<Void, Never>? in
                defer { parts.releaseWaiter = nil }
                return parts.releaseWaiter
            }
            waiter?.resume()
        }
    }
}

extension OperationCore {
    var holdGate: HoldGate { HoldGate(core: self) }
}
