import JobKit
import JobStore
import StrictJSON

// DESIGN
// The steps are those of `KeyWrites` in PostgresStore, on values instead of rows. `SharedKeyTests` runs on both.

/// Exclusive keys, and the lines of operations for them, of a store that servers share.
extension MemoryLedger {
    /// An operation in line, or one that asks.
    struct KeyWaiter: Sendable {
        var number: Int64
        var job: JobID
        var path: [String]
        var keys: Set<ByteKey>

        func isOperation(_ path: [String], of job: JobID) -> Bool { self.job == job && self.path == path }

        func isInside(of hold: ExclusiveHold) -> Bool {
            job == hold.job && path.count > hold.path.count && path.starts(with: hold.path)
        }
    }

    mutating func take(_ request: KeyRequest) throws(JobStoreError) -> Bool {
        let id = request.claim.id
        guard var job = entries[id]?.job, job.isHeld(fence: request.claim.fence) else {
            throw .staleClaim(request.claim)
        }
        let known = keyLine.first { $0.isOperation(request.path, of: id) }
        var waiter = KeyWaiter(
            number: known?.number ?? nextNumber(at: request.at), job: id, path: request.path,
            keys: Set(request.keys.map { ByteKey($0) }))
        var passes = false
        if known == nil, let first = firstWaiting(around: waiter), first <= waiter.number {
            (waiter.number, passes) = (first - 1, true)
        }
        let isHeld = mayTake(waiter)
        if !isHeld, !request.waits { return false }
        if isHeld {
            hold(waiter)
        } else if known == nil {
            enter(waiter)
            if passes { letPass(waiter, at: request.at) }
        }
        if !job.flags.contains(.hold) {
            job.flags.insert(.hold)
            put(job)
        }
        return isHeld
    }

    private mutating func enter(_ waiter: KeyWaiter) {
        keyLine.insert(waiter, at: keyLine.firstIndex { $0.number > waiter.number } ?? keyLine.count)
    }

    /// The number of the first operation that waits for a holder around another one; nil when there is none.
    private func firstWaiting(around inner: KeyWaiter) -> Int64? {
        let held = holds.filter { inner.isInside(of: $1) }.map(\.key)
        return keyLine.first { !$0.keys.isDisjoint(with: held) }?.number
    }

    /// Moves those in line inside of the holders that an operation waits for before it, then those inside of the
    /// holders that these wait for, each once.
    private mutating func letPass(_ waiter: KeyWaiter, at now: Timestamp) {
        var open = [waiter]
        var moved: [KeyWaiter] = [waiter]
        while let next = open.popLast() {
            for holder in next.keys.compactMap({ holds[$0] })
            where !next.isOperation(holder.path, of: holder.job) {
                for var inner in keyLine where inner.isInside(of: holder) && inner.number >= next.number {
                    keyLine.removeAll { $0.isOperation(inner.path, of: inner.job) }
                    inner.number = next.number - 1
                    enter(inner)
                    if moved.contains(where: { $0.isOperation(inner.path, of: inner.job) }) { continue }
                    moved.append(inner)
                    open.append(inner)
                }
            }
        }
        passOn(moved.dropFirst().reduce(into: []) { $0.formUnion($1.keys) }, at: now)
    }

    mutating func leave(_ claim: ClaimKey, path: [String], at now: Timestamp) throws(JobStoreError) {
        guard let job = entries[claim.id]?.job, job.isHeld(fence: claim.fence) else {
            throw .staleClaim(claim)
        }
        passOn(forgetKeys { $0 == claim.id && $1 == path }, at: now)
    }

    /// Releases all keys of a job that has ended.
    mutating func freeKeys(of id: JobID, at now: Timestamp) {
        passOn(forgetKeys { job, _ in job == id }, at: now)
    }

    /// Gives keys that were released, or waited for by an operation that left the line, to the operations whose turn
    /// has come. A job that a person holds yields its turn.
    mutating func passOn(_ keys: Set<ByteKey>, at now: Timestamp) {
        var open = keys
        for waiter in keyLine where !waiter.keys.isDisjoint(with: open) {
            guard mayTake(waiter) else {
                open.subtract(waiter.keys)
                continue
            }
            keyLine.removeAll { $0.isOperation(waiter.path, of: waiter.job) }
            guard var job = entries[waiter.job]?.job, !job.record.state.isFinal, job.record.state != .held
            else { continue }
            hold(waiter)
            job.flags.insert(.hold)
            _ = job.wake(at: now)
            put(job)
            messages.append(.granted(to: waiter.path, of: waiter.job))
            open.subtract(waiter.keys)
        }
    }

    func holds(of id: JobID) -> [ExclusiveHold] {
        isShared ? holds.values.filter { $0.job == id }.sorted { $0.key < $1.key } : []
    }

    func standing(of path: [String], in job: JobID, for keys: [String]) -> KeyStanding {
        let own = keyLine.first { $0.isOperation(path, of: job) }
        // Inside of an operation that holds a key it waits under another name.
        let keys = own?.keys ?? Set(keys.map { ByteKey($0) })
        let holders = keys.sorted().compactMap { holds[$0] }
        var standing = KeyStanding(holder: holders.first { $0.job != job || $0.path != path }?.job)
        if let own {
            standing.ahead = keyLine.count { $0.number < own.number && !$0.keys.isDisjoint(with: keys) }
        }
        return standing
    }

    private func mayTake(_ waiter: KeyWaiter) -> Bool {
        let holders = waiter.keys.compactMap { holds[$0] }
        guard holders.allSatisfy({ waiter.isOperation($0.path, of: $0.job) }) else { return false }
        return holders.count == waiter.keys.count
            || !keyLine.contains {
                $0.number < waiter.number && !$0.keys.isDisjoint(with: waiter.keys)
                    && !$0.isOperation(waiter.path, of: waiter.job)
            }
    }

    private mutating func hold(_ waiter: KeyWaiter) {
        keyLine.removeAll { $0.isOperation(waiter.path, of: waiter.job) }
        for key in waiter.keys {
            holds[key] = ExclusiveHold(key: key.text, job: waiter.job, path: waiter.path)
        }
    }

    /// Releases the keys of operations and takes them out of all lines. Returns the keys that they held or waited for.
    private mutating func forgetKeys(of isMeant: (JobID, [String]) -> Bool) -> Set<ByteKey> {
        var keys: Set<ByteKey> = []
        for (key, hold) in holds where isMeant(hold.job, hold.path) { keys.insert(key) }
        for key in keys { holds[key] = nil }
        for waiter in keyLine where isMeant(waiter.job, waiter.path) { keys.formUnion(waiter.keys) }
        keyLine.removeAll { isMeant($0.job, $0.path) }
        return keys
    }
}
