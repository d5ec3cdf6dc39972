package import JobKit

/// A unique key, which one unfinished job holds at a time, and the rule for a conflict.
package struct UniqueClaim: Sendable {
    package var key: String
    /// The rule for a conflict.
    package var onConflict: UniqueConflict
    /// Makes the detail of the job while it waits for the holder of the key.
    package var waiting: @Sendable (JobID) -> [UInt8]
    /// Makes the cancellation request for a job that this one replaces.
    package var stopping: @Sendable (JobRecord) -> CancelRequest

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
