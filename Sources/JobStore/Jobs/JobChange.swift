package import JobKit

/// One job that a commit changed.
package struct JobChange: Sendable {
    package var id: JobID
    /// The new state; nil when the job was erased.
    package var state: JobState?
    /// The new revision.
    package var revision: Int64
    /// The due date, in `scheduled`, `waiting` and `retrying`.
    package var dueAt: Timestamp?
    /// Whether the job is now final and has callbacks for this end.
    package var hasCallbacks = false
    /// The job when it is now final, so that waiters need not read it.
    package var ended: EndedJob?

    package init(id: JobID, state: JobState?, revision: Int64, dueAt: Timestamp? = nil) {
        self.id = id
        self.state = state
        self.revision = revision
        self.dueAt = dueAt
    }
}
