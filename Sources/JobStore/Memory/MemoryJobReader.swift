import JobKit

/// Reads of the memory engine.
final class MemoryJobReader: JobReader {
    private let store: MemoryJobStore

    /// A reader of this store.
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
            for (priority, order) in ledger.ready where priority >= job.record.priority {
                count += order.places.count { place in
                    priority > job.record.priority
                        || (place.time, place.number) < (job.readyAt ?? place.time, job.number)
                }
            }
            return min(count, 10_000)
        }
    }

    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine? {
        try store.read { ledger in
            guard let key = ledger.entries[id]?.uniqueKey, let line = ledger.lines[key],
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

    func journal(_ id: JobID, after: Int64, limit: Int) throws(JobStoreError) -> [NumberedEntry] {
        let limit = StoreRange.batch(limit)
        return try store.read { ledger in
            Array(MemoryLedger.numbered(ledger.entries[id]?.journal ?? [], after: after).prefix(limit))
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

    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord] {
        try store.read { ($0.settings[kind] ?? [:]).values.sorted { $0.name < $1.name } }
    }

    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage {
        let limit = StoreRange.page(query.limit)
        return try store.read { ledger in
            var jobs: [JobRecord] = []
            func take(_ id: JobID) -> Bool {
                if let record = ledger.entries[id]?.job.record, query.shows(record) { jobs.append(record) }
                return jobs.count <= limit
            }
            if query.ascending {
                let start = query.after.map { ledger.position(of: $0) } ?? 0
                for id in ledger.ids[start...] where id != query.after { if !take(id) { break } }
            } else {
                let end = query.after.map { ledger.position(of: $0) } ?? ledger.ids.count
                for id in ledger.ids[..<end].reversed() { if !take(id) { break } }
            }
            return JobPage(jobs: Array(jobs.prefix(limit)), hasMore: jobs.count > limit)
        }
    }
}

extension JobListQuery {
    /// Whether every filter lets `record` through.
    func shows(_ record: JobRecord) -> Bool {
        (states.isEmpty || states.contains(record.state))
            && Self.equal(type, record.type) && Self.equal(queue, record.queue)
            && Self.equal(name, record.name)
            && labels.allSatisfy { wanted in
                record.labels.contains {
                    Self.equal(wanted.key, $0.key) && Self.equal(wanted.value, $0.value)
                }
            }
            && (createdFrom.map { record.createdAt >= $0 } ?? true)
            && (createdBefore.map { record.createdAt < $0 } ?? true)
    }

    /// Byte by byte: `String ==` would take different spellings of one character for the same.
    private static func equal(_ wanted: String?, _ text: String) -> Bool {
        guard let wanted else { return true }
        return wanted.utf8.elementsEqual(text.utf8)
    }
}
