package import JobKit

/// The end of a job.
package struct JobEnd: Sendable, Hashable {
    package var id: JobID
    /// The job's revision at its end.
    package var revision: Int64

    package init(id: JobID, revision: Int64) {
        self.id = id
        self.revision = revision
    }
}
