package import JobKit

/// An exclusive key that an operation holds. Survives restarts.
package struct ExclusiveHold: Sendable, Hashable {
    package var key: String
    package var job: JobID
    /// The operation: the names below the root.
    package var path: [String]

    package init(key: String, job: JobID, path: [String]) {
        self.key = key
        self.job = job
        self.path = path
    }

    /// The wake key of jobs that wait for exclusive keys. A server wakes them at its start, since their lines were in
    /// memory.
    package static let wakeKey = "exclusive"
}
