import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// Reads of the memory engine.
final class MemoryJobReader: JobReader {
    private let store: MemoryJobStore

    init(store: MemoryJobStore) { self.store = store }

    func job(_ id: JobID) throws(JobStoreError) -> JobRecord? {
        try store.read { $0.entries[id]?.job.record }
    }

    func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]? {
        try store.read { $0.entries[id]?.spec }
    }

    func ahead(of id: JobID) throws(JobStoreError) -> Int? {
        try store.read { ledger in
            guard let job = ledger.entries[id]?.job, job.readyAt != nil else { return nil }
            var count = 0
            let own = MemoryLedger.Rank(job.record)
            for (rank, order) in ledger.ready where rank.tenant == own.tenant && rank.priority >= own.priority
            {
                count += order.places.count { place in
                    rank.priority > own.priority
                        || (place.time, place.number) < (job.readyAt ?? place.time, job.number)
                }
            }
            return min(count, 10_000)
        }
    }

    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine? {
        try store.read { ledger in
            guard let key = ledger.entries[id]?.uniqueKey, let line = ledger.lines[ByteKey(key)],
                let place = line.firstIndex(of: id), let holder = line.first, holder != id
            else { return nil }
            return UniqueLine(key: key, holder: holder, ahead: min(place, 10_000))
        }
    }

    func result(_ id: JobID) throws(JobStoreError) -> OperationResult? {
        try store.read { $0.entries[id]?.result }
    }

    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse] {
        try store.read { ledger in
            guard let entry = ledger.entries[id] else { return [] }
            var uses: [[String]: ArtifactUse] = [:]
            for line in entry.journal {
                guard case .finished(let ending) = line.event else { continue }
                if let use = ArtifactUse(ending.result, path: line.path, at: line.at) {
                    uses[line.path] = use
                }
            }
            let end = entry.job.record.finishedAt ?? entry.job.record.createdAt
            if let use = ArtifactUse(entry.result, path: [], at: end) { uses[[]] = use }
            return uses.values.sorted {
                ($0.storedAt, $0.path.joined(separator: "/")) < ($1.storedAt, $1.path.joined(separator: "/"))
            }
        }
    }

    func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(JobStoreError) -> [NumberedEntry] {
        let limit = StoreRange.batch(limit)
        return try store.read { ledger in
            var bytesLeft = bytes
            return (ledger.entries[id]?.numbered(after: after) ?? []).prefix(limit).prefix { numbered in
                defer { bytesLeft -= numbered.entry.encoded().count }
                return bytesLeft > 0
            }
        }
    }

    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry] {
        try store.read { ledger in
            let wanted = Set(sequences)
            return (ledger.entries[id]?.numbered(after: 0) ?? []).filter { wanted.contains($0.sequence) }
        }
    }

    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex {
        let journal = try store.read { $0.entries[id]?.numbered(after: known.last) ?? [] }
        var index = known
        for numbered in journal { try? index.add(numbered.entry.encoded(), upTo: numbered.sequence) }
        return index
    }

    func standing(
        of path: [String], in job: JobID, for keys: [String]
    ) throws(JobStoreError) -> KeyStanding {
        try store.read { $0.standing(of: path, in: job, for: keys) }
    }

    func servers() throws(JobStoreError) -> [ServerRecord] {
        let now = store.now
        return try store.read { ledger in
            let alive = Set(ledger.leases.alive(at: now))
            return ledger.servers.values.filter { alive.contains($0.id) }
                .sorted { ($0.startedAt, $0.id.description) < ($1.startedAt, $1.id.description) }
        }
    }

    func holds() throws(JobStoreError) -> [ExclusiveHold] {
        try store.read { $0.holds.values.sorted { $0.key < $1.key } }
    }

    func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord? {
        try store.read { $0.approvals[id] }
    }

    func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage {
        try store.read { $0.page(query) }
    }

    func grant(_ name: String) throws(JobStoreError) -> GrantRecord? {
        try store.read { $0.grants[name] }
    }

    func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord] {
        let limit = StoreRange.batch(limit)
        return try store.read { ledger in
            let behind = ledger.grants.values.filter { $0.name > after }
            return Array(behind.sorted { $0.name < $1.name }.prefix(limit))
        }
    }

    func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd] {
        let limit = StoreRange.batch(limit)
        return try store.read { $0.endsToTell(limit: limit) }
    }

    func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID] {
        let limit = StoreRange.batch(limit)
        return try store.read { $0.waiting(for: key, limit: limit) }
    }

    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord? {
        try store.read { ledger in
            let versions = ledger.templates[name] ?? []
            return version.map { wanted in versions.first { $0.version == wanted } } ?? versions.last
        }
    }

    func templates() throws(JobStoreError) -> [TemplateRecord] {
        try store.read { $0.templates.values.compactMap(\.last).sorted { $0.name < $1.name } }
    }

    func validator(_ key: String) throws(JobStoreError) -> AnswerValidator? {
        try store.read { ledger in
            guard let known = ledger.validators[key], let id = JobID(known.job) else { return nil }
            return ledger.entries[id].map { _ in known }
        }
    }

    func stats(
        by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?, from start: Timestamp,
        before end: Timestamp
    ) throws(JobStoreError) -> [StatsPoint] {
        try store.read { ledger in
            let found = ledger.stats.filter { key, _ in
                key.step == step && key.facet == facet && key.tenant == tenant?.name ?? "" && key.at >= start
                    && key.at < end
            }
            return found.sorted { $0.key < $1.key }
                .map { StatsPoint(at: $0.key.at, bin: StatsBin(decoding: $0.value.bytes)) }
        }
    }

    func closings() throws(JobStoreError) -> [OriginClosing] {
        try store.read { $0.closings.values.sorted { $0.origin < $1.origin } }
    }

    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord] {
        try store.read { ($0.settings[kind] ?? [:]).values.sorted { $0.name < $1.name } }
    }

    func queues() throws(JobStoreError) -> [QueueStanding] { try store.read { $0.queues() } }

    func schedule(_ name: String) throws(JobStoreError) -> ScheduleRecord? {
        try store.read { $0.schedules[name]?.record }
    }

    func schedules(after: String, limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        try store.read { ledger in
            let behind = ledger.schedules.values.map(\.record).filter { $0.name > after }
            return Array(behind.sorted { $0.name < $1.name }.prefix(StoreRange.batch(limit)))
        }
    }

    func schedulesToWake(limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        try store.read { ledger in
            let waking = ledger.schedules.values.map(\.record).filter { $0.progress.wakeAt != nil }
            let inOrder = waking.sorted { ($0.progress.wakeAt ?? .never) < ($1.progress.wakeAt ?? .never) }
            return Array(inOrder.prefix(StoreRange.batch(limit)))
        }
    }

    func occurrences(of name: String, _ query: OccurrenceQuery) throws(JobStoreError) -> [Occurrence] {
        try store.read { $0.occurrences(of: name, query) }
    }

    func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord? { try store.read { $0.bulks[id]?.record } }

    func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord] {
        try store.read { ledger in
            let older = ledger.bulks.values.map(\.record).filter { bulk in id.map { bulk.id < $0 } ?? true }
            return Array(older.sorted { $0.id > $1.id }.prefix(StoreRange.batch(limit)))
        }
    }

    func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord] {
        try store.read { ledger in
            let running = ledger.bulks.values.map(\.record).filter { $0.state == .running }
            return Array(running.sorted { $0.id < $1.id }.prefix(StoreRange.batch(limit)))
        }
    }

    func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult] {
        try store.read {
            Array(($0.bulks[id]?.results ?? []).dropFirst(place).prefix(StoreRange.batch(limit)))
        }
    }

    func upload(_ id: UploadID) throws(JobStoreError) -> UploadRecord? { try store.read { $0.upload(id) } }

    func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding? {
        let name = ByteKey(CallbackStanding.name(of: place))
        return try store.read { $0.standings[id]?[name] }.map(CallbackStanding.read)
    }

    func uploads(before id: UploadID?, limit: Int) throws(JobStoreError) -> [UploadRecord] {
        try store.read { ledger in
            let older = ledger.uploads.keys.filter { upload in id.map { upload < $0 } ?? true }
            return older.sorted(by: >).prefix(StoreRange.batch(limit)).compactMap(ledger.upload)
        }
    }

    func delivery(_ id: DeliveryID) throws(JobStoreError) -> DeliveryRecord? {
        try store.read { $0.deliveries[id] }
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(JobStoreError) -> [DeliveryRecord] {
        try store.read { ledger in
            let found = ledger.deliveries.values.filter { one in
                one.hook == hook && (outcome ?? one.outcome) == one.outcome
                    && (id.map { one.id < $0 } ?? true)
            }
            return found.sorted { $0.id > $1.id }.prefix(StoreRange.batch(limit)).map { one in
                var shown = one
                (shown.head, shown.body) = ([], [])
                return shown
            }
        }
    }

    func artifactBytes(of tenant: Tenant) throws(JobStoreError) -> Int64 {
        let jobs = try store.read { $0.entries.values.map(\.job.record) }
        let uploads = try store.read { $0.uploads.values.filter { tenant.ownsText($0.createdBy) } }
        var bytes = uploads.reduce(Int64(0)) { $0 + Int64(max($1.artifact.bytes, UploadRecord.bytesMin)) }
        for job in jobs where tenant.owns(job.queue) {
            for use in try artifacts(job.id) { bytes += Int64(use.artifact.bytes) }
        }
        return bytes
    }

    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(JobStoreError) -> [AuditRecord] {
        try store.read { ledger in
            let found = ledger.audits.reversed().filter { record in
                record.number < number ?? .max && tenant.map { $0.ownsText(record.by) } ?? true
            }
            return Array(found.prefix(StoreRange.batch(limit)))
        }
    }

    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage {
        let limit = StoreRange.page(query.limit)
        return try store.read { ledger in
            var (jobs, bytes) = ([JobRecord](), 0)
            for record in ledger.records(for: query) where query.shows(record) {
                if jobs.count == limit || bytes >= query.bytesMax {
                    return JobPage(jobs: jobs, next: jobs.last.map(query.place(of:)))
                }
                jobs.append(record)
                bytes += record.shownBytes
            }
            return JobPage(jobs: jobs, next: nil)
        }
    }
}

