package import JobKit

/// The unfinished jobs with the same unique key that are ahead of a job.
package struct UniqueLine: Sendable, Hashable {
    package var key: String
    /// The first of them, which holds the key.
    package var holder: JobID
    /// The number of jobs ahead, including the holder; counted up to 10,000.
    package var ahead: Int

    package init(key: String, holder: JobID, ahead: Int) {
        self.key = key
        self.holder = holder
        self.ahead = ahead
    }
}
