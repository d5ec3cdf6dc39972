internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Reads the expectations of an answer.
struct ExpectationReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// The expectation of an answer.
    func expectation(_ value: JSONValue, _ reading: inout SpecReading) -> Expectation {
        var expectation = Expectation()
        if let statuses = Self.writtenStatuses(value) {
            reading.wrongType(value, "an object", suggestion: "{\"status\": \(statuses)}")
            return expectation
        }
        reading.members(of: value, "expect", known: ["status", "content_type", "that"]) {
            reading, name, value in
            switch name {
            case "status": expectation.statuses = statuses(value, &reading)
            case "content_type": expectation.contentTypes = mediaTypes(value, &reading)
            case "that": expectation.that = PredicateReader(scope).predicate(value, on: .result, &reading)
            default: return false
            }
            return true
        }
        return expectation
    }

    /// Statuses that were written without the object around them, as in a spec; nil for any other value.
    private static func writtenStatuses(_ value: JSONValue) -> String? {
        switch value {
        case .number(let number): String(quotable: number.text)
        case .string(let text): Int(text) == nil ? "\"\(String(quotable: text))\"" : text
        case .array(let elements) where elements.count <= 20:
            "[" + elements.compactMap(writtenStatuses).joined(separator: ", ") + "]"
        default: nil
        }
    }

    private func statuses(_ value: JSONValue, _ reading: inout SpecReading) -> [ClosedRange<Int>] {
        guard case .array(let elements) = value else { return status(value, &reading).map { [$0] } ?? [] }
        if elements.isEmpty {
            reading.note(.outOfRange, "List at least one status, or leave \"status\" out for any 2xx.")
        }
        var ranges: [ClosedRange<Int>] = []
        reading.elements(of: value) { reading, element in
            if let range = status(element, &reading) { ranges.append(range) }
        }
        return ranges
    }

    private func status(_ value: JSONValue, _ reading: inout SpecReading) -> ClosedRange<Int>? {
        if case .number = value { return reading.int(value, in: 100...999).map { $0...$0 } }
        guard let text = reading.string(value, "a status such as 200 or \"2xx\"") else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count == 3, bytes[1] == UInt8(ascii: "x"), bytes[2] == bytes[1],
            (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(bytes[0])
        else {
            let number = Int(text).flatMap { (100...999).contains($0) ? text : nil }
            reading.note(
                .unknownWord, "A status is a number such as 200, or a class: \"1xx\" to \"5xx\".",
                suggestion: number
                    ?? reading.nearest(to: text, in: ["1xx", "2xx", "3xx", "4xx", "5xx"]))
            return nil
        }
        let first = Int(bytes[0] - UInt8(ascii: "0")) * 100
        // A status above class 5 counts as class 5 (RFC 9110 §15).
        return first == 500 ? 500...999 : first...(first + 99)
    }

    private func mediaTypes(_ value: JSONValue, _ reading: inout SpecReading) -> [MediaType] {
        guard case .array(let elements) = value else {
            return Self.mediaType(value, &reading).map { [$0] } ?? []
        }
        if elements.isEmpty {
            reading.note(
                .outOfRange, "List at least one content type, or leave \"content_type\" out for any.")
        }
        var types: [MediaType] = []
        reading.elements(of: value) { reading, element in
            if let type = Self.mediaType(element, &reading) { types.append(type) }
        }
        return types
    }

    static func mediaType(_ value: JSONValue, _ reading: inout SpecReading) -> MediaType? {
        guard let text = reading.string(value, bytes: 1...255) else { return nil }
        guard let type = MediaType(text), type.type != "*" || type.subtype.utf8.first == UInt8(ascii: "*")
        else {
            let words = ["json": "application/json", "html": "text/html", "xml": "application/xml"]
            reading.note(
                .unknownWord,
                "A content type is written like \"application/json\", \"text/*\", \"application/*+json\" "
                    + "or \"text/plain; charset=utf-8\".",
                suggestion: words[text.lowercased()])
            return nil
        }
        return type
    }
}
