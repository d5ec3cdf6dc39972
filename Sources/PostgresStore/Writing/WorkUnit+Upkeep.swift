import JobKit
import JobStore

/// Leases, recovery, retention and expiry.
extension WorkUnit {
    /// Requeues the jobs of owners that are dead.
    func recover(
        besides survivor: OwnerID?, now: Timestamp
    ) throws(PostgresFailure) -> Result<Int, JobStoreError> {
        try leases.takeOver(besides: survivor, at: now)
        return .success(try putBack(besides: survivor, at: now, isDeath: true))
    }

    /// Ends the lease of an owner that stops in order and requeues its jobs.
    func end(_ owner: OwnerID, now: Timestamp) throws(PostgresFailure) -> Result<Int, JobStoreError> {
        try leases.end(owner)
        try touched.flush()
        let ids = try leases.held(by: owner)
        try touched.load(ids)
        return .success(try putBack(ids, at: now, isDeath: false) { $0 == owner })
    }

    /// Requeues the jobs of claims that were not handed over, as far as the claims were made.
    func putBack(_ claims: [ClaimKey], at now: Timestamp) throws(PostgresFailure) {
        for claim in claims {
            guard var job = try touched.job(claim.id), job.isHeld(fence: claim.fence) else { continue }
            let before = job.record
            job.putBack(at: now, isDeath: false)
            try save(job, from: before)
        }
    }

    /// The number of jobs that one transaction requeues for each look at them.
    private static let putBackMax = 1_000

    private func putBack(
        besides survivor: OwnerID?, at now: Timestamp, isDeath: Bool
    ) throws(PostgresFailure) -> Int {
        var count = 0
        while true {
            try touched.flush()
            let ids = try leases.abandoned(besides: survivor, limit: Self.putBackMax)
            try touched.load(ids)
            // Their owners have no lease now, and get none again.
            count += try putBack(ids, at: now, isDeath: isDeath) { $0 != survivor }
            if ids.count < Self.putBackMax { return count }
        }
    }

    private func putBack(
        _ ids: [JobID], at now: Timestamp, isDeath: Bool, of isOver: (OwnerID) -> Bool
    ) throws(PostgresFailure) -> Int {
        var count = 0
        for id in ids {
            guard var job = try touched.job(id), let owner = job.owner, isOver(owner) else { continue }
            let before = job.record
            job.putBack(at: now, isDeath: isDeath)
            try save(job, from: before)
            count += 1
        }
        return count
    }

    func nextDueAt() throws(PostgresFailure) -> Timestamp? {
        try touched.flush()
        return [try tables.dispatch.next(since: starts).due, lines.firstAlarm].compactMap(\.self).min()
    }

    func beginUpkeep(at now: Timestamp, limit: Int) throws(PostgresFailure) {
        try touched.flush()
        try writeEnds()
        if !lines.isIdle { try tables.queues.removeOldRates(at: now, limit: limit) }
    }

    func purgeable(at now: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        try tables.dispatch.purgeable(at: now, since: starts[.purge], limit: limit)
    }

    /// Measures jobs before it reads them, and drops them together: the group writes its changes once.
    func purge(_ ids: [JobID], within budget: inout JobBudget) throws(PostgresFailure) {
        try touched.flush()
        let sizes = try tables.jobs.sizes(ofEnded: ids, max: budget.bytes)
        for bytes in sizes { budget.take(bytes) }
        for job in touched.add(found: try tables.jobs.ended(Array(ids.prefix(sizes.count))))
        where job.record.state.isFinal { drop(job) }
    }

    func removeKeys(at now: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        try tables.keys.removeOld(at: now, since: starts[.keyExpiry], limit: limit)
    }

    /// Loads them, for `job`.
    func lapsed(at now: Timestamp, limit: Int) throws(PostgresFailure) -> [JobID] {
        let found = try tables.dispatch.lapsed(at: now, since: starts[.expiry], limit: limit)
        return touched.add(found: found).map(\.record.id)
    }
}
