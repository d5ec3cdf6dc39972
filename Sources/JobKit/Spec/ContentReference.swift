internal import StrictJSON

/// The content of an earlier operation's result as it is, byte for byte, whatever its type.
public struct ContentReference: Sendable, Hashable {
    /// The operation: a sibling, or seen from here as `$get` sees it.
    public var operation: String

    /// The content of this operation's result.
    public init(operation: String) { self.operation = operation }

    /// Places that only such references have: the content in base 64, and its media type.
    static let content = JSONPointer(tokens: ["$content"])
    static let contentType = JSONPointer(tokens: ["$content_type"])

    /// The content and its media type.
    /// - Throws: what `lookup` throws for an operation that has no result.
    func resolve(lookup: Binding.Lookup) throws(AOperationError) -> (type: String?, bytes: [UInt8]) {
        let text = try lookup(Binding.Reference(operation: operation, at: Self.content)).string ?? ""
        let type = try lookup(Binding.Reference(operation: operation, at: Self.contentType, fallback: .null))
        // What is no base 64 stands for content that is not known yet.
        return (type.string, Base64.decode(text.utf8) ?? Array(text.utf8))
    }

    /// What a result has at a place that only such references have; nil for any other place.
    static func value(at place: JSONPointer, of result: OperationResult) -> JSONValue? {
        switch place {
        case content: .string(String(decoding: Base64.encode(result.body), as: UTF8.self))
        case contentType: result.contentType.map(JSONValue.string) ?? .null
        default: nil
        }
    }
}
