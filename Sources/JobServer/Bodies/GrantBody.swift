import JobKit
import JobStore
import StrictJSON

/// The JSON of grants.
enum GrantBody {
    /// The maximum number of waiting jobs that are listed.
    static let waitingMax = 100

    /// The members that GET gives beside those of anything with a name.
    static let state = ["state", "request", "waiting_job_ids"]

    static func bytes(_ grant: GrantRecord, waiting: [JobID], at now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        append(grant, waiting: waiting, at: now, to: &json)
        return json.line()
    }

    static func append(
        _ grant: GrantRecord, waiting: [JobID], at now: Timestamp, to json: inout JSONWriter
    ) {
        NamedHead(grant, spec: spec(grant)).write(to: &json) { json in
            json.member("state", grant.status(at: now).rawValue)
            if let request = grant.request {
                json.name("request")
                json.beginObject()
                json.member("at", request.at)
                json.member("job_id", request.job)
                if let scope = request.scope { json.member("scope", scope) }
                json.endObject()
            }
            json.member("waiting_job_ids", waiting.map(\.description))
        }
    }

    /// The decision, as it was sent.
    private static func spec(_ grant: GrantRecord) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("state", grant.decided.rawValue)
        if !grant.scopes.isEmpty { json.member("scopes", grant.scopes) }
        if let date = grant.expiresAt { json.member("expires_at", date) }
        if let reason = grant.reason { json.member("reason", reason) }
        json.endObject()
        return json.bytes
    }
}
