import JobSpec
import StrictJSON

/// Writes the defaults of queues into the specs of new jobs, so that a stored spec says what its job does whatever
/// happens to the queue.
enum QueueDefaults {
    /// A spec with the defaults of its queue.
    static func spec(of job: JSONValue, _ queues: StoredQueues) -> JSONValue { added(to: job, queues) ?? job }

    /// The spec with the defaults of its queue; nil when there are none, or it is no object.
    static func added(to spec: JSONValue, _ queues: StoredQueues) -> JSONValue? {
        guard queues.haveDefaults, case .object(let job) = spec,
            case .string(let name) = job["queue"] ?? "default",
            let queue = queues.spec(name), !queue.defaults.isEmpty
        else { return nil }
        return .object(queue.withDefaults(job))
    }
}
