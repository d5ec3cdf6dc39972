internal import JobKit
internal import StrictJSON

/// The facts about a job that its operations can refer to (`$job`).
struct JobFacts: Sendable {
    var id = ""
    var name = ""
    var queue = ""
    var priority = 0
    var labels = JSONValue.object(JSONObject())
    var metadata = JSONValue.null
    var submittedAt: Timestamp?
    var scheduledFor: Timestamp?
    /// The values that the job takes from the delivery that made it, by their places.
    var delivery: JSONObject?

    init() {}
}
