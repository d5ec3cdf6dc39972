import JobKit
import StrictJSON

/// The JSON of origins.
enum OriginBody {
    static func append(_ view: OriginView, to json: inout JSONWriter) {
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
        json.member("used_at", view.usedAt)
        json.endObject()
    }

    /// An object with several origins and the members that `more` writes.
    static func bytes(_ views: some Collection<OriginView>, _ more: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(capacity: 320 * (views.count + 1))
        json.beginObject()
        json.name("items")
        json.beginArray()
        for view in views { append(view, to: &json) }
        json.endArray()
        more(&json)
        json.endObject()
        return json.line()
    }
}
