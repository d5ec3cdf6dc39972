internal import JobKit
internal import StrictJSON

/// The unchanged content of an earlier operation's result, whatever its type.
package struct ContentReference: Sendable, Hashable {
    /// The operation: a sibling, or seen from here as `$get` sees it.
    package var operation: String

    /// The content of this operation's result.
    package init(operation: String) { self.operation = operation }

    /// Places that only such references have: the content in base 64, and its media type.
    static let content = JSONPointer(tokens: ["$content"])
    static let contentType = JSONPointer(tokens: ["$content_type"])

    /// The content, its media type and the codings that it still has.
    /// - Throws: what `lookup` throws for an operation that has no result.
    func resolve(lookup: Binding.Lookup) throws(AOperationError) -> SentContent {
        let text = try lookup(Binding.Reference(operation: operation, at: Self.content)).string ?? ""
        try lookup.meter.spend(4 * text.utf8.count, on: .making)
        let type = try lookup(Binding.Reference(operation: operation, at: Self.contentType, fallback: .null))
        // Text that is not base 64 comes from a plan, as a substitute of unknown content.
        return SentContent(
            type: type.string ?? type.object?["type"]?.string,
            bytes: Base64.decode(text.utf8) ?? Array(text.utf8),
            coding: type.object?["coding"]?.string)
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
    /// The bytes.
    var bytes: [UInt8]
    /// The codings of the bytes, in the form of `Content-Encoding`.
    var coding: String?

    /// The content where no field can say its coding: the bytes with their own media type.
    var asPart: (type: String?, bytes: [UInt8]) {
        switch coding?.lowercased() {
        case nil: (type, bytes)
        case "gzip", "x-gzip": ("application/gzip", bytes)
        case "zstd": ("application/zstd", bytes)
        default: ("application/octet-stream", bytes)
        }
    }
}
