internal import Synchronization

/// The owner of exclusive keys: an operation, the same after a restart, and not the task that runs it.
public struct ExclusionOwner: Sendable, Hashable {
    /// The job, or another name that is the operation's alone.
    public var job: String
    /// The names from below the root down to it.
    public var path: [String]

    /// An owner.
    public init(job: String, path: [String]) {
        self.job = job
        self.path = path
    }

    fileprivate func isInside(of group: ExclusionOwner) -> Bool {
        job == group.job && path.count > group.path.count && path.starts(with: group.path)
    }
}

// DESIGN
// A key has at most one holder; an owner that requests keys that are not free waits in line. Holders and waiters are
// owners, not tasks: a durable tree may leave memory while it holds keys or waits for them. Then it stays in line,
// without a continuation, and when its turn comes it owns the keys and `onGrant` is called, which resumes the tree. The
// tree requests the keys again and finds that it holds them.

/// The exclusive keys and their holders. Keys are taken all at once, first come first served: an owner in line for a
/// key keeps later ones from overtaking on that key, and on no other.
public final class ExclusionRegistry: Sendable {
    fileprivate struct Waiter {
        let ticket: UInt64
        let owner: ExclusionOwner
        let keys: Set<String>
        /// Nil while its tree is suspended.
        var continuation: CheckedContinuation<Bool, Never>?
    }

    fileprivate struct Board {
        var holders: [String: ExclusionOwner] = [:]
        var held: [ExclusionOwner: Set<String>] = [:]
        var line: [Waiter] = []
        var nextTicket: UInt64 = 0
        /// Tickets that were cancelled before they came into line.
        var cancelled: Set<UInt64> = []
        var onGrant: (@Sendable (ExclusionOwner) -> Void)?
    }

    private let board = Mutex(Board())

    /// No key is held.
    public init() {}

    /// Calls `hook` when an owner whose tree is out of memory got its keys. On any thread.
    package func onGrant(_ hook: @escaping @Sendable (ExclusionOwner) -> Void) {
        board.withLock { $0.onGrant = hook }
    }

    /// Whether no key is held or waited for.
    package var isIdle: Bool { board.withLock { $0.held.isEmpty && $0.line.isEmpty } }

    /// The holder of `key`; nil when it is free.
    public func holder(of key: String) -> ExclusionOwner? { board.withLock { $0.holders[key] } }

    /// The number of owners in line before `owner` for one of its keys; nil when it does not wait.
    public func position(of owner: ExclusionOwner) -> Int? {
        board.withLock { board in
            guard let index = board.line.firstIndex(where: { $0.owner == owner }) else { return nil }
            let keys = board.line[index].keys
            return board.line[..<index].count { !$0.keys.isDisjoint(with: keys) }
        }
    }

    /// Returns a key to the `owner` that had it before a restart.
    package func restore(_ key: String, to owner: ExclusionOwner) {
        board.withLock { board in
            guard board.holders[key] == nil else { return }
            board.holders[key] = owner
            board.held[owner, default: []].insert(key)
        }
    }

    /// Takes all `keys` when they are free, or already held by `owner`, and none of them has waiters.
    func takeNow(_ keys: Set<String>, _ owner: ExclusionOwner) -> Bool {
        board.withLock { board in
            if board.held[owner]?.isSuperset(of: keys) == true { return true }
            guard board.isFree(keys, for: owner),
                !board.line.contains(where: { !$0.keys.isDisjoint(with: keys) })
            else { return false }
            board.give(keys, to: owner)
            return true
        }
    }

