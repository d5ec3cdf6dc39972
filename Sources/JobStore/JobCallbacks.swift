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

/// The jobs that tell of the end of another.
package struct JobCallbacks: Sendable {
    /// The end.
    package var end: JobEnd
    /// Who tells of it; none when nobody is to be told of this end.
    package var jobs: [NewJob]

    /// These jobs tell of `end`.
    package init(of end: JobEnd, jobs: [NewJob]) {
        self.end = end
        self.jobs = jobs
    }
}
