package import JobKit

/// A stored schedule.
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
