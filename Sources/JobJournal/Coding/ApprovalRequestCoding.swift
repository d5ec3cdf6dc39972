package import JobKit
package import StrictJSON

/// The stored form of approval requests.
extension ApprovalRequest {
    /// Writes the members of one object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("prompt", question.prompt)
        if let audience = question.audience { writer.member("audience", audience) }
        writer.member("on_timeout", question.onTimeout.rawValue)
        writer.member("request", request)
        writer.member("digest", digest)
        if let expiresAt { writer.member("expires_at", expiresAt.milliseconds) }
        writer.endObject()
    }

    /// The bytes of the stored form.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Decodes the stored form. The time limit is stored as the date only.
    package init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "approval")
        guard let id = ApprovalID(try stored.require(try stored.string("id"), "id")) else {
            throw StoredFormError("The stored approval has a malformed id.")
        }
        var question = ApprovalQuestion(prompt: try stored.require(try stored.string("prompt"), "prompt"))
        question.audience = try stored.string("audience")
        question.onTimeout = try stored.require(try stored.word("on_timeout"), "on_timeout")
        self.init(
            id: id, question: question, request: try stored.object("request") ?? JSONObject(),
            digest: try stored.require(try stored.string("digest"), "digest"),
            expiresAt: stored.value("expires_at")?.number?.int64.map { Timestamp(milliseconds: $0) })
    }
}
