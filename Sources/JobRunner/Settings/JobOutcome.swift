package import JobKit
import JobStore

/// The outcome of a job, for the log.
package struct JobOutcome: Sendable {
    package var id: JobID
    /// The name of the root operation.
    package var name: String
    /// The type of the root operation.
    package var type: String
    package var queue: String
    package var state: JobState
    /// The number of attempts of the root operation.
    package var attempts: Int
    /// The time from its start to its end.
    package var duration: Duration
    /// The code of the first error.
    package var errorCode: String?
}

/// A failure of the store that the engine reports.
package struct EngineTrouble: Sendable {
    /// The task at hand and what went wrong, as a sentence.
    package var detail: String
    /// The job concerned, if any.
    package var id: JobID?
}
