import JobKit
import JobStore
import StrictJSON

/// The JSON of deliveries to hooks.
enum DeliveryBody {
    /// The short form, for its sender.
    static func short(_ delivery: DeliveryRecord, state: JobState? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("id", delivery.id.description)
        json.member("outcome", delivery.outcome.word)
        if let job = delivery.job { json.member("job_id", job) }
        if let state { json.member("state", state.rawValue) }
        json.endObject()
        return json.line()
    }

    static func bytes(_ delivery: DeliveryRecord, base: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024 + delivery.bytes)
        append(delivery, base: base, to: &json)
        return json.line()
    }

    /// - Parameter content: what came, in place of a link to it.
    static func append(_ delivery: DeliveryRecord, base: String, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", delivery.id.description)
        json.member("hook", delivery.hook)
        json.member("received_at", delivery.receivedAt)
        json.member("outcome", delivery.outcome.word)
        json.member("address", delivery.sender)
        json.member("bytes", delivery.byteCount)
        if let key = delivery.key { json.member("key", key) }
        if let job = delivery.job { json.member("job_id", job) }
        if let reason = delivery.reason { json.member("reason", reason) }
        if let detail = delivery.detail { json.member("detail", detail) }
        if let first = delivery.first { json.member("repeats", first.description) }
        if delivery.times > 1 { json.member("times", delivery.times) }
        if !delivery.head.isEmpty {
            json.name("request")
            json.raw(delivery.head)
            if let text = String(validating: delivery.body, as: UTF8.self) {
                json.member("body", text)
            } else {
                json.member("body_base64", String(decoding: Base64.encode(delivery.body), as: UTF8.self))
            }
        }
        json.name("links")
        json.beginObject()
        json.member("self", "\(base)/v1/hooks/\(delivery.hook)/deliveries/\(delivery.id)")
        json.endObject()
        json.endObject()
    }
}
