/// The effect of a cancellation request.
package enum CancelOutcome: Sendable {
    /// The job was not in flight and is now `cancelled`.
    case cancelled(JobRecord)
    /// The job is in flight and is now `cancelling`.
    case cancelling(JobRecord)
    /// The job had already ended.
    case alreadyFinal(JobRecord)
}
