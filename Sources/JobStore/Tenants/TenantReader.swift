package import JobKit

/// Reads as if the store had only what is one tenant's, with the names that the tenant knows. Everything of others is
/// like something that does not exist.
package struct TenantReader: JobReader {
    private let base: any JobReader
    private let tenant: Tenant

    package init(_ base: any JobReader, _ tenant: Tenant) {
        self.base = base
        self.tenant = tenant
    }

    private func owns(_ id: JobID) throws(JobStoreError) -> Bool {
        try base.job(id).map { tenant.owns($0.queue) } ?? false
    }

    // MARK: Jobs

    package func job(_ id: JobID) throws(JobStoreError) -> JobRecord? {
        guard let job = try base.job(id), tenant.owns(job.queue) else { return nil }
        return tenant.shown(job)
    }

    package func names(of ids: [JobID]) throws(JobStoreError) -> JobNames {
        try base.names(of: ids).filter { tenant.owns($1.queue) }.mapValues {
            ($0.name, tenant.shown($0.queue))
        }
    }

    package func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]? {
        try owns(id) ? try base.spec(id) : nil
    }

    package func result(_ id: JobID) throws(JobStoreError) -> OperationResult? {
        try owns(id) ? try base.result(id) : nil
    }

    /// Unknown: the jobs ahead are those of others, too.
    package func ahead(of id: JobID) throws(JobStoreError) -> Int? { nil }

    package func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine? {
        guard try owns(id), var line = try base.uniqueLine(before: id), try owns(line.holder) else {
            return nil
        }
        line.key = OwnedText.shown(line.key)
        return line
    }

    package func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage {
        var page = try base.list(scoped(query))
        page.jobs = page.jobs.map(tenant.shown)
        return page
    }

    package func ids(_ query: JobListQuery) throws(JobStoreError) -> JobIDPage { try base.ids(scoped(query)) }

    package func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(JobStoreError) -> JobCount {
        let count = try base.count(scoped(query), by: keys, examinedMax: examinedMax)
        guard let place = keys.firstIndex(of: .queue) else { return count }
        let groups = count.groups.map { group in
            var group = group
            group.values[place] = tenant.shown(group.values[place])
            return group
        }
        return JobCount(groups: groups, isLowerBound: count.isLowerBound)
    }

    private func scoped(_ query: JobListQuery) -> JobListQuery {
        var query = query
        query.tenant = tenant
        query.queue = query.queue.map(tenant.stored)
        return query
    }

    package func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(JobStoreError) -> [NumberedEntry] {
        try owns(id) ? try base.journal(id, after: after, limit: limit, bytes: bytes) : []
    }

    package func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry] {
        try owns(id) ? try base.journal(id, at: sequences) : []
    }

    package func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex {
        try owns(id) ? try base.index(id, from: known) : known
    }

    package func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse] {
        try owns(id) ? try base.artifacts(id) : []
    }

    package func artifactBytes(of tenant: Tenant) throws(JobStoreError) -> Int64 {
        try base.artifactBytes(of: self.tenant)
    }

    package func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd] { [] }

    // MARK: Keys

    package func holds() throws(JobStoreError) -> [ExclusiveHold] {
        try base.holds().compactMap { hold in
            guard tenant.ownsText(hold.key) else { return nil }
            var hold = hold
            hold.key = OwnedText.shown(hold.key)
            return hold
        }
    }

    package func standing(
        of path: [String], in job: JobID, for keys: [String]
    ) throws(JobStoreError) -> KeyStanding {
        guard try owns(job) else { return KeyStanding() }
        return try base.standing(of: path, in: job, for: keys.map { tenant.storedText($0) })
    }

    package func validator(_ key: String) throws(JobStoreError) -> AnswerValidator? {
        try base.validator(tenant.storedText(key))
    }

    // MARK: Approvals and grants

    package func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord? {
        guard let approval = try base.approval(id), try owns(approval.job) else { return nil }
        return approval
    }

    package func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage {
        var query = query
        query.tenant = tenant
        return try base.approvals(query)
    }

    package func grant(_ name: String) throws(JobStoreError) -> GrantRecord? {
        try base.grant(tenant.stored(name)).map(tenant.shown)
    }

    package func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord] {
        try base.grants(after: tenant.stored(after), limit: limit).prefix { tenant.owns($0.name) }
            .map(tenant.shown)
    }

    package func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID] {
        guard let name = GrantRequest.name(wakeKey: key) else { return [] }
        return try base.waiting(for: GrantRequest.wakeKey(tenant.stored(name)), limit: limit)
    }

    // MARK: Templates, schedules, settings, queues

    package func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord? {
        try base.template(tenant.stored(name), version: version).map(tenant.shown)
    }

    package func templates() throws(JobStoreError) -> [TemplateRecord] {
        try base.templates().filter { tenant.owns($0.name) }.map(tenant.shown)
    }

    package func schedule(_ name: String) throws(JobStoreError) -> ScheduleRecord? {
        try base.schedule(tenant.stored(name)).map(tenant.shown)
    }

    package func schedules(after: String, limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        try base.schedules(after: tenant.stored(after), limit: limit).prefix { tenant.owns($0.name) }
            .map(tenant.shown)
    }

    package func schedulesToWake(limit: Int) throws(JobStoreError) -> [ScheduleRecord] { [] }

    package func occurrences(
        of name: String, _ query: OccurrenceQuery
    ) throws(JobStoreError) -> [Occurrence] {
        try base.occurrences(of: tenant.stored(name), query).map(tenant.shown)
    }

    package func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord] {
        try base.settings(kind).filter { tenant.owns($0.name) }.map(tenant.shown)
    }

    package func queues() throws(JobStoreError) -> [QueueStanding] { tenant.shown(try base.queues()) }

    // MARK: Bulk actions and changes

    package func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord? {
        guard let bulk = try base.bulk(id), tenant.ownsText(bulk.createdBy) else { return nil }
        return tenant.shown(bulk)
    }

    package func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord] {
        try own(limit: limit, after: id, { ($0.id, $0.createdBy) }) { last throws(JobStoreError) in
            try base.bulks(before: last, limit: StoreRange.pageMax)
        }.map(tenant.shown)
    }

    /// The first of the tenant's in a list of all.
    /// - Parameters:
    ///   - facts: the id of an item, and who created it.
    ///   - read: the next page of `StoreRange.pageMax` items behind an id.
    private func own<Item, ID>(
        limit: Int, after id: ID?, _ facts: (Item) -> (id: ID, by: String),
        _ read: (ID?) throws(JobStoreError) -> [Item]
    ) throws(JobStoreError) -> [Item] {
        var found: [Item] = []
        var last = id
        while found.count < limit {
            let page = try read(last)
            found += page.filter { tenant.ownsText(facts($0).by) }
            guard page.count == StoreRange.pageMax, let end = page.last else { break }
            last = facts(end).id
        }
        return Array(found.prefix(limit))
    }

    package func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord] { [] }

    package func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult] {
        guard try bulk(id) != nil else { return [] }
        return try base.results(of: id, from: place, limit: limit).map { result in
            var result = result
            result.detail = result.detail.map { tenant.shown(sentence: $0) }
            return result
        }
    }

    package func upload(_ id: UploadID) throws(JobStoreError) -> UploadRecord? {
        guard let upload = try base.upload(id), tenant.ownsText(upload.createdBy) else { return nil }
        return tenant.shown(upload)
    }

    package func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding? {
        try owns(id) ? try base.callback(of: id, place) : nil
    }

    package func uploads(before id: UploadID?, limit: Int) throws(JobStoreError) -> [UploadRecord] {
        try own(limit: limit, after: id, { ($0.id, $0.createdBy) }) { last throws(JobStoreError) in
            try base.uploads(before: last, limit: StoreRange.pageMax)
        }.map(tenant.shown)
    }

    package func delivery(_ id: DeliveryID) throws(JobStoreError) -> DeliveryRecord? {
        guard let delivery = try base.delivery(id), tenant.owns(delivery.hook) else { return nil }
        return tenant.shown(delivery)
    }

    package func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(JobStoreError) -> [DeliveryRecord] {
        try base.deliveries(to: tenant.stored(hook), outcome: outcome, before: id, limit: limit).map(
            tenant.shown)
    }

    package func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(JobStoreError) -> [AuditRecord] {
        try base.audits(of: self.tenant, before: number, limit: limit).map(self.tenant.shown)
    }

    package func stats(
        by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?, from start: Timestamp,
        before end: Timestamp
    ) throws(JobStoreError) -> [StatsPoint] {
        try base.stats(by: facet, step, of: self.tenant, from: start, before: end)
    }

    // MARK: The server

    package func closings() throws(JobStoreError) -> [OriginClosing] { [] }

    package func servers(countingJobs: Bool) throws(JobStoreError) -> [ServerRecord] {
        try base.servers(countingJobs: countingJobs)
    }
}
