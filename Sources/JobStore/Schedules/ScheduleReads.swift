package import JobKit

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
