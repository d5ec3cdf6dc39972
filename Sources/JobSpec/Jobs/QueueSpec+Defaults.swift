package import StrictJSON

extension QueueSpec {
    /// A job with the defaults of its queue as if they had been written in it. What the job has itself counts more,
    /// member by member.
    package func withDefaults(_ job: JSONObject) -> JSONObject {
        var job = job
        if job["priority"] == nil { job["priority"] = defaults["priority"] }
        Self.merge(defaults["retention"], into: &job, "retention")
        for name in ["retry", "timeouts"] {
            guard let value = defaults[name] else { continue }
            var inner = JSONObject()
            switch job["defaults"] {
            case .object(let own): inner = own
            case nil: break
            default: continue
            }
            Self.merge(value, into: &inner, name)
            job["defaults"] = .object(inner)
        }
        return job
    }

    /// Adds those members of `value` to a member of `object` that this has not.
    private static func merge(_ value: JSONValue?, into object: inout JSONObject, _ name: String) {
        guard case .object(let added)? = value else { return }
        guard var own = object[name] else { return object[name] = value }
        guard case .object(var merged) = own else { return }
        for member in added.members where merged[member.name] == nil { merged[member.name] = member.value }
        own = .object(merged)
        object[name] = own
    }
}
