import JobSpec
import StrictJSON

/// Writes the defaults of queues into the specs of new jobs, so that a stored spec says what its job does whatever
/// happens to the queue.
enum QueueDefaults {
    /// The body of a spec with the defaults of its queue. One that is no valid JSON object is left as it is.
    static func body(_ body: [UInt8], _ queues: StoredQueues) -> [UInt8] {
        guard queues.haveDefaults, let value = try? JSONParser.parse(body), case .object(let job) = value
        else {
            return body
        }
        let name = job["queue"] ?? "default"
        guard case .string(let name) = name, let spec = queues.spec(name), !spec.defaults.isEmpty else {
            return body
        }
        return JSONValue.object(spec.withDefaults(job)).encoded()
    }
}