    /// Waits until all `keys` are free and takes them. False when the task was cancelled meanwhile: then it holds
    /// nothing, and stays in line only when `staysInLine` says so.
    func take(
        _ keys: Set<String>, _ owner: ExclusionOwner, staysInLine: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let ticket = board.withLock { board -> UInt64 in
            board.nextTicket += 1
            return board.nextTicket
        }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enterLine(
                    Waiter(ticket: ticket, owner: owner, keys: keys, continuation: continuation), staysInLine)
            }
        } onCancel: {
            leave(ticket, stays: staysInLine())
        }
        board.withLock { _ = $0.cancelled.remove(ticket) }
        return isGranted
    }

    /// Releases all that `owner` holds and takes it out of the line.
    /// - Returns: the keys that it held.
    @discardableResult
    package func giveBack(_ owner: ExclusionOwner) -> Set<String> {
        settle { board in
            board.line.removeAll { $0.owner == owner && $0.continuation == nil }
            return board.free(owner)
        }
    }

    /// Releases all that the operations inside of `group` hold and takes them out of the line.
    /// - Returns: the keys that they held.
    func giveBackInside(of group: ExclusionOwner) -> Set<String> {
        settle { board in
            board.line.removeAll { $0.owner.isInside(of: group) && $0.continuation == nil }
            return board.held.keys.filter { $0.isInside(of: group) }
                .reduce(into: []) { $0.formUnion(board.free($1)) }
        }
    }

    /// Removes a finished job: releases the keys of its operations and takes them out of the line.
    package func forget(job: String) {
        settle { board in
            if board.held.isEmpty && board.line.isEmpty { return }
            board.line.removeAll { $0.owner.job == job && $0.continuation == nil }
            for owner in board.held.keys where owner.job == job { _ = board.free(owner) }
        }
    }

    /// Resumes the tree of an owner that was granted its keys during its suspension.
    func awaken(_ owner: ExclusionOwner) { board.withLock { $0.onGrant }?(owner) }

    private func enterLine(_ waiter: Waiter, _ staysInLine: () -> Bool) {
        var answer: Bool?
        settle { board in
            if board.held[waiter.owner]?.isSuperset(of: waiter.keys) == true {
                answer = true
                return
            }
            var waiter = waiter
            if board.cancelled.remove(waiter.ticket) != nil {
                answer = false
                guard staysInLine() else { return }
                waiter.continuation = nil
            }
            if let place = board.line.firstIndex(where: { $0.owner == waiter.owner && $0.continuation == nil }
            ) {
                board.line[place] = waiter
            } else {
                board.line.append(waiter)
            }
        }
        if let answer { waiter.continuation?.resume(returning: answer) }
    }

    private func leave(_ ticket: UInt64, stays: Bool) {
        var gone: CheckedContinuation<Bool, Never>?
        settle { board in
            guard let index = board.line.firstIndex(where: { $0.ticket == ticket }) else {
                board.cancelled.insert(ticket)
                return
            }
            gone = board.line[index].continuation
            if stays { board.line[index].continuation = nil } else { board.line.remove(at: index) }
        }
        gone?.resume(returning: false)
    }

    /// Changes the board, then grants keys to those whose turn has come.
    private func settle<Value: Sendable>(_ change: (inout Board) -> Value) -> Value {
        let (value, admitted, onGrant) = board.withLock { board in
            let value = change(&board)
            return (value, board.admit(), board.onGrant)
        }
        for waiter in admitted {
            if let continuation = waiter.continuation {
                continuation.resume(returning: true)
            } else {
                onGrant?(waiter.owner)
            }
        }
        return value
    }
}

extension ExclusionRegistry.Board {
    fileprivate func isFree(_ keys: Set<String>, for owner: ExclusionOwner) -> Bool {
        keys.allSatisfy { key in holders[key].map { $0 == owner } ?? true }
    }

    fileprivate mutating func give(_ keys: Set<String>, to owner: ExclusionOwner) {
        for key in keys { holders[key] = owner }
        held[owner, default: []].formUnion(keys)
    }

    /// Frees what `owner` holds.
    fileprivate mutating func free(_ owner: ExclusionOwner) -> Set<String> {
        let keys = held.removeValue(forKey: owner) ?? []
        for key in keys { holders[key] = nil }
        return keys
    }

    /// Grants keys to those in line whose turn has come, and takes them out of it.
    fileprivate mutating func admit() -> [ExclusionRegistry.Waiter] {
        if line.isEmpty { return [] }
        var wanted: Set<String> = []
        var admitted: [ExclusionRegistry.Waiter] = []
        var rest: [ExclusionRegistry.Waiter] = []
        for waiter in line {
            if waiter.keys.isDisjoint(with: wanted) && isFree(waiter.keys, for: waiter.owner) {
                give(waiter.keys, to: waiter.owner)
                admitted.append(waiter)
            } else {
                wanted.formUnion(waiter.keys)
                rest.append(waiter)
            }
        }
        if !admitted.isEmpty { line = rest }
        return admitted
    }
}
