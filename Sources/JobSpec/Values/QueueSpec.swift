package import JobKit
package import StrictJSON

/// The configuration of a queue: the limits of its jobs and the defaults for them. One without members holds nothing
/// back.
package struct QueueSpec: Sendable, Hashable {
    /// Limits of all jobs together.
    package var total = FlowLimits()
    /// Limits of the jobs with the same key. Jobs without a key have none.
    package var perKey = FlowLimits()
    /// Which of the waiting jobs of one priority comes next.
    package var order = Order.fair
    /// Whether no job begins.
    package var isPaused = false
    /// The maximum number of jobs that are runnable and wait; nil is no limit.
    package var waitingMax: Int?
    /// The answer to a job beyond `waitingMax`.
    package var whenFull = WhenFull.reject
    /// The members that its jobs get unless they have them: `priority`, `retention`, `retry`, `timeouts`.
    package var defaults = JSONObject()

    package init() {}

    /// Which of the waiting jobs of one priority comes next.
    package enum Order: String, Sendable, Hashable, CaseIterable {
        /// The keys take turns; the oldest job of each.
        case fair
        /// The oldest job, whatever its key, unless that is at its limit.
        case fifo
    }

    /// The answer to a job for which a queue has no room.
    package enum WhenFull: String, Sendable, Hashable, CaseIterable {
        /// A problem.
        case reject
        /// The request waits for room first.
        case wait
    }
}
