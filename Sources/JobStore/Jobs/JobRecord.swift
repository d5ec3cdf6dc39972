package import JobKit
package import JobSpec

// DESIGN
// A record passes through ten floors between the reader of a spec and the answer, and lies in caches, queues and
// changes at the same time. It is kept once, behind one reference, and copied when one of its holders changes it.
// `public` here is for the compiler alone, which inlines only public members of another module: the module is no
// product.

/// One stored job, without its spec, journal and result content.
@dynamicMemberLookup
public struct JobRecord: Sendable, Hashable {
    /// Always one.
    @usableFromInline var facts: [Facts]

    /// The facts of a record.
    public struct Facts: Sendable, Hashable {
        package var id: JobID
        /// The name of the root operation.
        package var name: String
        /// The type of the root operation.
        package var type: String
        package var queue: String
        /// The key within its queue, such as a customer.
        package var queueKey: String?
        /// The priority, 0…9; higher ones are claimed first.
        package var priority: Int
        package var labels: [JobSpec.Label]
        /// The submitter's JSON object as bytes, opaque to the server; empty when there is none.
        package var metadata: [UInt8] = []
        package var state: JobState
        /// Rises by one with every change; the ETag is derived from it.
        package var revision: Int64 = 1
        /// Rises by one with every claim. A write of a run carries the fence of its claim and is refused when the job
        /// was claimed again.
        package var fence: Int64 = 0
        /// The attempts of the root operation made so far.
        package var attempt: Int = 0
        /// The maximum number of attempts.
        package var attemptsMax: Int
        /// The time of acceptance.
        package var createdAt: Timestamp
        /// The time at which the job becomes or became runnable for the first time; nil means at once.
        package var runAt: Timestamp?
        /// The time of the first execution.
        package var startedAt: Timestamp?
        /// The time at which the job reached its final state.
        package var finishedAt: Timestamp?
        /// The time by which it must have started, else it expires; nil is for ever. It does not count after a retry.
        package var startBy: Timestamp?
        /// The time by which it must have ended, else it fails; nil is for ever.
        package var finishBy: Timestamp?
        /// The time at which the job ends unless it has started: the earlier of `startBy` and `NewJob.deadline`.
        package var expiresAt: Timestamp?
        /// The time from which the job may be claimed, in `scheduled`, `waiting`, `retrying`, `pending` and `paused`;
        /// nil in other states. In `retrying` this is `next_attempt_at`.
        package var dueAt: Timestamp?
        /// Whether it is runnable and waits in the line of its queue, which has a configuration.
        package var isInLine = false
        /// The end of retention, in final states; nil in others.
        package var purgeAt: Timestamp?
        /// The retention after success, in milliseconds.
        package var keepSucceededMilliseconds: Int64
        /// The retention after any other end, in milliseconds.
        package var keepFailedMilliseconds: Int64
        /// The further facts about it.
        package var detail = StoredDetail.nothing
    }

    /// Creates the record of a new job.
    package init(
        id: JobID, name: String, type: String, queue: String, priority: Int, labels: [JobSpec.Label],
        state: JobState,
        attemptsMax: Int, createdAt: Timestamp, keepSucceededMilliseconds: Int64,
        keepFailedMilliseconds: Int64
    ) {
        facts = [
            Facts(
                id: id, name: name, type: type, queue: queue, priority: priority, labels: labels,
                state: state,
                attemptsMax: attemptsMax, createdAt: createdAt,
                keepSucceededMilliseconds: keepSucceededMilliseconds,
                keepFailedMilliseconds: keepFailedMilliseconds)
        ]
    }

    /// A fact.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Facts, Value>) -> Value {
        @inline(__always) get { facts[0][keyPath: path] }
        @inline(__always) _modify { yield &facts[0][keyPath: path] }
    }

    /// The code of the first error of a job that ended without success.
    package var endCode: ErrorCode? {
        self.state.isFinal && self.state != .succeeded ? self.detail.values.errors.first?.code : nil
    }
}
