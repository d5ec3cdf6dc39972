import JobKit
import StrictJSON

/// The JSON of origins.
enum OriginBody {
    static func append(
        _ view: OriginView, to json: inout JSONWriter, _ more: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.beginObject()
        json.member("origin", view.origin)
        json.member("state", view.state.rawValue)
        if let until = view.until { json.member("until", until) }
        if let reason = view.reason { json.member("detail", "\(view.origin) \(reason).") }
        json.name("breaker")
        json.beginObject()
        json.member("calls", view.calls)
        json.member("failures", view.failures)
        json.endObject()
        json.name("retry_budget")
        json.beginObject()
        json.member("calls", view.starts)
        json.member("retries", view.retries)
        json.member("retries_allowed", view.retriesAllowed)
        json.endObject()
        json.member("in_flight", view.inFlight)
        if view.limits != nil { json.member("waiting", view.waiting) }
        json.member("used_at", view.usedAt)
        more(&json)
        json.endObject()
    }

    /// One origin, with the members that `more` writes.
    static func bytes(_ view: OriginView, _ more: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        var json = JSONWriter(capacity: 320)
        append(view, to: &json, more)
        return json.line()
    }
}
