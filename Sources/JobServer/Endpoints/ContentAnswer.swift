import EventIO
import HTTPMessage
import JobKit
import JobStore
import OpenSSLCrypto

/// Sends the content of a result, whole or the requested range, with its digest (RFC 9530), whether it is inline in the
/// store or in a file.
struct ContentAnswer {
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
    private let digest: [UInt8]
    private let contentType: String?
    /// The content codings of the content.
    private let coding: String?

    /// Creates the answer for a result, inline or in a file.
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

    /// Creates the answer for content in a file.
    /// - Throws: `.storageUnavailable` when the file cannot be read, `.artifactGone` when it no longer exists.
    init(
        _ artifact: ArtifactReference, contentType: String?, coding: String?, in context: RequestContext
    ) throws(Problem) {
        guard let place = context.server.store.artifacts, let digest = HexText.decode(artifact.sha256) else {
            throw Problem(.artifactGone, "This server keeps no files.")
        }
        do throws(ArtifactFailure) { content = .file(try place.open(artifact)) } catch {
            throw Problem(error)
        }
        self.digest = digest
        self.contentType = contentType
        self.coding = coding
    }

    /// Sends 200, 206 for a range, 304 when the client has the content, 416 when the range is out of bounds.
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
        // Foreign content must not run as a page of this server.
        fields.add("X-Content-Type-Options", "nosniff")
        fields.add("Content-Security-Policy", "sandbox")
        if let contentType, fields.add("Content-Type", contentType) {
        } else {
            fields.add("Content-Type", "application/octet-stream")
        }
        if let coding { fields.add("Content-Encoding", coding) }
        let shown = "sha-256=:\(String(decoding: Base64.encode(digest), as: UTF8.self)):"
        fields.add("Repr-Digest", shown)
        // Other methods ignore it (RFC 9110 §14.2).
        let asksForRange = context.request.head.method == .get
        guard asksForRange, let range = range(asked, tag) else {
            fields.add("Content-Digest", shown)
            return answer(context, .ok, fields, 0..<content.count)
        }
        guard let part = range.resolve(in: content.count) else {
            throw Problem(
                .rangeNotSatisfiable,
                "The content has \(content.count) bytes; the requested range lies beyond its end."
            )
            .field("Content-Range", ContentRange(bytes: nil, total: content.count).description)
        }
        let place = ContentRange(bytes: part.lowerBound...(part.upperBound - 1), total: content.count)
        fields.add("Content-Range", place.description)
        answer(context, .partialContent, fields, part)
    }

    private func answer(
        _ context: RequestContext, _ status: HTTPStatus, _ fields: HTTPFields, _ range: Range<Int>
    ) {
        switch content {
        case .bytes(let bytes):
            let part = range.count == bytes.count ? bytes : Array(bytes[range])
            context.answer(HTTPResponse(status: status, fields: fields, body: .bytes(part)))
        case .file(let reader):
            // The status says whether the content can be read: its first piece may have to come from elsewhere.
            let isSent = context.request.head.method != .head
            let count = isSent ? reader.pieceBytes : 1
            Task(executorPreference: context.exchange.loop) {
                do throws(ArtifactFailure) {
                    let first = try await reader.bytes(range.prefix(count))
                    let access = first.count < range.count ? context.openAccess() : nil
                    let source = ArtifactBody(reader, range, first: first, access: access)
                    let body = HTTPBody.stream(length: range.count, source)
                    context.answer(HTTPResponse(status: status, fields: fields, body: body))
                } catch {
                    context.answer(Problem(error))
                }
            }
        }
    }

    /// The requested range; nil for the whole content, also when `If-Range` does not match.
    private func range(_ asked: HTTPFields, _ tag: String) -> ByteRange? {
        guard let text = asked["range"], let range = ByteRange(text) else { return nil }
        guard let condition = asked["if-range"] else { return range }
        return condition == tag ? range : nil
    }
}
