public import JobKit
import JobStore

/// A change of a job.
public struct JobEvent: Sendable, Hashable {
    /// The job.
    public let id: JobID
    /// The name of its operation.
    public let name: String
    /// The kind of its operation.
    public let type: String
    /// Its queue.
    public let queue: String
    /// The state that it has now; nil when the job was erased.
    public let state: JobState?
    /// The number of events of the stream that were lost just before this one, since too many were not read.
    public internal(set) var missed = 0

    init(_ change: JobChange) {
        id = change.id
        name = change.name
        type = change.type
        queue = change.queue
        state = change.state
    }
}
