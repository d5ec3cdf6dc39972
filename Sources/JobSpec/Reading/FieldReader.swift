internal import JobKit
internal import StrictJSON

/// Reads request fields: nothing that could break out of its line or that belongs to the transport.
struct FieldReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// Fields that the client sets by itself, or that would change how the connection is used.
    private static let forbidden = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
        "expect",
        "proxy-connection", "proxy-authorization", "proxy-authenticate", "http2-settings",
    ]

    private static let forbiddenInitials = Array("hctkuep".utf8)

    func headers(_ value: JSONValue, _ reading: inout SpecReading) -> [NetworkSpec.Entry] {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object of texts by name", suggestion: #"{"Accept": "application/json"}"#)
            return []
        }
        if object.count > reading.limits.headersMax {
            reading.note(
                .tooLarge, "There are \(object.count) headers; allowed are \(reading.limits.headersMax).")
        }
        var entries: [NetworkSpec.Entry] = []
        for member in object.members where !reading.isCut {
            reading.enter(member.name)
            Self.checkName(member.name, &reading)
            if case .array(let values) = member.value {
                reading.elements(of: .array(values)) { entries.append(header(member.name, $1, &$0)) }
            } else {
                entries.append(header(member.name, member.value, &reading))
            }
            reading.leave()
        }
        return entries
    }

    private func header(_ name: String, _ value: JSONValue, _ reading: inout SpecReading) -> NetworkSpec.Entry
    {
        let binding = BindingReader(scope).textBinding(value, &reading)
        if case .literal(.string(let text)) = binding { Self.checkValue(text, "The header", &reading) }
        return NetworkSpec.Entry(name: name, value: binding)
    }

    static func checkName(_ name: String, _ reading: inout SpecReading) {
        guard FieldText.isName(name) else {
            reading.note(
                .badHeader,
                "\"\(String(quotable: name))\" is no header name: letters, digits and -, without spaces and colons."
            )
            return
        }
        if Self.isForbidden(name) {
            reading.note(
                .badHeader, "\"\(name)\" is set by the server itself and cannot be given. Leave it out.")
        }
    }

    /// Whether a field is set by the server itself and cannot be given.
    static func isForbidden(_ name: String) -> Bool {
        forbiddenInitials.contains((name.utf8.first ?? 0) | 0x20) && forbidden.contains(name.lowercased())
    }

    static func checkValue(_ text: String, _ subject: String, _ reading: inout SpecReading) {
        guard !FieldText.isValue(text) else { return }
        reading.note(
            .badHeader, "\(subject) has a line break or another control character, which cannot be sent.")
    }
}
