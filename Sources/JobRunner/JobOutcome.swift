package import JobKit

/// What the engine says about a job that ended, for the log.
package struct JobOutcome: Sendable {
    /// Which job.
    package var id: JobID
    /// The root operation's name.
    package var name: String
    /// Its type.
    package var type: String
    /// Its queue.
    package var queue: String
    /// How it ended.
    package var state: JobState
    /// Attempts of the root operation.
    package var attempts: Int
    /// From its start to its end.
    package var duration: Duration
    /// The first error's code.
    package var errorCode: String?
}

/// What the engine has to report besides outcomes: the store does not take what it should.
package struct EngineTrouble: Sendable {
    /// What was being done and what went wrong.
    package var detail: String
    /// The job concerned, when it is one.
    package var id: JobID?
}
