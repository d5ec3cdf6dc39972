package import JobKit

/// The end of a job.
package struct JobEnd: Sendable, Hashable {
    /// Which job.
    package var id: JobID
    /// Its revision when it was over.
    package var revision: Int64

    /// The end of a job.
    package init(id: JobID, revision: Int64) {
        self.id = id
        self.revision = revision
    }
}
