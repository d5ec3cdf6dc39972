/// The effect of a cancellation request.
package enum CancelOutcome: Sendable {
    /// It was not in flight and is `cancelled` now.
    case cancelled(JobRecord)
    /// It is in flight; the state is `cancelling`.
    case cancelling(JobRecord)
    /// It had already ended.
    case alreadyFinal(JobRecord)
}
