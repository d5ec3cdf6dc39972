package import JobKit

/// An exclusive key in the hands of an operation. Survives restarts.
package struct ExclusiveHold: Sendable, Hashable {
    /// The key.
    package var key: String
    /// The job.
    package var job: JobID
    /// The operation: the names from below the root.
    package var path: [String]

    /// A hold.
    package init(key: String, job: JobID, path: [String]) {
        self.key = key
        self.job = job
        self.path = path
    }

    /// The wake key of jobs that wait for exclusive keys. `JobStore.recover` wakes them, since nobody remembers
    /// their line.
    package static let wakeKey = "exclusive"
}
