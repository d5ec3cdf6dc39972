package import JobKit

/// One action on many jobs. The ids of the jobs are stored with it when it is created, in a fixed order, and settled
/// one after the other.
package struct BulkRecord: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Ids are left to settle.
        case running
        case completed
        /// Stopped by a person; ids that were not settled are left alone.
        case cancelled
    }

    package var id: BulkID
    /// The request as canonical JSON.
    package var body: [UInt8]
    /// The maximum number of jobs per second; nil is as fast as the store takes them.
    package var perSecond: Int?
    package var createdAt: Timestamp
    /// The name of the caller who created it.
    package var createdBy: String
    /// The number of ids.
    package var total: Int
    package var state = State.running
    package var done = 0
    package var skipped = 0
    package var failed = 0
    package var finishedAt: Timestamp?
    /// The name of the caller who stopped it.
    package var stoppedBy: String?

    package init(
        id: BulkID, body: [UInt8], perSecond: Int?, createdAt: Timestamp, createdBy: String, total: Int
    ) {
        self.id = id
        self.body = body
        self.perSecond = perSecond
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.total = total
        finishWhenOver(at: createdAt)
    }

    /// The number of ids that are settled, which is the place of the next one.
    package var settled: Int { done + skipped + failed }

    /// Counts results that follow the settled ones.
    package mutating func count(_ results: [BulkResult], at now: Timestamp) {
        for result in results {
            switch result.outcome {
            case .done: done += 1
            case .skipped: skipped += 1
            case .failed: failed += 1
            }
        }
        finishWhenOver(at: now)
    }

    /// Stops it; false when it is over.
    package mutating func stop(by: String, at now: Timestamp) -> Bool {
        guard state == .running else { return false }
        (state, finishedAt, stoppedBy) = (.cancelled, now, by)
        return true
    }

    private mutating func finishWhenOver(at now: Timestamp) {
        if settled >= total { (state, finishedAt) = (.completed, now) }
    }
}

extension BulkRecord: TableRow {
    /// Without its number.
    package static let table = StoredTable(
        "bulk",
        [
            "id": .id, "body": .bytes, "per_second": .number, "created_at": .number, "created_by": .text,
            "total": .number, "state": .number, "done": .number, "skipped": .number, "failed": .number,
            "finished_at": .number, "stopped_by": .text,
        ])

    package init(_ row: inout RowValues) throws(StoredFormError) {
        self.init(
            id: BulkID(bits: row.id()), body: row.bytes(), perSecond: row.optionalNumber().map { Int($0) },
            createdAt: row.time(), createdBy: row.text(), total: Int(row.number()))
        let number = row.number()
        guard let state = State(stored: number) else {
            throw StoredFormError("the bulk action \(id) has the unknown state \(number)")
        }
        self.state = state
        done = Int(row.number())
        skipped = Int(row.number())
        failed = Int(row.number())
        finishedAt = row.optionalTime()
        stoppedBy = row.optionalText()
    }

    package var values: [StoredValue] {
        [
            .id(id.bits), .bytes(body), .init(perSecond.map { Int64($0) }), .init(createdAt),
            .text(createdBy), .number(Int64(total)),
        ] + progress
    }

    /// The values that change: those from `state` on.
    package var progress: [StoredValue] {
        [
            .number(state.stored), .number(Int64(done)), .number(Int64(skipped)), .number(Int64(failed)),
            .init(finishedAt), .init(stoppedBy),
        ]
    }
}

/// Reads of bulk actions.
package protocol BulkReads: Sendable {
    /// A bulk action; nil when there is none.
    func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord?

    /// Up to `limit` (1…10,000) bulk actions before `id` (nil for all), the newest first.
    func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord]

    /// Up to `limit` (1…10,000) bulk actions that are running, the oldest first.
    func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord]

    /// Up to `limit` (1…10,000) results from a place on, in order.
    func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult]
}
