import JobKit
import JobStore
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
        if view.limits != nil { json.member("waiting", view.waiting) }
        json.member("used_at", view.usedAt)
        json.endObject()
    }

    /// Writes the limits of a host as members, if it has any.
    static func append(_ setting: SettingRecord?, to json: inout JSONWriter) {
        guard let setting else { return }
        json.member("version", setting.version)
        json.member("updated_at", setting.updatedAt)
        json.member("updated_by", by: setting.updatedBy)
        json.name("limits")
        json.raw(setting.body)
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
