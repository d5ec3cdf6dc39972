package import JobKit

/// Waiting work. Tenants take turns, and within each its jobs; the work of one job keeps its order.
package struct WorkTurns<Work: Sendable>: Sendable {
    /// The waiting work of one tenant.
    private struct Jobs {
        var work: [String: Queue<Work>] = [:]
        var turns = Queue<String>()
        var count = 0
    }

    private var tenants: [String: Jobs] = [:]
    private var turns = Queue<String>()
    /// The amount of all waiting work.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ work: Work, for owner: LongWorkOwner) {
        if tenants[owner.tenant] == nil { turns.append(owner.tenant) }
        var jobs = tenants.removeValue(forKey: owner.tenant) ?? Jobs()
        if jobs.work[owner.job] == nil { jobs.turns.append(owner.job) }
        jobs.work[owner.job, default: Queue()].append(work)
        jobs.count += 1
        tenants[owner.tenant] = jobs
        count += 1
    }

    /// The amount of work of a tenant that waits.
    package func count(of tenant: String) -> Int { tenants[tenant]?.count ?? 0 }

    /// The first work of the owner whose turn it is; nil when none waits.
    /// - Parameter mayRun: whether the work of a tenant may run; others' is passed over.
    package mutating func next(where mayRun: (_ tenant: String) -> Bool = { _ in true }) -> Work? {
        for _ in 0..<turns.count {
            guard let tenant = turns.popFirst() else { break }
            if mayRun(tenant) { return next(of: tenant) }
            turns.append(tenant)
        }
        return nil
    }

    private mutating func next(of tenant: String) -> Work? {
        guard var jobs = tenants.removeValue(forKey: tenant), let job = jobs.turns.popFirst(),
            var queue = jobs.work.removeValue(forKey: job)
        else { return nil }
        let work = queue.popFirst()
        (count, jobs.count) = (count - 1, jobs.count - 1)
        if !queue.isEmpty {
            jobs.work[job] = queue
            jobs.turns.append(job)
        }
        if !jobs.turns.isEmpty {
            tenants[tenant] = jobs
            turns.append(tenant)
        }
        return work
    }
}
