internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Reads forms with several parts, and references to content.
struct MultipartReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    private static let partMembers = [
        "name", "filename", "content_type", "text", "json", "base64", "artifact",
    ]
    private static let partContents = ["text", "json", "base64", "artifact"]

    /// An object of texts by name, or a list of parts.
    func multipart(_ value: JSONValue, _ reading: inout SpecReading) -> NetworkSpec.Body? {
        switch value {
        case .object(let object):
            var parts: [MultipartSpec.Part] = []
            for member in object.members where !reading.isCut {
                reading.enter(member.name)
                let text = BindingReader(scope).textBinding(member.value, &reading)
                parts.append(MultipartSpec.Part(name: member.name, content: .text(text)))
                reading.leave()
            }
            return .multipart(MultipartSpec(parts: parts))
        case .array(let elements):
            if elements.count > reading.limits.partsMax {
                reading.note(
                    .tooLarge, "There are \(elements.count) parts; allowed are \(reading.limits.partsMax).")
            }
            var parts: [MultipartSpec.Part] = []
            reading.elements(of: value) { reading, element in
                if let part = part(element, &reading) { parts.append(part) }
            }
            return .multipart(MultipartSpec(parts: parts))
        default:
            reading.wrongType(
                value, "an object of texts by name, or a list of parts",
                suggestion: #"[{"name": "note", "text": "…"}]"#)
            return nil
        }
    }

    private func part(_ value: JSONValue, _ reading: inout SpecReading) -> MultipartSpec.Part? {
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object", suggestion: #"{"name": "note", "text": "…"}"#)
            return nil
        }
        var part = MultipartSpec.Part(name: "", content: .text(.literal(.string(""))))
        reading.members(of: object, "A part", known: Self.partMembers) { reading, name, value in
            switch name {
            case "name": part.name = reading.string(value, bytes: 1...255) ?? ""
            case "filename": part.filename = BindingReader(scope).textBinding(value, &reading)
            case "content_type": part.contentType = partType(value, &reading)
            case "text": part.content = .text(BindingReader(scope).textBinding(value, &reading))
            case "json": part.content = .json(BindingReader(scope).binding(value, &reading))
            case "base64": if let bytes = Self.base64Bytes(value, &reading) { part.content = .base64(bytes) }
            case "artifact": if let content = content(value, &reading) { part.content = .artifact(content) }
            default: return false
            }
            return true
        }
        if object["name"] == nil { reading.missing("name", "Say the name of the field.") }
        let written = Self.partContents.filter { object[$0] != nil }
        if written.isEmpty {
            reading.missing(
                "text", "A part has a content: text, json, base64 or artifact.", suggestion: #""text": "…""#)
        } else if written.count > 1 {
            reading.note(
                member: written[1], .conflict,
                "A part has one content, not several (\(written.joined(separator: ", "))). Leave out all but one."
            )
        }
        return part
    }

    private func partType(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let text = reading.string(value, bytes: 0...255) else { return nil }
        guard text.isEmpty || MediaType(text) != nil else {
            reading.note(.unknownWord, "This is no media type.", suggestion: "text/plain; charset=utf-8")
            return nil
        }
        return text
    }

    /// Content that is sent unchanged: the name of an operation, or an object with the id of an upload.
    func content(_ value: JSONValue, _ reading: inout SpecReading) -> ContentReference? {
        if case .object(let object) = value { return upload(object, &reading) }
        guard
            let name = reading.string(
                value, #"the name of another operation, or the id of an upload as {"id": "art_…"}"#)
        else { return nil }
        if reading.kinds != nil, let id = UploadID(name) {
            reading.note(
                .wrongType, "This is the id of an upload. Write it as an object.",
                suggestion: #"{"id": "\#(id)"}"#)
            return nil
        }
        reading.refer(to: name, hasFallback: false, scope)
        return .operation(name)
    }

    private func upload(_ object: JSONObject, _ reading: inout SpecReading) -> ContentReference? {
        var found: UploadID?
        reading.members(of: object, "An upload", known: ["id"]) { reading, name, value in
            guard name == "id" else { return false }
            guard let text = reading.string(value, "the id that POST /v1/artifacts answered with") else {
                return true
            }
            if let id = UploadID(text) {
                found = id
                reading.account.note(id, at: reading.pointer)
            } else {
                reading.note(
                    .unknownReference,
                    "This is no id of an upload. Send the content with POST /v1/artifacts, and write the id of the "
                        + "answer: \"art_\" and 26 letters and digits.")
            }
            return true
        }
        if object["id"] == nil {
            reading.missing("id", "Say the id that POST /v1/artifacts answered with.")
        }
        return found.map(ContentReference.upload)
    }

    /// The bytes of a text in base 64.
    static func base64Bytes(_ value: JSONValue, _ reading: inout SpecReading) -> [UInt8]? {
        guard let text = reading.string(value, "base 64 text") else { return nil }
        guard let bytes = Base64.decode(text.utf8) else {
            reading.note(
                .badBase64,
                "This is not base 64: the alphabet of RFC 4648 §4, padded with \"=\", without line breaks.")
            return nil
        }
        return bytes
    }
}
