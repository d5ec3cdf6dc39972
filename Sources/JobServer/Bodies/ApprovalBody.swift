import JobKit
import JobStore
import StrictJSON

/// The JSON of approvals.
enum ApprovalBody {
    /// One approval.
    /// - Parameter base: the prefix of links.
    static func bytes(
        _ approval: ApprovalRecord, at now: Timestamp, base: String
    ) -> [UInt8] {
        var json = JSONWriter()
        append(approval, at: now, base: base, to: &json)
        return json.line()
    }

    /// The JSON of `Prefer: return=minimal`.
    static func minimal(_ approval: ApprovalRecord, at now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", approval.request.id.description)
        json.member("state", approval.state(at: now).rawValue)
        json.endObject()
        return json.line()
    }

    /// Appends one approval.
    /// - Parameter base: the prefix of links.
    static func append(
        _ approval: ApprovalRecord, at now: Timestamp, base: String, to json: inout JSONWriter
    ) {
        let request = approval.request
        let state = approval.state(at: now)
        let path = base + "/v1/approvals/" + request.id.description
        json.beginObject()
        json.member("id", request.id.description)
        json.member("state", state.rawValue)
        json.member("prompt", request.question.prompt)
        if let audience = request.question.audience { json.member("audience", audience) }
        json.member("job_id", approval.job)
        json.member("operation", OperationAddress.text(of: approval.path))
        json.member("request", request.request)
        json.member("digest", request.digest)
        json.member("created_at", approval.openedAt)
        if let date = request.expiresAt {
            json.member("expires_at", date)
            json.member("on_timeout", request.question.onTimeout.rawValue)
        }
        if state != .open, let date = approval.closedAt ?? request.expiresAt {
            json.member("closed_at", date)
        }
        json.member("decided_by", by: approval.by)
        if let comment = approval.comment { json.member("comment", comment) }
        json.name("links")
        json.beginObject()
        json.member("self", path)
        json.member("job", base + JobPath.text(approval.job))
        if state == .open {
            json.member("approve", path + ":approve")
            json.member("reject", path + ":reject")
        }
        json.endObject()
        json.endObject()
    }
}
