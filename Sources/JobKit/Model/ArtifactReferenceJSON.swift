public import StrictJSON

/// The stored form of a reference: `{"sha256": "…", "bytes": 4096, "name": "report.pdf"}`.
extension ArtifactReference {
    /// Writes the reference as one JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("sha256", sha256)
        writer.member("bytes", bytes)
        if let name { writer.member("name", name) }
        writer.endObject()
    }

    /// Decodes the form of `write(to:)`.
    /// - Throws: `StoredFormError` when a member is missing or of another type, or the digest is none.
    public init(stored json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "artifact")
        let sha256 = try stored.require(try stored.string("sha256"), "sha256")
        let bytes = try stored.require(try stored.int("bytes"), "bytes")
        guard Self.isDigest(sha256), bytes >= 0 else {
            throw StoredFormError("The stored artifact has no digest that could be one.")
        }
        self.init(sha256: sha256, bytes: bytes, name: try stored.string("name"))
    }

    /// The reference as references of a spec see it.
    var value: JSONValue {
        var object = JSONObject()
        object["sha256"] = .string(sha256)
        object["bytes"] = .number(JSONNumber(Int64(bytes)))
        if let name { object["name"] = .string(name) }
        return .object(object)
    }

    /// Whether `text` is 64 hexadecimal digits in lower case.
    public static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
    }
}

/// The stored form as one text.
extension ArtifactReference {
    package var encoded: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The reference in a text; nil when it is damaged.
    package init?(encoded text: String) {
        guard let json = try? JSONParser.parse(Array(text.utf8)),
            let reference = try? ArtifactReference(stored: json)
        else { return nil }
        self = reference
    }
}
