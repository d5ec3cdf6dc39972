package import JobKit

/// One job that a commit changed.
package struct JobChange: Sendable {
    /// Which.
    package var id: JobID
    /// Where it stands now; nil when it was erased.
    package var state: JobState?
    /// Its revision now.
    package var revision: Int64
    /// When it is due, for `scheduled`, `waiting` and `retrying`.
    package var dueAt: Timestamp?
    /// Whether it is over now and somebody is to be told.
    package var hasCallbacks = false
    /// The job as it stands now when it is over, so that nobody who waited for that needs to read it.
    package var ended: EndedJob?

    /// A change.
    package init(id: JobID, state: JobState?, revision: Int64, dueAt: Timestamp? = nil) {
        self.id = id
        self.state = state
        self.revision = revision
        self.dueAt = dueAt
    }
}
