import JobKit
import JobStore
import StrictJSON

/// The result of a job or an operation, as JSON.
enum ResultBody {
    /// Appends `"result":{…}`; in a summary without the fields of the answer and the content.
    static func append(_ result: ResultSummary, _ extent: BodyExtent, to json: inout JSONWriter) {
        json.name("result")
        json.beginObject()
        if let status = result.status { json.member("status", status) }
        let isSummary = extent == .summary
        if !isSummary, !result.headers.isEmpty { json.member("headers", raw: result.headers) }
        if result.isUnchanged { json.member("unchanged", true) }
        if let type = result.contentType { json.member("content_type", type) }
        if let coding = result.contentCoding { json.member("content_coding", coding) }
        json.member("bytes", result.byteCount)
        if let artifact = result.artifact {
            json.member("digest", artifact.digest)
            json.name("artifact")
            json.beginObject()
            if let name = artifact.name { json.member("name", name) }
            json.endObject()
        } else if let digest = result.digest {
            json.member("digest", digest)
        }
        if !isSummary, !result.inline.isEmpty { json.member("inline", raw: result.inline) }
        json.endObject()
    }
}
