public import JobKit
import JobSpec
import JobStore
public import StrictJSON

/// A job as it was when it was read.
public struct JobStatus: Sendable, Hashable {
    /// The id, which a job keeps for ever.
    public let id: JobID
    /// The name of its operation; the kind unless the spec says `name`.
    public let name: String
    /// The kind of its operation.
    public let type: String
    /// Its queue; `default` unless the spec says `queue`.
    public let queue: String
    /// Its key within the queue, such as a customer; nil without one.
    public let queueKey: String?
    /// The labels of the spec.
    public let labels: JobLabels
    /// The state.
    public let state: JobState
    /// The attempts of its operation so far; 0 before the first.
    public let attempt: Int
    /// The most attempts that its operation may have.
    public let attemptsMax: Int
    /// The time of its submission.
    public let createdAt: Timestamp
    /// The time of its first start; nil before.
    public let startedAt: Timestamp?
    /// The time of its end; nil before.
    public let finishedAt: Timestamp?
    /// The time until which it waits, in `scheduled`, `waiting` and `retrying`; nil when it waits for something else.
    public let dueAt: Timestamp?
    /// The error with which it ended; in `retrying`, that of the last attempt. Nil otherwise.
    public let error: AOperationError?
    /// The `metadata` of the spec; nil without.
    public let metadata: JSONValue?

    init(_ record: JobRecord) {
        id = record.id
        name = record.name
        type = record.type
        queue = record.queue
        queueKey = record.queueKey
        labels = JobLabels(record.labels)
        state = record.state
        attempt = record.attempt
        attemptsMax = record.attemptsMax
        createdAt = record.createdAt
        startedAt = record.startedAt
        finishedAt = record.finishedAt
        dueAt = record.dueAt
        let detail = record.detail.values
        error = detail.errors.first ?? detail.lastError
        metadata = record.metadata.isEmpty ? nil : try? JSONParser.parse(record.metadata)
    }
}
