import JobSpec
package import StrictJSON

/// Writes the defaults of queues into the specs of new jobs, so that a stored spec says what its job does whatever
/// happens to the queue.
package enum QueueDefaults {
    /// The body of a spec with the defaults of its queue. One that is no valid JSON object is left as it is.
    package static func body(_ body: [UInt8], _ queues: StoredQueues) -> [UInt8] {
        guard queues.haveDefaults, let value = try? JSONParser.parse(body) else { return body }
        return spec(value, queues)?.encoded() ?? body
    }

    /// A spec with the defaults of its queue.
    package static func spec(of job: JSONValue, _ queues: StoredQueues) -> JSONValue {
        queues.haveDefaults ? spec(job, queues) ?? job : job
    }

    /// The spec with the defaults of its queue; nil when there are none, or it is no object.
    private static func spec(_ value: JSONValue, _ queues: StoredQueues) -> JSONValue? {
        guard case .object(let job) = value, case .string(let name) = job["queue"] ?? "default",
            let spec = queues.spec(name), !spec.defaults.isEmpty
        else { return nil }
        return .object(spec.withDefaults(job))
    }
}
