import JobSpec
import StrictJSON

/// Writes the defaults of queues into the specs of new jobs, so that a stored spec says what its job does whatever
/// happens to the queue.
enum QueueDefaults {
    /// The body of a spec with the defaults of its queue. One that is no valid JSON object is left as it is.
    static func body(_ body: [UInt8], _ queues: StoredQueues) -> [UInt8] {
        guard queues.haveDefaults, mayHaveDefaults(body, queues), let value = try? JSONParser.parse(body)
        else {
            return body
        }
        return spec(value, queues)?.encoded() ?? body
    }

    private static let queue = Array("queue".utf8)

    /// Whether the queue of a spec has defaults, as far as its text shows without being parsed. A member behind escapes
    /// is not seen.
    private static func mayHaveDefaults(_ body: [UInt8], _ queues: StoredQueues) -> Bool {
        guard !body.contains(UInt8(ascii: "\\")) else { return true }
        var name = "default"
        if let place = JSONMemberText.range(of: queue, in: body), place.count >= 2 {
            name = String(decoding: body[place].dropFirst().dropLast(), as: UTF8.self)
        }
        return queues.spec(name)?.defaults.isEmpty == false
    }

    /// A spec with the defaults of its queue.
    static func spec(of job: JSONValue, _ queues: StoredQueues) -> JSONValue {
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
