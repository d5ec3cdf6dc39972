internal import JobKit
internal import StrictJSON

/// Reads the key that a job has in its queue: a text, or a label of the job.
enum QueueKeyReader {
    private static let example = #"{"$job": "labels", "at": "/customer"}"#

    /// The key; nil when it is invalid.
    /// - Parameter labels: the labels of the job.
    static func key(_ value: JSONValue, labels: [JobSpec.Label], _ reading: inout SpecReading) -> String? {
        guard case .object(let object) = value else {
            if case .string = value { return reading.key(value) }
            reading.wrongType(value, "a text or a label of the job", suggestion: example)
            return nil
        }
        var label: String?
        var fallback: String?
        reading.members(of: object, "A key", known: ["$job", "at", "default"]) { reading, name, value in
            switch name {
            case "$job": _ = reading.word(value, of: ["labels"])
            case "at": label = self.label(value, &reading)
            case "default": fallback = reading.key(value)
            default: return false
            }
            return true
        }
        if object["$job"] == nil { reading.missing("$job", "Only labels can be keys.", suggestion: example) }
        if object["at"] == nil { reading.missing("at", "Say which label.", suggestion: example) }
        guard let label else { return nil }
        let found = labels.first { $0.key.hasSameBytes(as: label) }
        if let value = found?.value, !value.isEmpty { return value }
        if object["default"] == nil {
            reading.note(
                .missingMember,
                "The job has no label \"\(String(quotable: label))\". Add it, or a \"default\" to the key.")
        }
        return fallback
    }

    /// The label at a pointer such as `/customer`.
    private static func label(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let text = reading.string(value, "a pointer such as \"/customer\"") else { return nil }
        guard let pointer = JSONPointer(text), pointer.tokens.count == 1 else {
            reading.note(
                .outOfRange, "\"\(String(quotable: text))\" is no pointer to a label, such as /customer.",
                suggestion: text.utf8.first == UInt8(ascii: "/") ? nil : "/" + text)
            return nil
        }
        return pointer.tokens[0]
    }
}
