package import JobKit
internal import StrictJSON

/// The result of a job without its content, or with it when that is short.
package struct ResultSummary: Sendable, Hashable {
    /// The answer's status, for calls.
    package var status: Int?
    /// The answer's fields as a JSON object, the first of each name; empty when there are none. Text, as `inline` is:
    /// with a dozen fields as values a list of calls takes a third longer.
    package var headers: [UInt8] = []
    /// Whether the upstream answered that the content is that of an earlier job.
    package var isUnchanged = false
    /// The media type of the content.
    package var contentType: String?
    /// The codings such as `gzip` that the content still has.
    package var contentCoding: String?
    /// The length of the content in bytes.
    package var byteCount: Int
    /// The digest of content that is in the store; see `artifact` for any other.
    package var digest: String?
    /// The content that is in a file.
    package var artifact: ArtifactReference?
    /// The content as JSON text, when it is JSON or text, and short; otherwise empty.
    package var inline: [UInt8] = []

    /// A result of this length, without other facts.
    package init(byteCount: Int) { self.byteCount = byteCount }

    /// The result of an operation, without its content and the answer's fields.
    package init(_ result: OperationResult) {
        status = result.status
        isUnchanged = result.isUnchanged
        contentType = result.contentType
        contentCoding = result.contentCoding
        byteCount = result.byteCount
        artifact = result.artifact
    }

    /// The choices in a summary.
    package struct Rules: Sendable {
        /// The longest content that is in `inline`, in bytes.
        package var inlineBytesMax: Int
        /// Makes the digest of content; nil leaves it out.
        package var digest: (@Sendable ([UInt8]) -> String)?

        package init(inlineBytesMax: Int, digest: (@Sendable ([UInt8]) -> String)? = nil) {
            self.inlineBytesMax = inlineBytesMax
            self.digest = digest
        }
    }

    /// The result of a job.
    package init(_ result: OperationResult, by rules: Rules) {
        self.init(result)
        headers = Self.text(of: result.headers)
        guard !result.body.isEmpty else { return }
        if artifact == nil { digest = rules.digest?(result.body) }
        if result.body.count <= rules.inlineBytesMax, let value = try? result.readBody() {
            inline = value.encoded()
        }
    }

    /// The first field of each name. There are few fields, mostly: no set is made of them.
    private static func text(of headers: [OperationResult.Header]) -> [UInt8] {
        if headers.isEmpty { return [] }
        var json = JSONWriter()
        json.beginObject()
        for (index, header) in headers.enumerated() where header.name.utf8.first != UInt8(ascii: ":") {
            let before = headers[..<index]
            let isRepeated =
                index > 64
                ? Set(before.lazy.map { ByteKey($0.name) }).contains(ByteKey(header.name))
                : before.contains { $0.name.hasSameBytes(as: header.name) }
            if !isRepeated { json.member(header.name, header.value) }
        }
        json.endObject()
        return json.bytes
    }
}
