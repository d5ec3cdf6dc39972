/// The effect of a post.
package struct PostReceipt: Sendable {
    /// The job after the post.
    package var job: JobRecord
    /// The number of the post among all posts to the job, from 1, without gaps.
    package var number: Int64
    /// Whether a run is in progress that must be notified. Otherwise the next run sees the post.
    package var isRunning: Bool

    package init(job: JobRecord, number: Int64, isRunning: Bool) {
        self.job = job
        self.number = number
        self.isRunning = isRunning
    }
}
