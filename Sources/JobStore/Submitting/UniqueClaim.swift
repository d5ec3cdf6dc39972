package import JobKit

/// A key that one unfinished job has at a time, and the conflict rule for the job when another one has it.
package struct UniqueClaim: Sendable {
    /// The key.
    package var key: String
    /// The conflict rule.
    package var onConflict: UniqueConflict
    /// Makes the detail of the job while it waits for the one that has the key.
    package var waiting: @Sendable (JobID) -> [UInt8]
    /// Makes the cancellation request for a job that gives way to this one.
    package var stopping: @Sendable (JobRecord) -> CancelRequest

    /// A unique key.
    package init(
        key: String, onConflict: UniqueConflict, waiting: @escaping @Sendable (JobID) -> [UInt8],
        stopping: @escaping @Sendable (JobRecord) -> CancelRequest
    ) {
        self.key = key
        self.onConflict = onConflict
        self.waiting = waiting
        self.stopping = stopping
    }
}
