internal import JobKit
internal import StrictJSON

/// The facts about a job that its operations can refer to (`$job`). In one place, since each operation hands them on.
final class JobFacts: Sendable {
    let id: String
    let name: String
    let queue: String
    let priority: Int
    let labels: JSONValue
    let metadata: JSONValue
    let submittedAt: Timestamp?
    let scheduledFor: Timestamp?
    /// The values that the job takes from the delivery that made it, by their places.
    let delivery: JSONObject?

    init(
        id: String = "", name: String = "", queue: String = "", priority: Int = 0,
        labels: JSONValue = .object(JSONObject()), metadata: JSONValue = .null, submittedAt: Timestamp? = nil,
        scheduledFor: Timestamp? = nil, delivery: JSONObject? = nil
    ) {
        self.id = id
        self.name = name
        self.queue = queue
        self.priority = priority
        self.labels = labels
        self.metadata = metadata
        self.submittedAt = submittedAt
        self.scheduledFor = scheduledFor
        self.delivery = delivery
    }
}
