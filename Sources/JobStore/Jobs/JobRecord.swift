package import JobKit
package import JobSpec

/// One stored job, without its spec, journal and result content.
package struct JobRecord: Sendable, Hashable {
    /// The job's name for ever.
    package var id: JobID
    /// The root operation's name.
    package var name: String
    /// The root operation's type.
    package var type: String
    /// The queue it waits in.
    package var queue: String
    /// 0…9, a higher one is claimed first.
    package var priority: Int
    /// To find it by.
    package var labels: [JobSpec.Label]
    /// The submitter's own JSON object as bytes, handed on unread; empty when there is none.
    package var metadata: [UInt8] = []
    /// The state.
    package var state: JobState
    /// Rises by one with every change; the ETag is made of it.
    package var revision: Int64 = 1
    /// Rises by one with every claim. A write of a run carries the fence of its claim and is refused when another
    /// claim came later.
    package var fence: Int64 = 0
    /// Attempts of the root operation made so far.
    package var attempt: Int = 0
    /// Attempts allowed.
    package var attemptsMax: Int
    /// When it was accepted.
    package var createdAt: Timestamp
    /// When it becomes or became runnable for the first time; nil when at once.
    package var runAt: Timestamp?
    /// When it was first executed.
    package var startedAt: Timestamp?
    /// When it reached its final state.
    package var finishedAt: Timestamp?
    /// When it ends unless it was started: it expires, or its `NewJob.deadline` passes.
    package var expiresAt: Timestamp?
    /// When it is to be looked at next, in `scheduled`, `waiting`, `retrying`, `pending` and `paused`; nil
    /// elsewhere. The claim takes it
    /// from then on. In `retrying` this is `next_attempt_at`.
    package var dueAt: Timestamp?
    /// When retention ends, in final states; nil elsewhere.
    package var purgeAt: Timestamp?
    /// Retention after success, in milliseconds.
    package var keepSucceededMilliseconds: Int64
    /// Retention after any other end, in milliseconds.
    package var keepFailedMilliseconds: Int64
    /// Members of the job's JSON representation that the engine writes and the door hands on unread: the inside of
    /// one JSON object without its braces, such as `"error":{…},"waiting_on":[…]`; empty when there are none.
    package var detail: [UInt8] = []

    /// A record as it is first stored.
    package init(
        id: JobID, name: String, type: String, queue: String, priority: Int, labels: [JobSpec.Label],
        state: JobState,
        attemptsMax: Int, createdAt: Timestamp, keepSucceededMilliseconds: Int64,
        keepFailedMilliseconds: Int64
    ) {
        self.id = id
        self.name = name
        self.type = type
        self.queue = queue
        self.priority = priority
        self.labels = labels
        self.state = state
        self.attemptsMax = attemptsMax
        self.createdAt = createdAt
        self.keepSucceededMilliseconds = keepSucceededMilliseconds
        self.keepFailedMilliseconds = keepFailedMilliseconds
    }
}
