public import StrictJSON

/// The output of an operation: bytes with their content type and, for calls, status and fields.
public struct OperationResult: Sendable, Hashable {
    /// References read the content of artifacts up to this size: 8 MiB.
    package static let readBytesMax = 8 << 20

    /// The answer's status, for calls.
    public var status: Int?
    /// The answer's fields in order, names in lower case, for calls.
    public var headers: [Header]
    /// The media type of `body`; nil when there is no body.
    public var contentType: String?
    /// The remaining content codings such as `gzip`, of content that was kept encoded; nil without any.
    public var contentCoding: String?
    /// The content; empty when it is an artifact.
    public var body: [UInt8]
    /// The reference to content that is too large for `body`.
    public var artifact: ArtifactReference?

    /// A field of an answer.
    public struct Header: Sendable, Hashable {
        /// The name, in lower case.
        public var name: String
        /// The value.
        public var value: String

        /// A field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The result of a call.
    public init(status: Int?, headers: [Header], contentType: String?, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.contentType = contentType
        self.body = body
    }

    /// A JSON value as a result.
    public init(json value: JSONValue) {
        self.init(status: nil, headers: [], contentType: "application/json", body: value.encoded())
    }

    /// An empty result, such as that of a delay.
    public static let empty = OperationResult(status: nil, headers: [], contentType: nil, body: [])

    /// Whether the content is JSON by its content type (`application/json` or `+json`).
    public var isJSON: Bool {
        guard let contentType else { return false }
        let type = contentType.utf8.span
        var count = 0
        while count < type.count, type[count] != 0x3B, type[count] != 0x20 { count += 1 }
        return Self.ends(type, count, with: "+json")
            || count == 16 && Self.ends(type, count, with: "application/json")
    }

    /// Whether the first `count` bytes of `type` end with `ending`, which is written in lower case; the case of `type`
    /// does not count.
    private static func ends(_ type: Span<UInt8>, _ count: Int, with ending: String) -> Bool {
        let wanted = ending.utf8.span
        guard count >= wanted.count else { return false }
        let start = count - wanted.count
        for index in wanted.indices {
            let byte = type[start + index]
            guard
                byte == wanted[index] || byte >= 0x41 && byte <= 0x5A && byte | 0x20 == wanted[index]
            else { return false }
        }
        return true
    }

    /// The length of the content in bytes, inline or in an artifact.
    public var byteCount: Int { artifact?.bytes ?? body.count }

    /// The document that references point into: `status`, `headers` (an object), `body`, `bytes`, and `artifact` in
    /// place of `body` for an artifact; see `document(with:from:)`.
    public var document: JSONValue { .object(document(body: artifact == nil ? bodyValue : nil)) }

    /// The document with this content; nil is none.
    package func document(body: JSONValue?) -> JSONObject {
        var members: [JSONObject.Member] = []
        if let status { members.append(.init(name: "status", value: .number(JSONNumber(Int64(status))))) }
        var (names, values): ([String], [[String]]) = ([], [])
        var places: [ByteKey: Int] = [:]
        var setsCookies = false
        for header in headers {
            if header.name.utf8.first == UInt8(ascii: ":") { continue }
            if header.name.hasSameBytes(as: "set-cookie") {
                setsCookies = true
            } else if let place = places[ByteKey(header.name)] {
                values[place].append(header.value)
            } else {
                places[ByteKey(header.name)] = names.count
                names.append(header.name)
                values.append([header.value])
            }
        }
        // A field that is sent several times is a list (RFC 9110 §5.3).
        let fields = zip(names, values).map { name, values in
            JSONObject.Member(name: name, value: .string(values.joined(separator: ", ")))
        }
        if setsCookies {
            let cookies = cookies
            let line = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            let values = cookies.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }
            members.append(.init(name: "cookie", value: .string(line)))
            members.append(.init(name: "cookies", value: .object(JSONObject(uniqueMembers: values))))
        }
        members.append(.init(name: "headers", value: .object(JSONObject(uniqueMembers: fields))))
        if let artifact { members.append(.init(name: "artifact", value: artifact.value)) }
        if let body { members.append(.init(name: "body", value: body)) }
        members += receivedMembers
        if isUnchanged { members.append(.init(name: "unchanged", value: .bool(true))) }
        members.append(.init(name: "bytes", value: .number(JSONNumber(Int64(byteCount)))))
        return JSONObject(uniqueMembers: members)
    }
}
