package import JobKit

/// An exclusive key that an operation holds. Survives restarts.
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

    /// The wake key of jobs that wait for exclusive keys. A server that starts wakes them, since their line was in
    /// memory.
    package static let wakeKey = "exclusive"
}
