package import StrictJSON
internal import Synchronization

// DESIGN
// A key has at most one holder; an owner that requests keys that are not free waits in line. Holders and waiters are
// owners, not tasks: a durable tree may leave memory while it holds keys or waits for them. Then it stays in line,
// without a continuation, and when its turn comes it owns the keys and `onGrant` is called, which resumes the tree. The
// tree requests the keys again and finds that it holds them.

/// The exclusive keys and their holders. Keys are taken all at once, first come first served: an owner in line for a
/// key keeps later ones from overtaking on that key, and on no other. Operations inside of a holder pass those that
/// wait for it. Keys are equal when their bytes are.
public final class ExclusionRegistry: Sendable {
    private struct Desk {
        var board = ExclusionBoard()
        /// Those in line, by ticket; none for those whose tree is out of memory.
        var waiters: [UInt64: Waiter] = [:]
        var lastTicket: UInt64 = 0
        /// Tickets that were cancelled before they came into line.
        var cancelled: Set<UInt64> = []
        var onGrant: (@Sendable (ExclusionOwner) -> Void)?
    }

    /// A waiter in line.
    private enum Waiter: Sendable {
        case task(CheckedContinuation<Bool, Never>)
        /// One without a task, which is called when it has its keys.
        case action(@Sendable () -> Void)

        /// The keys are its own, or it has left the line.
        func resume(returning isGranted: Bool) {
            switch self {
            case .task(let task): task.resume(returning: isGranted)
            case .action(let action): if isGranted { action() }
            }
        }
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
    /// - Parameter holders: those around `owner`, which cannot end before it does.
    func take(
        _ keys: Set<ByteKey>, _ owner: ExclusionOwner, around holders: [ExclusionOwner],
        staysInLine: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let ticket = newTicket()
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { enterLine(ticket, keys, owner, holders, $0, staysInLine) }
        } onCancel: {
            leave(ticket, stays: staysInLine())
        }
        desk.withLock { _ = $0.cancelled.remove(ticket) }
        return isGranted
    }

    /// The number of a place in line.
    func newTicket() -> UInt64 {
        desk.withLock { desk in
            desk.lastTicket += 1
            return desk.lastTicket
        }
    }

    /// Waits without a task: `onTurn` is called when `owner` has all `keys`.
    /// - Returns: false when it has them already.
    func enter(
        _ ticket: UInt64, _ keys: Set<ByteKey>, _ owner: ExclusionOwner, around holders: [ExclusionOwner],
        onTurn: @escaping @Sendable () -> Void
    ) -> Bool {
        settle { desk in
            if desk.board.holds(keys, owner) { return false }
            desk.waiters[ticket] = .action(onTurn)
            desk.board.enter(keys, owner, ticket: ticket, isAway: false, around: holders)
            return true
        }
    }

    /// Ends a wait without a task. With `stays` its owner keeps the place in line, without being called.
    /// - Returns: whether the owner has the keys already.
    func withdraw(_ ticket: UInt64, _ keys: Set<ByteKey>, _ owner: ExclusionOwner, stays: Bool) -> Bool {
        settle { desk in
            if stays ? desk.board.goAway(ticket) : desk.board.leave(ticket) {
                desk.waiters[ticket] = nil
                return false
            }
            return desk.board.holds(keys, owner)
        }
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
        _ ticket: UInt64, _ keys: Set<ByteKey>, _ owner: ExclusionOwner, _ holders: [ExclusionOwner],
        _ task: CheckedContinuation<Bool, Never>, _ staysInLine: () -> Bool
    ) {
        let answer = settle { desk -> Bool? in
            if desk.board.holds(keys, owner) { return true }
            let isCancelled = desk.cancelled.remove(ticket) != nil
            if isCancelled, !staysInLine() { return false }
            if !isCancelled { desk.waiters[ticket] = .task(task) }
            desk.board.enter(keys, owner, ticket: ticket, isAway: isCancelled, around: holders)
            return isCancelled ? false : nil
        }
        if let answer { task.resume(returning: answer) }
    }

    private func leave(_ ticket: UInt64, stays: Bool) {
        let waiter = settle { desk -> Waiter? in
            if stays ? desk.board.goAway(ticket) : desk.board.leave(ticket) {
                return desk.waiters.removeValue(forKey: ticket)
            }
            desk.cancelled.insert(ticket)
            return nil
        }
        waiter?.resume(returning: false)
    }

    /// Changes the board, then tells those whose turn has come.
    private func settle<Value: Sendable>(_ change: (inout Desk) -> Value) -> Value {
        typealias Turn = (waiter: Waiter?, owner: ExclusionOwner)
        let (value, turns, onGrant) = desk.withLock { desk in
            let value = change(&desk)
            let turns = desk.board.admit().map { grant -> Turn in
                (desk.waiters.removeValue(forKey: grant.ticket), grant.owner)
            }
            return (value, turns, desk.onGrant)
        }
        for turn in turns {
            if let waiter = turn.waiter { waiter.resume(returning: true) } else { onGrant?(turn.owner) }
        }
        return value
    }
}