extension MemoryLedger {
    /// The jobs after the position where the previous page ended, in the order of the list.
    fileprivate func records(for query: JobListQuery) -> [JobRecord] {
        guard query.isByFinish else {
            let start = query.after.map { position(of: $0) }
            let ids = query.ascending ? ids[(start ?? 0)...] : ids[..<(start ?? ids.count)]
            let records = ids.filter { $0 != query.after }.compactMap { entries[$0]?.job.record }
            return query.ascending ? records : records.reversed()
        }
        typealias Place = (Timestamp, JobID)
        let ended = entries.values.compactMap { entry in
            entry.job.record.finishedAt.map { (place: ($0, entry.job.record.id) as Place, entry.job.record) }
        }
        let sorted = ended.sorted { query.ascending ? $0.place < $1.place : $0.place > $1.place }
        guard let after = query.after, let time = query.afterFinish else { return sorted.map(\.1) }
        return sorted.filter { query.ascending ? $0.place > (time, after) : $0.place < (time, after) }.map(
            \.1)
    }
}

extension JobListQuery {
    /// Whether `record` passes every filter.
    func shows(_ record: JobRecord) -> Bool {
        (states.isEmpty || states.contains(record.state))
            && Self.equal(type, record.type) && Self.equal(queue, record.queue)
            && (tenant.map { $0.owns(record.queue) } ?? true)
            && Self.equal(name, record.name)
            && (namePrefix.map { record.name.utf8.starts(with: $0.utf8) } ?? true)
            && (ids?.contains(record.id) ?? true)
            && (queueKey.map { record.queueKey != nil && Self.equal($0, record.queueKey ?? "") } ?? true)
            && call.shows(record.failedCall)
            && (errorCode.map { $0 == record.endCode?.description } ?? true)
            && (waitKind.map { record.waitKinds.contains($0) } ?? true)
            && (origins.isEmpty || !record.awaitedOrigins.allSatisfy { !origins.contains($0) })
            && labels.allSatisfy { wanted in
                record.labels.contains {
                    Self.equal(wanted.key, $0.key) && Self.equal(wanted.value, $0.value)
                }
            }
            && (createdFrom.map { record.createdAt >= $0 } ?? true)
            && (createdBefore.map { record.createdAt < $0 } ?? true)
            && (!isByFinish || isShownByFinish(record))
    }

    private func isShownByFinish(_ record: JobRecord) -> Bool {
        guard let time = record.finishedAt else { return false }
        return (finishedFrom.map { time >= $0 } ?? true) && (finishedBefore.map { time < $0 } ?? true)
    }

    /// Compares bytes: `String ==` would equate different spellings of one character.
    private static func equal(_ wanted: String?, _ text: String) -> Bool {
        guard let wanted else { return true }
        return wanted.utf8.elementsEqual(text.utf8)
    }
}
