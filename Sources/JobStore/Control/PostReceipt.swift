/// The effect of a post.
package struct PostReceipt: Sendable {
    /// The job after it.
    package var job: JobRecord
    /// The number of the post among all that the job was sent, from 1, rising.
    package var number: Int64
    /// Whether a run is under way that has to be told. Otherwise the next run sees it.
    package var isRunning: Bool

    /// A receipt.
    package init(job: JobRecord, number: Int64, isRunning: Bool) {
        self.job = job
        self.number = number
        self.isRunning = isRunning
    }
}
