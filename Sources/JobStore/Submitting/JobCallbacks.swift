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
