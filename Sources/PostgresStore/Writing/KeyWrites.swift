import JobKit
import JobStore

/// Exclusive keys, which one operation of all servers holds at a time.
struct KeyWrites {
    let unit: WorkUnit

    private var tables: StoreTables { unit.tables }

    func take(_ request: KeyRequest) throws(PostgresFailure) -> Result<Bool, JobStoreError> {
        let id = request.claim.id
        guard var job = try unit.touched.job(id), job.isHeld(fence: request.claim.fence) else {
            return .failure(.staleClaim(request.claim))
        }
        try lock(request.keys)
        let number = try tables.keyLines.number(of: request.path, in: id)
        var waiter = KeyLineTable.Waiter(
            number: number ?? unit.numbers.next(at: request.at), job: id, path: request.path)
        var isHeld = try mayTake(request.keys, waiter)
        var passes = false
        if !isHeld, number == nil,
            let first = try tables.keyLines.firstWaiting(around: request.path, in: id), first <= waiter.number
        {
            (waiter.number, passes) = (first - 1, true)
            isHeld = try mayTake(request.keys, waiter)
        }
        if !isHeld, !request.waits { return .success(false) }
        if isHeld {
            try tables.keyLines.take(request.keys, by: request.path, in: id)
            if number != nil { try tables.keyLines.leave(request.path, in: id) }
        } else if number == nil {
            try tables.keyLines.enter(waiter, for: request.keys)
            if passes { try letPass(waiter, at: request.at) }
        }
        if !job.flags.contains(.hold) {
            let before = job.record
            job.flags.insert(.hold)
            try unit.save(job, from: before)
        }
        return .success(isHeld)
    }

    /// Moves those in line inside of the holders that an operation waits for before it, then those inside of the
    /// holders that these wait for, each once.
    private func letPass(_ waiter: KeyLineTable.Waiter, at now: Timestamp) throws(PostgresFailure) {
        var open = [waiter]
        var moved: Set<ExclusionOwner> = [waiter.owner]
        var keys: [String] = []
        while let next = open.popLast() {
            for holder in try tables.keyLines.holders(of: try tables.keyLines.keys(of: next))
            where holder.job != next.job || holder.path != next.path {
                for (inner, wanted) in try tables.keyLines.pass(next, insideOf: holder) {
                    keys += wanted
                    if moved.insert(inner.owner).inserted { open.append(inner) }
                }
            }
        }
        try passOn(keys, at: now)
    }

    func leave(
        _ claim: ClaimKey, path: [String], at now: Timestamp
    ) throws(PostgresFailure) -> Result<Void, JobStoreError> {
        guard let job = try unit.touched.job(claim.id), job.isHeld(fence: claim.fence) else {
            return .failure(.staleClaim(claim))
        }
        let waited = try tables.keyLines.leave(path, in: claim.id)
        try passOn(waited + tables.keyLines.free(path, in: claim.id), at: now)
        return .success(())
    }

    /// Releases all keys of a job that has ended.
    func freeKeys(of id: JobID, at now: Timestamp) throws(PostgresFailure) {
        try passOn(try tables.keyLines.forget(id), at: now)
    }

    /// Gives keys that were released, or waited for by an operation that left the line, to the operations whose turn
    /// has come. A job that a person holds yields its turn.
    func passOn(_ keys: [String], at now: Timestamp) throws(PostgresFailure) {
        var open = Set(keys)
        if open.isEmpty { return }
        try lock(keys)
        for waiter in try tables.keyLines.waiters(for: open.sorted()) {
            if open.isEmpty { break }
            let wanted = try tables.keyLines.keys(of: waiter)
            try lock(wanted)
            guard try mayTake(wanted, waiter) else {
                open.subtract(wanted)
                continue
            }
            try tables.keyLines.leave(waiter.path, in: waiter.job)
            guard var job = try unit.touched.job(waiter.job), !job.record.state.isFinal,
                job.record.state != .held
            else { continue }
            try tables.keyLines.take(wanted, by: waiter.path, in: waiter.job)
            let before = job.record
            job.flags.insert(.hold)
            _ = job.wake(at: now)
            try unit.save(job, from: before)
            unit.note([.granted(to: waiter.path, of: waiter.job)])
            open.subtract(wanted)
        }
    }

    private func mayTake(_ keys: [String], _ waiter: KeyLineTable.Waiter) throws(PostgresFailure) -> Bool {
        let holders = try tables.keyLines.holders(of: keys)
        let isFree = holders.allSatisfy { $0.job == waiter.job && $0.path == waiter.path }
        if isFree && holders.count == keys.count { return true }
        return isFree ? try !tables.keyLines.isBehind(waiter, for: keys) : false
    }

    private func lock(_ keys: [String]) throws(PostgresFailure) {
        try tables.lines.lock(keys.map(KeyLineTable.lockName))
    }
}
