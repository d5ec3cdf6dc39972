package import StrictJSON
internal import Synchronization

// DESIGN
// A key has at most one holder; an owner that requests keys that are not free waits in line. Holders and waiters are
// owners, not tasks: a durable tree may leave memory while it holds keys or waits for them. Then it stays in line,
// without a continuation, and when its turn comes it owns the keys and `onGrant` is called, which resumes the tree. The
// tree requests the keys again and finds that it holds them.

/// The exclusive keys and their holders. Keys are taken all at once, first come first served: an owner in line for a
/// key keeps later ones from overtaking on that key, and on no other. Keys are equal when their bytes are.
public final class ExclusionRegistry: Sendable {
    private struct Desk {
        var board = ExclusionBoard()
        /// The tasks of those in line, by ticket; none for those whose tree is out of memory.
        var tasks: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastTicket: UInt64 = 0
        /// Tickets that were cancelled before they came into line.
        var cancelled: Set<UInt64> = []
        var onGrant: (@Sendable (ExclusionOwner) -> Void)?
    }

    private let desk = Mutex(Desk())

    /// No key is held.
    public init() {}

    /// Calls `hook` when an owner whose tree is out of memory got its keys. On any thread.
    package func onGrant(_ hook: @escaping @Sendable (ExclusionOwner) -> Void) {
        desk.withLock { $0.onGrant = hook }
    }

    /// Whether no key is held or waited for.
    package var isIdle: Bool { desk.withLock { $0.board.isIdle } }

    /// The holder of `key`; nil when it is free.
    public func holder(of key: String) -> ExclusionOwner? {
        desk.withLock { $0.board.holder(of: ByteKey(key)) }
    }

    /// The number of owners in line before `owner` for one of its keys; nil when it does not wait.
    public func position(of owner: ExclusionOwner) -> Int? { desk.withLock { $0.board.position(of: owner) } }

    /// The first holder of a key that `owner` waits for; nil when it does not wait.
    package func holder(before owner: ExclusionOwner) -> ExclusionOwner? {
        desk.withLock { $0.board.holder(before: owner) }
    }

    /// Returns a key to the `owner` that had it before a restart.
    package func restore(_ key: String, to owner: ExclusionOwner) {
        desk.withLock { $0.board.restore(ByteKey(key), to: owner) }
    }

    /// Takes all `keys` when they are free, or already held by `owner`, and none of them has waiters.
    func takeNow(_ keys: Set<ByteKey>, _ owner: ExclusionOwner) -> Bool {
        desk.withLock { $0.board.takeNow(keys, owner) }
    }

    /// Waits until all `keys` are free and takes them. False when the task was cancelled meanwhile: then it holds
    /// nothing, and stays in line only when `staysInLine` says so.
    func take(
        _ keys: Set<ByteKey>, _ owner: ExclusionOwner, staysInLine: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let ticket = desk.withLock { desk -> UInt64 in
            desk.lastTicket += 1
            return desk.lastTicket
        }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { enterLine(ticket, keys, owner, $0, staysInLine) }
        } onCancel: {
            leave(ticket, stays: staysInLine())
        }
        desk.withLock { _ = $0.cancelled.remove(ticket) }
        return isGranted
    }

    /// Releases all that `owner` holds and takes it out of the line.
    /// - Returns: the keys that it held.
    @discardableResult
    package func giveBack(_ owner: ExclusionOwner) -> Set<ByteKey> { settle { $0.board.giveBack(owner) } }

    /// Releases all that the operations inside of `group` hold and takes them out of the line.
    /// - Returns: the keys that they held.
    func giveBackInside(of group: ExclusionOwner) -> Set<ByteKey> {
        settle { $0.board.giveBackInside(of: group) }
    }

    /// Removes a finished job: releases the keys of its operations and takes them out of the line.
    package func forget(job: String) {
        settle { if !$0.board.isIdle { $0.board.forget(job: job) } }
    }

    /// Resumes the tree of an owner that was granted its keys during its suspension.
    func awaken(_ owner: ExclusionOwner) { desk.withLock { $0.onGrant }?(owner) }

    private func enterLine(
        _ ticket: UInt64, _ keys: Set<ByteKey>, _ owner: ExclusionOwner,
        _ task: CheckedContinuation<Bool, Never>, _ staysInLine: () -> Bool
    ) {
        let answer = settle { desk -> Bool? in
            if desk.board.holds(keys, owner) { return true }
            let isCancelled = desk.cancelled.remove(ticket) != nil
            if isCancelled, !staysInLine() { return false }
            if !isCancelled { desk.tasks[ticket] = task }
            desk.board.enter(keys, owner, ticket: ticket, isAway: isCancelled)
            return isCancelled ? false : nil
        }
        if let answer { task.resume(returning: answer) }
    }

    private func leave(_ ticket: UInt64, stays: Bool) {
        let task = settle { desk -> CheckedContinuation<Bool, Never>? in
            if stays ? desk.board.goAway(ticket) : desk.board.leave(ticket) {
                return desk.tasks.removeValue(forKey: ticket)
            }
            desk.cancelled.insert(ticket)
            return nil
        }
        task?.resume(returning: false)
    }

    /// Changes the board, then tells those whose turn has come.
    private func settle<Value: Sendable>(_ change: (inout Desk) -> Value) -> Value {
        typealias Turn = (task: CheckedContinuation<Bool, Never>?, owner: ExclusionOwner)
        let (value, turns, onGrant) = desk.withLock { desk in
            let value = change(&desk)
            let turns = desk.board.admit().map { grant -> Turn in
                (desk.tasks.removeValue(forKey: grant.ticket), grant.owner)
            }
            return (value, turns, desk.onGrant)
        }
        for turn in turns {
            if let task = turn.task { task.resume(returning: true) } else { onGrant?(turn.owner) }
        }
        return value
    }
}
