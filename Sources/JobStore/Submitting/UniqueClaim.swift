package import JobKit

/// A unique key, which one unfinished job holds at a time, and the rule for a conflict.
package struct UniqueClaim: Sendable {
    package var key: String
    /// The rule for a conflict.
    package var onConflict: UniqueConflict
    /// Makes the cancellation request for a job that gives way to this one.
    package var stopping: @Sendable (JobRecord) -> CancelRequest

    package init(
        key: String, onConflict: UniqueConflict,
        stopping: @escaping @Sendable (JobRecord) -> CancelRequest
    ) {
        self.key = key
        self.onConflict = onConflict
        self.stopping = stopping
    }
}
