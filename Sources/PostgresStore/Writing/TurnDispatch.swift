import JobKit
import JobStore

/// Finds the jobs that come next among those in no line, as tenants take turns.
struct TurnDispatch {
    let unit: WorkUnit

    private var tenants: WaitingTenants { unit.tenants }
    private var tables: StoreTables { unit.tables }
    private var touched: TouchedJobs { unit.touched }
    private var lines: QueueLines { unit.lines }
    private var starts: ScanStarts { unit.starts }

    /// The tenants whose jobs a claim takes in turn.
    func upcoming(_ request: ClaimRequest, _ shares: TenantShares) throws(PostgresFailure) -> [String] {
        try tenants.look(tables.dispatch.tenants)
        return tenants.upcoming(max(request.limit, WaitingTenants.atOnce), shares)
    }

    /// Notes that the runner should ask again soon when a claim found fewer jobs than it could take although others are
    /// ready: another server has locked them, and may leave them.
    func noteOthers(_ request: ClaimRequest, _ shares: TenantShares)
        throws(PostgresFailure)
    {
        if !unit.hasQueued { return }
        try touched.flush()
        let names = tenants.upcoming(.max - 1, shares)
        if try tables.dispatch.hasReady(of: names, since: starts, at: request.now) {
            unit.asksAgain = request.now.advanced(by: QueueLines.lockPause)
        }
    }

    /// Jobs that are ready, as tenants take turns.
    /// - Parameters:
    ///   - names: the prefixes of the tenants.
    ///   - found: what a first look found, with `TenantTurns.share` of each.
    func ready(
        of names: [String], _ request: ClaimRequest, _ shares: TenantShares, found: [StoredJob]? = nil
    ) throws(PostgresFailure) -> [StoredJob] {
        var first = found
        let rooms = names.map { shares.room(of: Tenant(ofStored: $0)) }
        let lists = try TenantTurns.filled(rooms, limit: request.limit) {
            places, count throws(PostgresFailure) in
            let wanted = places.map { names[$0] }
            var jobs: [StoredJob]
            if let found = first {
                jobs = found
                first = nil
            } else {
                try touched.flush()
                jobs = unit.unclaimed(
                    try tables.dispatch.ready(
                        at: request.now, of: wanted, since: starts, limit: count))
            }
            let byTenant = Dictionary(grouping: jobs) { $0.record.tenant }
            return wanted.map { (byTenant[Tenant(ofStored: $0)] ?? []).sorted { $0.isClaimed(before: $1) } }
        }
        let jobs = TenantTurns.mixed(lists, limit: request.limit)
        if jobs.count == request.limit || names.count <= WaitingTenants.atOnce { return jobs }
        // Those that have none any more must not hide the others.
        let all = tenants.upcoming(.max - 1, shares)
        return all.count <= names.count ? jobs : try ready(of: all, request, shares)
    }

    /// Jobs of queues without lines, when others have lines, or jobs of tenants fell due. These become ready, so that
    /// they take turns with the others of theirs, and those beyond a share are not found again by each claim.
    func candidates(
        _ request: ClaimRequest, _ shares: TenantShares
    ) throws(PostgresFailure) -> [StoredJob] {
        let (dispatch, now) = (tables.dispatch, request.now)
        let moves = { [lines] (queue: String) in lines.governs(queue) || Tenant.isOwner(of: queue) }
        let due = try others(request.limit, governs: moves, belongs: \.isDueForLine) {
            () throws(PostgresFailure) in
            unit.unclaimed(try dispatch.due(since: starts[.due], until: now, limit: request.limit))
        }
        try touched.flush()
        let names = try upcoming(request, shares)
        let found = try others(request.limit, governs: lines.governs, belongs: \.isForLine) {
            () throws(PostgresFailure) in
            try ready(of: names, request, shares)
        }
        let room = request.roomAhead(behind: found.count + due.count)
        let next = now.advanced(by: .milliseconds(1))
        let ahead = room > 0 ? try dispatch.due(since: next, until: request.horizon, limit: room) : []
        return ordered(
            found, due, unit.unclaimed(ahead).filter { !lines.governs($0.record.queue) }, request)
    }

    /// At most as many jobs as the request allows, as tenants take turns; those of one go by priority and then by the
    /// time since when they may begin. Those that are not due yet come last.
    func ordered(
        _ ready: [StoredJob], _ due: [StoredJob], _ ahead: [StoredJob], _ request: ClaimRequest
    ) -> [StoredJob] {
        let found = mixing(due, into: ready, limit: request.limit)
        return found + ahead.prefix(request.roomAhead(behind: found.count))
    }

    /// Jobs that `find` finds, without those that belong in lines, which are moved there.
    private func others(
        _ limit: Int, governs: (String) -> Bool, belongs: (StoredJob) -> Bool,
        find: () throws(PostgresFailure) -> [StoredJob]
    ) throws(PostgresFailure) -> [StoredJob] {
        try unit.movingIntoLines(limit, governs: governs, belongs: belongs) {
            () throws(PostgresFailure) in
            try touched.flush()
            return try find()
        }
    }

    /// Adds jobs that fell due to those of their tenants that are ready.
    func mixing(_ due: [StoredJob], into ready: [StoredJob], limit: Int) -> [StoredJob] {
        if due.isEmpty { return ready }
        var places: [Tenant?: Int] = [:]
        var lists: [[StoredJob]] = []
        for job in ready + due {
            let tenant = job.record.tenant
            let place = places[tenant] ?? lists.count
            if place == lists.count {
                places[tenant] = place
                lists.append([])
            }
            lists[place].append(job)
        }
        return TenantTurns.mixed(lists.map { $0.sorted { $0.isClaimed(before: $1) } }, limit: limit)
    }

    /// Whether a job that fell due becomes ready, to take turns with the others of its tenant.
    static func takesTurns(_ job: StoredJob) -> Bool {
        job.isDueForLine && Tenant.isOwner(of: job.record.queue)
    }

    /// Whether no job in no line is claimable that comes before a new one of a tenant. After `prepareArrivals`.
    func isAlone(_ tenant: Tenant?, at now: Timestamp) throws(PostgresFailure) -> Bool {
        guard let stored = unit.claimable, stored.isNoneDue(at: now), unit.claimableMade.isNoneDue(at: now)
        else {
            return false
        }
        guard let tenant else { return !stored.isReady && !unit.claimableMade.isReady }
        if unit.claimableMade.tenants.contains(tenant) { return false }
        if !stored.hasTenants || stored.tenants.contains(tenant) { return true }
        try touched.flush()
        guard try !tables.dispatch.hasReady(of: [tenant.prefix], since: starts, at: now) else {
            unit.claimableMade.tenants.insert(tenant)
            return false
        }
        unit.claimable?.tenants.insert(tenant)
        return true
    }
}
