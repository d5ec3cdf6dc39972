package import JobKit

/// One job that a commit changed.
package struct JobChange: Sendable {
    /// The job.
    package var id: JobID
    /// Its state now; nil when it was erased.
    package var state: JobState?
    /// Its revision now.
    package var revision: Int64
    /// When it is due, for `scheduled`, `waiting` and `retrying`.
    package var dueAt: Timestamp?
    /// Whether it is final now and has callbacks for this end.
    package var hasCallbacks = false
    /// The job when it is final now, so that waiters need not read it.
    package var ended: EndedJob?

    /// A change.
    package init(id: JobID, state: JobState?, revision: Int64, dueAt: Timestamp? = nil) {
        self.id = id
        self.state = state
        self.revision = revision
        self.dueAt = dueAt
    }
}
