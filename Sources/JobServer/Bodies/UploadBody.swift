import JobKit
import JobStore
import StrictJSON

/// The JSON of uploads.
enum UploadBody {
    static func bytes(_ upload: UploadRecord, base: String, at now: Timestamp) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        append(upload, base: base, at: now, to: &json)
        return json.line()
    }

    static func append(_ upload: UploadRecord, base: String, at now: Timestamp, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", upload.id.description)
        json.member("bytes", upload.artifact.bytes)
        json.member("digest", upload.artifact.digest)
        if let type = upload.contentType { json.member("content_type", type) }
        json.member("created_at", upload.createdAt)
        json.member("created_by", by: OwnedText.shown(upload.createdBy))
        if let tenant = Tenant(ofText: upload.createdBy) { json.member("tenant", tenant.name) }
        json.member("in_use", upload.isUsed)
        if !upload.isUsed { json.member("expires_at", upload.expiresAt) }
        let path = "\(base)/v1/artifacts/\(upload.id)"
        json.name("links")
        json.beginObject()
        json.member("self", path)
        json.member("content", path + "/content")
        json.endObject()
        json.endObject()
    }
}
