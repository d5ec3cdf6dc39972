package import JobKit

/// The callback jobs of an end.
package struct JobCallbacks: Sendable {
    package var end: JobEnd
    /// The callback jobs; empty when there are none for this end.
    package var jobs: [NewJob]

    package init(of end: JobEnd, jobs: [NewJob]) {
        self.end = end
        self.jobs = jobs
    }
}

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

/// Reads of ends whose callbacks are not stored yet.
package protocol CallbackReads: Sendable {
    /// Up to `limit` (1…10,000) ends of jobs, of those in `NewJob.callbackEnds`, whose callbacks were not stored with
    /// `CallbackSubmission`, in the order of the jobs' acceptance.
    func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd]
}
