internal import JobKit
internal import StrictJSON

enum PointerReader {
    /// The members of a result document. `state` and `error` are there when the operation did not succeed, `method` and
    /// `query` in a request that came to a callback URL.
    private static let places = [
        "status", "headers", "body", "bytes", "artifact", "unchanged", "cookie", "cookies", "events",
        "state", "error", "method", "query",
    ]

    /// A JSON Pointer into a document of any form.
    static func pointer(_ value: JSONValue, _ reading: inout SpecReading) -> JSONPointer? {
        guard let text = reading.string(value, "a JSON Pointer such as \"/id\"") else { return nil }
        guard let pointer = JSONPointer(text) else {
            reading.note(
                .badPointer,
                "A JSON Pointer is empty or begins with \"/\", with ~0 for ~ and ~1 for / in names.",
                suggestion: text.utf8.first == UInt8(ascii: "/") ? nil : "/" + text)
            return nil
        }
        return pointer
    }

    /// A JSON Pointer into a result document.
    static func place(_ value: JSONValue, _ reading: inout SpecReading) -> JSONPointer? {
        guard let text = reading.string(value, "a JSON Pointer such as \"/body/id\"") else { return nil }
        guard let pointer = JSONPointer(text) else {
            reading.note(
                .badPointer,
                "A JSON Pointer is empty or begins with \"/\", with ~0 for ~ and ~1 for / in names.",
                suggestion: text.pointerOfPath.map { Self.places(in: $0, &reading) })
            return nil
        }
        if let first = pointer.tokens.first, !Self.places.contains(first) {
            reading.note(
                .badPointer,
                "A result has \(Self.places.joined(separator: ", ")), not \"\(String(quotable: first))\".",
                suggestion: Self.places(in: pointer, &reading))
        }
        return pointer
    }

    /// The pointer with a member of a result prepended.
    private static func places(in pointer: JSONPointer, _ reading: inout SpecReading) -> String {
        guard let first = pointer.tokens.first, !places.contains(first) else { return pointer.description }
        guard let place = reading.nearest(to: first, in: places) else { return "/body\(pointer)" }
        return JSONPointer(tokens: [place] + pointer.tokens.dropFirst()).description
    }
}

extension String {
    /// `body.items.0`, `.body.items.0` and the JSONPath `$.items[0]` as a pointer: `/body/items/0`; nil when it is
    /// none of these.
    fileprivate var pointerOfPath: JSONPointer? {
        guard first != "/" else { return nil }
        let names = split { "$.[]/\"'".contains($0) }
        if names.isEmpty { return nil }
        let isInContent = first == "$" && names[0] != "body"
        return JSONPointer(tokens: (isInContent ? ["body"] : []) + names.map(String.init))
    }
}
