package import JobKit
internal import StrictJSON

/// The holders of exclusive keys, and the lines of operations for them, of a store that servers share.
package protocol KeyLineRows {
    associatedtype Failure: Error

    /// Keeps other servers from changing the holders of keys and the lines for them until the end of the transaction.
    func lock(_ keys: [String]) throws(Failure)

    /// The operations that hold any of these keys.
    func holders(of keys: [String]) throws(Failure) -> [(job: JobID, path: [String])]

    /// Makes an operation the holder of keys, which are free or its own.
    func take(_ keys: [String], by path: [String], in job: JobID) throws(Failure)

    /// Releases the keys of an operation. Returns them.
    func free(_ path: [String], in job: JobID) throws(Failure) -> [String]

    /// Releases all keys of a job and takes it out of all lines. Returns the keys that it held or waited for.
    func forget(_ job: JobID) throws(Failure) -> [String]

    /// The number under which an operation waits; nil when it does not.
    func number(of path: [String], in job: JobID) throws(Failure) -> Int64?

    /// The keys that an operation in line waits for.
    func keys(of waiter: KeyWaiter) throws(Failure) -> [String]

    /// The first operations in line for any of these keys.
    func waiters(for keys: [String]) throws(Failure) -> [KeyWaiter]

    /// The number of the first operation that waits for a holder around the one at `path`; nil when there is none.
    func firstWaiting(around path: [String], in job: JobID) throws(Failure) -> Int64?

    /// Whether others came before this one for any of these keys.
    func isBehind(_ waiter: KeyWaiter, for keys: [String]) throws(Failure) -> Bool

    func enter(_ waiter: KeyWaiter, for keys: [String]) throws(Failure)

    /// Takes an operation out of the line. Returns the keys that it waited for.
    @discardableResult
    func leave(_ path: [String], in job: JobID) throws(Failure) -> [String]

    /// Moves the operations in line inside of a holder before one that waits for it. Returns them with their keys.
    func pass(
        _ waiter: KeyWaiter, insideOf holder: (job: JobID, path: [String])
    ) throws(Failure) -> [(waiter: KeyWaiter, keys: [String])]
}

/// Takes all keys for an operation of a run, or enters the line for them. Keys are taken all at once, first come first
/// served: an operation in line for a key keeps later ones from overtaking on that key, and on no other. When its turn
/// comes it holds the keys, its job is woken or queued again when it is suspended, and all servers get the message
/// `ServerMessage.granted`.
///
/// Refused with `.staleClaim`.
extension KeyRequest: SharedWrite {
    /// Whether the operation holds the keys.
    package typealias Reply = Bool

    package var needs: WriteNeeds { WriteNeeds(ids: [claim.id], claims: [claim], keys: keys) }

    package func apply<Transaction: SharedTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let (id, lines) = (claim.id, transaction.keyLines)
        guard var job = try transaction.job(id), job.isHeld(fence: claim.fence) else {
            return .failure(.staleClaim(claim))
        }
        try lines.lock(keys)
        let number = try lines.number(of: path, in: id)
        var waiter = KeyWaiter(number: number ?? transaction.nextNumber(at: at), job: id, path: path)
        var isHeld = try transaction.mayTake(keys, waiter)
        var passes = false
        if !isHeld, number == nil, let first = try lines.firstWaiting(around: path, in: id),
            first <= waiter.number
        {
            (waiter.number, passes) = (first - 1, true)
            isHeld = try transaction.mayTake(keys, waiter)
        }
        if !isHeld, !waits { return .success(false) }
        if isHeld {
            try lines.take(keys, by: path, in: id)
            if number != nil { try lines.leave(path, in: id) }
        } else if number == nil {
            try lines.enter(waiter, for: keys)
            if passes { try transaction.letPass(waiter, at: at) }
        }
        if !job.flags.contains(.hold) {
            let before = job.record
            job.flags.insert(.hold)
            try transaction.save(job, from: before)
        }
        return .success(isHeld)
    }
}

/// Releases all keys of an operation of a run, and takes it out of the line.
///
/// Refused with `.staleClaim`.
package struct KeyRelease: SharedWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var claim: ClaimKey
    package var path: [String]
    package var at: Timestamp

    package init(_ path: [String], of claim: ClaimKey, at: Timestamp) {
        self.claim = claim
        self.path = path
        self.at = at
    }

    package var needs: WriteNeeds { WriteNeeds(ids: [claim.id], claims: [claim]) }

    package func apply<Transaction: SharedTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let (id, lines) = (claim.id, transaction.keyLines)
        guard let job = try transaction.job(id), job.isHeld(fence: claim.fence) else {
            return .failure(.staleClaim(claim))
        }
        let waited = try lines.leave(path, in: id)
        try transaction.passOn(waited + lines.free(path, in: id), at: at)
        return .success(())
    }
}

/// The turns of operations for exclusive keys.
extension SharedTransaction {
    /// Releases all keys of a job that has ended.
    package func freeKeys(of id: JobID, at now: Timestamp) throws(Failure) {
        try passOn(keyLines.forget(id), at: now)
    }

    /// Gives keys that were released, or waited for by an operation that left the line, to the operations whose turn
    /// has come. A job that a person holds yields its turn.
    package func passOn(_ keys: [String], at now: Timestamp) throws(Failure) {
        var open = Set(keys.map { ByteKey($0) })
        if open.isEmpty { return }
        try keyLines.lock(keys)
        for waiter in try keyLines.waiters(for: open.sorted().map(\.text)) {
            if open.isEmpty { break }
            let wanted = try keyLines.keys(of: waiter)
            try keyLines.lock(wanted)
            guard try mayTake(wanted, waiter) else {
                open.subtract(wanted.map { ByteKey($0) })
                continue
            }
            try keyLines.leave(waiter.path, in: waiter.job)
            guard var job = try job(waiter.job), !job.record.state.isFinal, job.record.state != .paused else {
                continue
            }
            try keyLines.take(wanted, by: waiter.path, in: waiter.job)
            let before = job.record
            job.flags.insert(.hold)
            _ = job.wake(at: now)
            try save(job, from: before)
            note([.granted(to: waiter.path, of: waiter.job)])
            open.subtract(wanted.map { ByteKey($0) })
        }
    }

    /// Moves those in line inside of the holders that an operation waits for before it, then those inside of the
    /// holders that these wait for, each once.
    fileprivate func letPass(_ waiter: KeyWaiter, at now: Timestamp) throws(Failure) {
        var open = [waiter]
        var moved: Set<ExclusionOwner> = [waiter.owner]
        var keys: [String] = []
        while let next = open.popLast() {
            for holder in try keyLines.holders(of: try keyLines.keys(of: next))
            where holder.job != next.job || holder.path != next.path {
                for (inner, wanted) in try keyLines.pass(next, insideOf: holder) {
                    keys += wanted
                    if moved.insert(inner.owner).inserted { open.append(inner) }
                }
            }
        }
        try passOn(keys, at: now)
    }

    fileprivate func mayTake(_ keys: [String], _ waiter: KeyWaiter) throws(Failure) -> Bool {
        let holders = try keyLines.holders(of: keys)
        let isFree = holders.allSatisfy { $0.job == waiter.job && $0.path == waiter.path }
        if isFree && holders.count == keys.count { return true }
        return isFree ? try !keyLines.isBehind(waiter, for: keys) : false
    }
}
