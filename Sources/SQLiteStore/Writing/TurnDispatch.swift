import JobKit
import JobStore

/// Finds the jobs that come next among those in no line, as tenants take turns.
struct TurnDispatch {
    let session: WriterSession

    /// Jobs that may begin, at most as many as a claim may take.
    /// - Parameters:
    ///   - due: the jobs that fell due and are not in the index of those that are ready.
    ///   - shares: the slots that tenants hold.
    func next(
        _ request: ClaimRequest, due: [StoredJob], _ shares: TenantShares
    ) throws(SQLiteFailure) -> [StoredJob] {
        let late = Dictionary(grouping: due) { $0.record.tenant }
        let found = try next(request, of: request.limit, late, shares)
        if found.jobs.count == request.limit || found.isWhole { return found.jobs }
        // Those of which all jobs have lapsed must not hide the others.
        return try next(request, of: .max - 1, late, shares).jobs
    }

    /// The jobs of at most so many tenants, and whether these are all that have some.
    private func next(
        _ request: ClaimRequest, of most: Int, _ late: [Tenant?: [StoredJob]], _ shares: TenantShares
    ) throws(SQLiteFailure) -> (jobs: [StoredJob], isWhole: Bool) {
        let (limit, dispatch) = (request.limit, LineDispatch(session: session))
        var tenants = try session.turns.upcoming(most, passing: shares.passing) {
            name throws(SQLiteFailure) in
            try session.jobs.tenant(after: name)
        }
        let isWhole = tenants.count < most
        for tenant in late.keys where !shares.isFull(tenant) {
            let prefix = tenant?.prefix ?? ""
            if !tenants.contains(where: { $0.utf8.elementsEqual(prefix.utf8) }) { tenants.append(prefix) }
        }
        let rooms = tenants.map { shares.room(of: Tenant(ofStored: $0)) }
        let lists = try TenantTurns.filled(rooms, limit: limit) { places, count throws(SQLiteFailure) in
            var lists: [[StoredJob]] = []
            for place in places {
                let ready = try dispatch.others(count, belongs: \.isForLine) { () throws(SQLiteFailure) in
                    try session.jobs.ready(at: request.now, of: tenants[place], limit: count)
                }
                let due = late[Tenant(ofStored: tenants[place])] ?? []
                let all = due.isEmpty ? ready : (ready + due).sorted { $0.isClaimed(before: $1) }
                lists.append(Array(all.prefix(count)))
            }
            return lists
        }
        return (TenantTurns.mixed(lists, limit: limit), isWhole)
    }
}
