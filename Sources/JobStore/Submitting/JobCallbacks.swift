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
