import JobKit
import JobStore
import StrictJSON

/// The JSON of what came to a callback URL. The URL itself is shown nowhere.
struct CallbackBody: Sendable {
    let isHandedOut: Bool
    /// The requests so far; nil when none came.
    let standing: CallbackStanding?

    /// Appends `callback` to an operation that waits for one, or has waited.
    func append(to json: inout JSONWriter) {
        json.name("callback")
        json.beginObject()
        json.member("handed_out", isHandedOut)
        if let standing {
            json.member("taken_at", ifKnown: standing.takenAt?.description)
            json.member("heard_at", ifKnown: standing.heardAt?.description)
            if let progress = standing.progress { json.member("progress", raw: progress) }
            json.member("other_calls", standing.callCount)
            json.name("calls")
            json.beginArray()
            for call in standing.calls {
                json.beginObject()
                json.member("at", call.at.description)
                json.member("status", call.status)
                json.member("reason", call.reason)
                json.member("address", ifKnown: call.address)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }
}
