import JobKit
import JobStore
import StrictJSON

/// The JSON of bulk actions and their results.
enum BulkBody {
    /// - Parameter showsRequest: whether the caller may see which jobs were selected, and why.
    static func bytes(_ bulk: BulkRecord, base: String, showsRequest: Bool = true) -> [UInt8] {
        var json = JSONWriter(capacity: 512 + bulk.body.count)
        append(bulk, base: base, showsRequest: showsRequest, to: &json)
        return json.line()
    }

    static func append(
        _ bulk: BulkRecord, base: String, showsRequest: Bool = true, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("id", bulk.id.description)
        json.member("state", bulk.state.rawValue)
        if showsRequest {
            json.name("request")
            json.raw(bulk.body)
        }
        json.member("count", bulk.total)
        json.member("settled", bulk.settled)
        json.name("by_state")
        json.beginObject()
        json.member("succeeded", bulk.done)
        json.member("skipped", bulk.skipped)
        json.member("failed", bulk.failed)
        json.endObject()
        json.member("created_at", bulk.createdAt)
        json.member("created_by", by: OwnedText.shown(bulk.createdBy))
        if let tenant = Tenant(ofText: bulk.createdBy) { json.member("tenant", tenant.name) }
        if let end = bulk.finishedAt { json.member("finished_at", end) }
        json.member("cancelled_by", by: bulk.stoppedBy.map { OwnedText.shown($0) })
        let path = "\(base)/v1/bulk-actions/\(bulk.id)"
        json.name("links")
        json.beginObject()
        json.member("self", path)
        json.member("results", path + "/results")
        json.endObject()
        json.endObject()
    }

    /// - Parameter name: that of its job; nil when it was erased.
    static func append(_ result: BulkResult, of name: String?, to json: inout JSONWriter) {
        json.beginObject()
        json.member("job_id", result.job.description)
        if let name { json.member("name", name) }
        json.member("state", result.outcome.rawValue)
        if let code = result.code { json.member("code", code) }
        if let detail = result.detail { json.member("detail", detail) }
        if let made = result.made { json.member("new_job_id", made.description) }
        json.endObject()
    }
}
