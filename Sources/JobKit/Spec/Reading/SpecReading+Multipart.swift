internal import HTTPMessage
internal import StrictJSON

/// Forms with several parts.
extension SpecReading {
    private static let partMembers = [
        "name", "filename", "content_type", "text", "json", "base64", "artifact",
    ]
    private static let partContents = ["text", "json", "base64", "artifact"]

    /// An object of texts by name, or a list of parts.
    mutating func multipart(_ value: JSONValue) -> NetworkSpec.Body? {
        switch value {
        case .object(let object):
            let parts = object.members.map { member in
                inside(member.name) { reading in
                    MultipartSpec.Part(name: member.name, content: .text(reading.textBinding(member.value)))
                }
            }
            return .multipart(MultipartSpec(parts: parts))
        case .array(let elements):
            if elements.count > limits.partsMax {
                note(.tooLarge, "There are \(elements.count) parts; allowed are \(limits.partsMax).")
            }
            var parts: [MultipartSpec.Part] = []
            self.elements(of: value) { reading, element in
                if let part = reading.part(element) { parts.append(part) }
            }
            return .multipart(MultipartSpec(parts: parts))
        default:
            wrongType(
                value, "an object of texts by name, or a list of parts",
                suggestion: #"[{"name": "note", "text": "…"}]"#)
            return nil
        }
    }

    private mutating func part(_ value: JSONValue) -> MultipartSpec.Part? {
        guard case .object(let object) = value else {
            wrongType(value, "an object", suggestion: #"{"name": "note", "text": "…"}"#)
            return nil
        }
        var part = MultipartSpec.Part(name: "", content: .text(.literal(.string(""))))
        members(of: object, "A part", known: Self.partMembers) { reading, name, value in
            switch name {
            case "name": part.name = reading.string(value, bytes: 1...255) ?? ""
            case "filename": part.filename = reading.textBinding(value)
            case "content_type": part.contentType = reading.partType(value)
            case "text": part.content = .text(reading.textBinding(value))
            case "json": part.content = .json(reading.binding(value))
            case "base64": if let bytes = reading.base64Bytes(value) { part.content = .base64(bytes) }
            case "artifact": if let content = reading.content(value) { part.content = .artifact(content) }
            default: return false
            }
            return true
        }
        if object["name"] == nil { missing("name", "Say the name of the field.") }
        let written = Self.partContents.filter { object[$0] != nil }
        if written.isEmpty {
            missing(
                "text", "A part has a content: text, json, base64 or artifact.", suggestion: #""text": "…""#)
        } else if written.count > 1 {
            note(
                member: written[1], .conflict,
                "A part has one content, not several (\(written.joined(separator: ", "))). Leave out all but one."
            )
        }
        return part
    }

    private mutating func partType(_ value: JSONValue) -> String? {
        guard let text = string(value, bytes: 1...255) else { return nil }
        guard MediaType(text) != nil else {
            note(.unknownWord, "This is no media type.", suggestion: "text/plain; charset=utf-8")
            return nil
        }
        return text
    }

    /// The name of an operation whose content is sent as it is.
    mutating func content(_ value: JSONValue) -> ContentReference? {
        guard let name = string(value, "the name of another operation") else { return nil }
        refer(to: name, hasFallback: false)
        return ContentReference(operation: name)
    }

    /// The bytes of a text in base 64.
    mutating func base64Bytes(_ value: JSONValue) -> [UInt8]? {
        guard let text = string(value, "base 64 text") else { return nil }
        guard let bytes = Base64.decode(text.utf8) else {
            note(
                .badBase64,
                "This is not base 64: the alphabet of RFC 4648 §4, padded with \"=\", without line breaks.")
            return nil
        }
        return bytes
    }
}
