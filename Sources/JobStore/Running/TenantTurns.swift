internal import JobKit

// DESIGN
// Jobs in no line go by priority and age, those of one tenant among themselves: otherwise a tenant with a backlog, or
// with the highest priority, would make all others wait. Tenants take turns in the order of their names, so one name
// is all that must be remembered, and an index that begins with the tenant leads from one that waits to the next.
// Jobs without a tenant have a turn like one.

/// Whose turn it is among the jobs in no line.
package struct TenantTurns: Sendable {
    /// The prefix of the tenant that came last; empty for jobs without one.
    package private(set) var last = ""

    package init() {}

    /// Notes that a job was claimed.
    package mutating func note(_ job: JobRecord) {
        let tenant = job.tenant
        if last.isEmpty && tenant == nil { return }
        last = tenant?.prefix ?? ""
    }

    /// The prefixes of the tenants that come next: those behind the last one, then the empty one for jobs without a
    /// tenant, then the others.
    /// - Parameters:
    ///   - limit: the maximum number of tenants.
    ///   - isPassed: whether a tenant is passed over.
    ///   - next: the first prefix behind one that has jobs; nil without one.
    package func upcoming<Failure: Error>(
        _ limit: Int, passing isPassed: ((Tenant?) -> Bool)?,
        next: (String) throws(Failure) -> String?
    ) throws(Failure) -> [String] {
        var found: [String] = []
        var place = last
        var isRound = false
        while found.count < (isRound ? limit + 1 : limit) {
            let name = try next(place)
            if let name, !isRound || !last.utf8.lexicographicallyPrecedes(name.utf8) {
                place = name
                if isPassed?(Tenant(ofStored: name)) != true { found.append(name) }
            } else if isRound {
                break
            } else {
                isRound = true
                found.append("")
                place = ""
            }
        }
        return found
    }

    /// The first jobs of these lists, one of each in turn.
    package static func mixed<Job>(_ lists: [[Job]], limit: Int) -> [Job] {
        if lists.count == 1 { return Array(lists[0].prefix(limit)) }
        var mixed: [Job] = []
        var place = 0
        while mixed.count < limit {
            let count = mixed.count
            for list in lists where place < list.count && mixed.count < limit { mixed.append(list[place]) }
            if mixed.count == count { break }
            place += 1
        }
        return mixed
    }

    /// The number of jobs that are looked for at first of each of so many tenants.
    package static func share(of limit: Int, among count: Int) -> Int {
        (limit + max(1, count) - 1) / max(1, count)
    }

    /// Lists of jobs that have `limit` together, as far as there are so many, each with about the same number.
    /// - Parameters:
    ///   - rooms: the maximum number of each.
    ///   - read: replaces these lists by longer ones.
    package static func filled<Job, Failure: Error>(
        _ rooms: [Int], limit: Int,
        read: (_ lists: [Int], _ count: Int) throws(Failure) -> [[Job]]
    ) throws(Failure) -> [[Job]] {
        var lists = rooms.map { _ in [Job]() }
        var open = Array(rooms.indices)
        var share = share(of: limit, among: rooms.count)
        while !open.isEmpty {
            for (place, jobs) in zip(open, try read(open, share)) {
                lists[place] = Array(jobs.prefix(rooms[place]))
            }
            // Of these there may be more.
            open = open.filter { lists[$0].count >= share && share < rooms[$0] }
            if lists.reduce(0, { $0 + $1.count }) >= limit || share >= limit { break }
            share = min(2 * share, limit)
        }
        return lists
    }
}
