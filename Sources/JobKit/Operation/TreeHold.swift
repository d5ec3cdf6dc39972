internal import Synchronization

/// Whether a person holds a tree of operations: what is being executed goes on, and nothing further begins.
package final class TreeHold: Sendable {
    private struct Desk {
        var isHeld: Bool
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTicket: UInt64 = 0
        var gaveUp: Set<UInt64> = []
    }

    private let desk: Mutex<Desk>

    /// - Parameter isHeld: whether the tree is held from its beginning.
    package init(isHeld: Bool = false) { desk = Mutex(Desk(isHeld: isHeld)) }

    /// Whether nothing further is to begin. Setting it to false lets all go on that waited for it.
    package var isHeld: Bool {
        get { desk.withLock { $0.isHeld } }
        set {
            desk.withLock { $0.isHeld = newValue }
            if !newValue { lookAgain() }
        }
    }

    /// Has all that wait look again whether it still keeps them.
    func lookAgain() {
        let waiters = desk.withLock { desk -> [CheckedContinuation<Void, Never>] in
            defer { desk.waiters = [:] }
            return Array(desk.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when it may have ended for one that it keeps, or the task was cancelled.
    /// - Parameter keeps: whether it keeps that one, as long as the tree is held.
    func released(_ keeps: () -> Bool) async {
        let ticket = desk.withLock { desk -> UInt64 in
            desk.nextTicket += 1
            return desk.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = desk.withLock { desk -> Bool in
                    guard desk.gaveUp.remove(ticket) == nil, desk.isHeld, keeps() else { return false }
                    desk.waiters[ticket] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            let waiter = desk.withLock { desk -> CheckedContinuation<Void, Never>? in
                if let waiter = desk.waiters.removeValue(forKey: ticket) { return waiter }
                desk.gaveUp.insert(ticket)
                return nil
            }
            waiter?.resume()
        }
        desk.withLock { _ = $0.gaveUp.remove(ticket) }
    }
}
