import JobKit
import JobStore
import StrictJSON

/// The JSON of changes by people.
enum AuditBody {
    static func append(_ record: AuditRecord, to json: inout JSONWriter) {
        json.beginObject()
        json.member("number", record.number)
        json.member("at", record.at)
        json.member("by", by: OwnedText.shown(record.by))
        if let tenant = Tenant(ofText: record.by) { json.member("tenant", tenant.name) }
        json.member("kind", record.kind)
        json.member("action", record.action)
        json.member("target", visible: record.target)
        if let id = record.requestID { json.member("request_id", id) }
        if let address = record.address { json.member("address", address) }
        if let before = record.before { json.member("before", before) }
        if let after = record.after { json.member("after", after) }
        json.endObject()
    }
}
