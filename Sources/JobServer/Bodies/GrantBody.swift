import JobKit
import JobStore
import StrictJSON

/// The JSON of grants.
enum GrantBody {
    /// The maximum number of waiting jobs that are listed.
    static let waitingMax = 100

    static func bytes(_ grant: GrantRecord, waiting: [JobID], at now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        append(grant, waiting: waiting, at: now, to: &json)
        return json.line()
    }

    static func append(
        _ grant: GrantRecord, waiting: [JobID], at now: Timestamp, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", grant.name)
        json.member("status", grant.status(at: now).rawValue)
        json.member("scopes", grant.scopes)
        if let date = grant.expiresAt { json.member("expires_at", date) }
        if let reason = grant.reason { json.member("reason", reason) }
        if let date = grant.updatedAt { json.member("updated_at", date) }
        json.member("updated_by", by: grant.updatedBy)
        if let request = grant.request {
            json.name("request")
            json.beginObject()
            json.member("at", request.at)
            json.member("job_id", request.job)
            if let scope = request.scope { json.member("scope", scope) }
            json.endObject()
        }
        json.member("waiting_job_ids", waiting.map(\.description))
        json.endObject()
    }
}
