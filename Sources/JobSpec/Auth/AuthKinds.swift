internal import StrictJSON

/// The kinds of authentication of a call.
enum AuthKinds {
    static let all: [any AuthKind.Type] = [
        NoAuth.self, BearerAuth.self, BasicAuth.self, HeaderAuth.self, OAuth2Auth.self,
        AWSSignatureAuth.self, HMACAuth.self,
    ]

    private static let table = KindTable(all.map { ($0.name, $0.members, $0) })

    static var names: [String] { table.names }

    private static let bearer = #"{"type": "bearer", "token": "…"}"#
    private static let basic = #"{"type": "basic", "username": "…", "password": "…"}"#

    /// The way that an object without its type probably means.
    private static func meant(_ object: JSONObject) -> String? {
        func has(_ words: String...) -> Bool { words.contains { object[$0] != nil } }
        if has("bearer") { return bearer }
        if has("basic", "user") { return basic }
        let kind = all.first { kind in kind.members.contains { $0.isRequired && object[$0.name] != nil } }
        return kind.map { "\"type\": \"\($0.name)\"" }
    }

    /// `{"type", …}`
    static func read(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> NetworkSpec.Auth {
        guard case .object(let object) = value else {
            let isPair = value.array?.count == 2
            reading.wrongType(value, "an object", suggestion: isPair ? basic : bearer)
            return .none
        }
        guard let value = object["type"] else {
            reading.missing(
                "type", "Ways to identify are: \(names.joined(separator: ", ")).", suggestion: meant(object))
            return .none
        }
        guard let kind = reading.inside("type", { $0.word(value, of: names) }).flatMap({ table[$0] }) else {
            return .none
        }
        let known = table.members(of: kind.name)
        reading.members(of: object, "auth of type \(kind.name)", known: known) { _, name, _ in
            known.contains(name)
        }
        let lacking = kind.members.filter { $0.isRequired && object[$0.name] == nil }
        for member in lacking {
            reading.missing(
                member.name, "auth of type \(kind.name) needs it.", suggestion: "\"\(member.name)\": \"…\"")
        }
        return lacking.isEmpty ? kind.read(object, scope, &reading) : .none
    }
}

extension SpecForm where Value == String {
    /// A text sent in a field.
    static func fieldValue(
        bytes range: ClosedRange<Int> = 1...255, subject: String = "The value"
    ) -> SpecForm {
        SpecForm { reading, value in
            guard let text = reading.string(value, bytes: range) else { return nil }
            FieldReader.checkValue(text, subject, &reading)
            return text
        }
    }

    /// The name of a field.
    static var fieldName: SpecForm {
        SpecForm { reading, value in
            guard let text = reading.string(value, "the name of a header") else { return nil }
            FieldReader.checkName(text, &reading)
            return text
        }
    }
}
