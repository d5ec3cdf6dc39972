package import JobKit

package struct ScheduleRecord: Sendable, Hashable {
    package var name: String
    /// The number of times that its spec was stored since its creation, from 1.
    package var version: Int64
    /// The spec as canonical JSON.
    package var body: [UInt8]
    package var createdAt: Timestamp
    /// The name of the caller who stored its first spec.
    package var createdBy: String
    package var updatedAt: Timestamp
    /// The name of the caller who stored the spec.
    package var updatedBy: String
    package var progress: ScheduleProgress
    /// The number of its changes, progress included, from 1. Assigned by the store.
    package var revision: Int64 = 0

    /// Creates a schedule, which was made when it was updated.
    package init(
        name: String, version: Int64, body: [UInt8], updatedAt: Timestamp, updatedBy: String,
        progress: ScheduleProgress
    ) {
        self.name = name
        self.version = version
        self.body = body
        createdAt = updatedAt
        createdBy = updatedBy
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
        self.progress = progress
    }
}

extension ScheduleRecord: TableRow {
    /// Without its number.
    package static let table = StoredTable(
        "schedule",
        [
            "name": .text, "version": .number, "revision": .number, "body": .bytes, "updated_at": .number,
            "updated_by": .text, "progress": .bytes, "wake_at": .number, "created_at": .number,
            "created_by": .text,
        ])

    package init(_ row: inout RowValues) throws(StoredFormError) {
        let (name, version, revision) = (row.text(), row.number(), row.number())
        let (body, updatedAt, updatedBy) = (row.bytes(), row.time(), row.text())
        let progress: ScheduleProgress
        do throws(StoredFormError) { progress = try ScheduleProgress(decoding: row.bytes()) } catch {
            throw StoredFormError("the schedule \(name): \(error.detail)")
        }
        self.init(
            name: name, version: version, body: body, updatedAt: updatedAt, updatedBy: updatedBy,
            progress: progress)
        self.revision = revision
        // The time to wake, which is a part of the progress.
        _ = row.next()
        createdAt = row.time()
        createdBy = row.text()
    }

    package var values: [StoredValue] {
        [
            .text(name), .number(version), .number(revision), .bytes(body), .init(updatedAt),
            .text(updatedBy), .bytes(progress.encoded), .init(progress.wakeAt), .init(createdAt),
            .text(createdBy),
        ]
    }
}

package protocol ScheduleReads: Sendable {
    /// A schedule; nil when there is none.
    func schedule(_ name: String) throws(JobStoreError) -> ScheduleRecord?

    /// Up to `limit` (1…10,000) schedules after the name `after` (empty for all), by name.
    func schedules(after: String, limit: Int) throws(JobStoreError) -> [ScheduleRecord]

    /// Up to `limit` (1…10,000) schedules with the earliest `wakeAt`, in this order; those without are left out.
    func schedulesToWake(limit: Int) throws(JobStoreError) -> [ScheduleRecord]

    /// The occurrences of a schedule in a range of planned times.
    func occurrences(of name: String, _ query: OccurrenceQuery) throws(JobStoreError) -> [Occurrence]
}

/// A range of planned times.
package struct OccurrenceQuery: Sendable, Hashable {
    /// The first planned time.
    package var from = Timestamp(milliseconds: .min)
    /// The last planned time.
    package var to = Timestamp.never
    /// Whether the latest come first.
    package var isLatestFirst = true
    /// 1…10,000
    package var limit: Int

    package init(limit: Int) { self.limit = limit }
}
