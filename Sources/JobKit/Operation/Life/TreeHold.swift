internal import Synchronization

/// The hold of a tree of operations: running operations go on, and no others begin.
package final class TreeHold: Sendable {
    private struct State {
        var isHeld: Bool
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTicket: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }

    private let state: Mutex<State>

    /// - Parameter isHeld: whether the tree is held from its beginning.
    package init(isHeld: Bool = false) { state = Mutex(State(isHeld: isHeld)) }

    /// Whether nothing further is to begin. Setting it to false lets all go on that waited for it.
    package var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set {
            state.withLock { $0.isHeld = newValue }
            if !newValue { lookAgain() }
        }
    }

    /// Makes all waiters check again whether the hold still applies to them.
    func lookAgain() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the hold may have ended for a waiter, or the task was cancelled.
    /// - Parameter keeps: whether the hold applies to the waiter, as long as the tree is held.
    func released(_ keeps: () -> Bool) async {
        let ticket = state.withLock { state -> UInt64 in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state -> Bool in
                    guard state.cancelled.remove(ticket) == nil, state.isHeld, keeps() else { return false }
                    state.waiters[ticket] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if let waiter = state.waiters.removeValue(forKey: ticket) { return waiter }
                state.cancelled.insert(ticket)
                return nil
            }
            waiter?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
    }
}
