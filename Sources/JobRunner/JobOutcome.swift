package import JobKit

/// The outcome of a job, for the log.
package struct JobOutcome: Sendable {
    /// Which job.
    package var id: JobID
    /// The root operation's name.
    package var name: String
    /// Its type.
    package var type: String
    /// Its queue.
    package var queue: String
    /// Its final state.
    package var state: JobState
    /// Attempts of the root operation.
    package var attempts: Int
    /// From its start to its end.
    package var duration: Duration
    /// The first error's code.
    package var errorCode: String?
}

/// A failure of the store that the engine reports.
package struct EngineTrouble: Sendable {
    /// The task at hand and what went wrong, as a sentence.
    package var detail: String
    /// The job concerned, when it is one.
    package var id: JobID?
}
