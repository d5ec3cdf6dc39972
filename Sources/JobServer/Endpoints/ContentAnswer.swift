import HTTPMessage
import JobKit
import JobStore

/// Answers with the content of a result: whole or the part that is asked for, with its digest (RFC 9530), whether it
/// stands in the store or in a file.
struct ContentAnswer {
    /// Where the content is.
    enum Content {
        case bytes([UInt8])
        case file(any ArtifactReader)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let reader): reader.byteCount
            }
        }
    }

    private let content: Content
    /// The SHA-256, 32 bytes.
    private let digest: [UInt8]
    private let contentType: String?
    /// The codings that the content has.
    private let coding: String?

    /// The content of a result, wherever it is kept.
    init(_ result: OperationResult, in context: RequestContext) throws(Problem) {
        if let artifact = result.artifact {
            try self.init(
                artifact, contentType: result.contentType, coding: result.contentCoding, in: context)
        } else {
            self.init(result.body, contentType: result.contentType, coding: result.contentCoding)
        }
    }

    private init(_ bytes: [UInt8], contentType: String?, coding: String?) {
        content = .bytes(bytes)
        digest = SHA256.digest(of: bytes)
        self.contentType = contentType
        self.coding = coding
    }

    /// Content in a file.
    /// - Throws: `.storageUnavailable` when the file cannot be read, `.artifactGone` when it is not there any more.
    init(
        _ artifact: ArtifactReference, contentType: String?, coding: String?, in context: RequestContext
    ) throws(Problem) {
        guard let place = context.server.store.artifacts, let digest = HexText.decode(artifact.sha256) else {
            throw Problem(.artifactGone, "This server keeps no files.")
        }
        do throws(ArtifactFailure) { content = .file(try place.open(artifact)) } catch {
            throw Problem(error.code == .missing ? .artifactGone : .storageUnavailable, error.detail)
        }
        self.digest = digest
        self.contentType = contentType
        self.coding = coding
    }

    /// Sends it: 200, 206 for a part, 304 when the client has it, 416 when there is no such part.
    func send(_ context: RequestContext) throws(Problem) {
        let asked = context.request.head.fields
        let tag = "\"sha256-\(HexText.encode(digest))\""
        var fields = HTTPFields()
        fields.add("ETag", tag)
        fields.add("Accept-Ranges", "bytes")
        let entity = EntityTag(tag)
        let known = asked.all("if-none-match")
        if let entity, known.contains(where: { entity.isNamed(inIfNoneMatch: $0) }) {
            return context.answer(HTTPResponse(status: .notModified, fields: fields, body: .empty))
        }
        // Foreign content must not be taken for a page of this server.
        fields.add("X-Content-Type-Options", "nosniff")
        fields.add("Content-Security-Policy", "sandbox")
        if let contentType, fields.add("Content-Type", contentType) {
        } else {
            fields.add("Content-Type", "application/octet-stream")
        }
        if let coding { fields.add("Content-Encoding", coding) }
        let shown = "sha-256=:\(String(decoding: Base64.encode(digest), as: UTF8.self)):"
        fields.add("Repr-Digest", shown)
        guard let range = range(asked, tag) else {
            fields.add("Content-Digest", shown)
            return context.answer(
                HTTPResponse(status: .ok, fields: fields, body: body(0..<content.count)))
        }
        guard let part = range.resolve(in: content.count) else {
            throw Problem(
                .rangeNotSatisfiable,
                "The content has \(content.count) bytes; the part asked for lies behind."
            )
            .field("Content-Range", ContentRange(bytes: nil, total: content.count).description)
        }
        let place = ContentRange(bytes: part.lowerBound...(part.upperBound - 1), total: content.count)
        fields.add("Content-Range", place.description)
        context.answer(HTTPResponse(status: .partialContent, fields: fields, body: body(part)))
    }

    /// The part that is asked for; nil for the whole, also when the client has a part of something else.
    private func range(_ asked: HTTPFields, _ tag: String) -> ByteRange? {
        guard let text = asked["range"], let range = ByteRange(text) else { return nil }
        guard let condition = asked["if-range"] else { return range }
        return condition == tag ? range : nil
    }

    private func body(_ range: Range<Int>) -> HTTPBody {
        switch content {
        case .bytes(let bytes):
            return .bytes(range.count == bytes.count ? bytes : Array(bytes[range]))
        case .file(let reader):
            return .stream(length: range.count, ArtifactBody(reader, range))
        }
    }
}
