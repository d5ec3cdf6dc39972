package import JobKit
internal import StrictJSON

/// Content that is sent unchanged, whatever its type: that of an earlier operation's result, or an upload.
package enum ContentReference: Sendable, Hashable {
    /// The content of the result of this operation: a sibling, or seen from here as `$get` sees it.
    case operation(String)
    /// Content that a client has sent before.
    case upload(UploadID)

    /// Places that only such references have: the content in base 64, and its media type.
    static let content = JSONPointer(tokens: ["$content"])
    static let contentType = JSONPointer(tokens: ["$content_type"])

    /// The content, its media type and the codings that it still has. Of an upload, which is never read into memory,
    /// the words that name it to people; what is sent is a `StreamedContent`.
    /// - Throws: what `lookup` throws for an operation that has no result.
    func resolve(lookup: Binding.Lookup) throws(AOperationError) -> SentContent {
        switch self {
        case .upload(let id): return SentContent(bytes: Array("(the upload \(id))".utf8))
        case .operation(let name):
            let text = try lookup(Binding.Reference(operation: name, at: Self.content)).string ?? ""
            try lookup.meter.spend(4 * text.utf8.count, on: .making)
            let type = try lookup(Binding.Reference(operation: name, at: Self.contentType, fallback: .null))
            // Text that is not base 64 comes from a plan, as a substitute of unknown content.
            return SentContent(
                type: type.string ?? type.object?["type"]?.string,
                bytes: Base64.decode(text.utf8) ?? Array(text.utf8),
                coding: type.object?["coding"]?.string)
        }
    }

    /// The value at a position that only such references have; nil for any other position.
    static func value(at place: JSONPointer, of result: OperationResult) -> JSONValue? {
        switch place {
        case content: .string(String(decoding: Base64.encode(result.body), as: UTF8.self))
        case contentType: type(of: result)
        default: nil
        }
    }

    /// The media type, or an object of the type and the coding where the content has one.
    private static func type(of result: OperationResult) -> JSONValue {
        let type = result.contentType.map(JSONValue.string) ?? .null
        guard let coding = result.contentCoding else { return type }
        return .object(JSONObject([("type", type), ("coding", .string(coding))]))
    }
}

/// The content of a request, with its type and coding.
struct SentContent {
    /// The media type; nil when it is unknown.
    var type: String?
    var bytes: [UInt8]
    /// The codings of the bytes, in the form of `Content-Encoding`.
    var coding: String?

    /// The content where no field can say its coding: the bytes with their own media type.
    var asPart: (type: String?, bytes: [UInt8]) { (Self.partType(type, coding: coding), bytes) }

    /// The media type of content with a coding that no field can say.
    static func partType(_ type: String?, coding: String?) -> String? {
        switch coding?.lowercased() {
        case nil: type
        case "gzip", "x-gzip": "application/gzip"
        case "zstd": "application/zstd"
        default: "application/octet-stream"
        }
    }
}
