internal import JobKit
internal import StrictJSON

/// Reads `verify`: `{"scheme": "github", "key": {"$secret": "github-hook"}}`.
enum VerifyReader {
    /// The most keys that count at once.
    static let keysMax = 4

    /// The members of a scheme besides `scheme`.
    static func members(of scheme: VerifySpec.Scheme) -> [String] {
        switch scheme {
        case .standardWebhooks, .stripe, .slack: ["key", "tolerance"]
        case .github, .shopify: ["key"]
        case .hmac:
            [
                "key", "header", "prefix", "encoding", "digest", "signed", "separator", "timestamp_header",
                "tolerance",
            ]
        case .basic: ["username", "password"]
        case .bearer: ["token", "header"]
        case .none: []
        }
    }

    /// The proof that `value` asks for; nil when it is invalid, which has been reported then.
    static func read(_ value: JSONValue, _ reading: inout SpecReading) -> VerifySpec? {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object", suggestion: #"{"scheme": "github", "key": {"$secret": "github-hook"}}"#)
            return nil
        }
        guard let word = object["scheme"] else {
            let names = VerifySpec.Scheme.allCases.map(\.rawValue).joined(separator: ", ")
            reading.missing(
                "scheme", "Say how the sender identifies itself: \(names). \"none\" lets everyone send.")
            return nil
        }
        guard let scheme = reading.inside("scheme", { $0.word(word, VerifySpec.Scheme.self) }) else {
            return nil
        }
        var spec = VerifySpec(scheme)
        let known = members(of: scheme)
        reading.members(of: object, "verify of the scheme \(scheme.rawValue)", known: ["scheme"] + known) {
            reading, name, value in
            if name == "scheme" { return true }
            guard known.contains(where: name.hasSameBytes) else { return false }
            member(name, value, of: &spec, &reading)
            return true
        }
        if let member = scheme.keyMember, object[member] == nil {
            reading.missing(
                member, "The scheme \(scheme.rawValue) needs it.",
                suggestion: #""\#(member)": {"$secret": "name"}"#)
        }
        if scheme == .basic, object["username"] == nil {
            reading.missing("username", "The scheme basic needs it.")
        }
        if scheme == .hmac, object["tolerance"] != nil, !spec.signsTime {
            reading.note(
                member: "tolerance", .conflict,
                "It is about a signed time, and \"timestamp\" is not in \"signed\". Leave it out.")
        }
        return spec
    }

    private static func member(
        _ name: String, _ value: JSONValue, of spec: inout VerifySpec, _ reading: inout SpecReading
    ) {
        switch name {
        case "key", "password", "token": spec.secrets = secrets(value, &reading)
        case "username":
            spec.username = reading.string(value, bytes: 1...255) ?? ""
            if spec.username.utf8.contains(UInt8(ascii: ":")) {
                reading.note(.outOfRange, "A user name has no colon: what follows is the password.")
            }
        case "header":
            let name = fieldName(value, &reading)
            spec.header = name
            spec.parts.header = name ?? spec.parts.header
        case "prefix": spec.parts.prefix = reading.string(value, bytes: 0...64) ?? ""
        case "encoding": spec.parts.encoding = reading.word(value) ?? .hex
        case "digest": spec.parts.digest = reading.word(value) ?? .sha256
        case "signed": spec.parts.signed = signed(value, &reading)
        case "separator": spec.parts.separator = reading.string(value, bytes: 0...16) ?? ""
        case "timestamp_header":
            spec.parts.timestampHeader = fieldName(value, &reading) ?? spec.parts.timestampHeader
        default:
            spec.tolerance =
                reading.duration(value, atLeast: .seconds(10), atMost: .seconds(3_600)) ?? spec.tolerance
        }
    }

    private static func fieldName(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let name = reading.string(value, "the name of a header") else { return nil }
        FieldReader.checkName(name, &reading)
        return name
    }

    /// `{"$secret": "name"}`, or a list of these.
    private static func secrets(_ value: JSONValue, _ reading: inout SpecReading) -> [String] {
        guard case .array(let list) = value else { return secret(value, &reading).map { [$0] } ?? [] }
        var names: [String] = []
        reading.elements(of: value) { reading, value in
            if let name = secret(value, &reading) { names.append(name) }
        }
        if list.isEmpty || list.count > keysMax {
            reading.note(
                .outOfRange, "Name 1 to \(keysMax) secrets: the new one, and the old one while it is in use.")
        }
        return names
    }

    private static func secret(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard case .object(let object) = value, let name = object["$secret"] else {
            reading.note(
                .literalSecret,
                "Everyone who may read this would see the value. Store it with PUT /v1/secrets/{name} and name it "
                    + "here.", suggestion: #"{"$secret": "name"}"#)
            return nil
        }
        reading.members(of: object, "A reference to a secret", known: ["$secret"]) { _, member, _ in
            member.hasSameBytes(as: "$secret")
        }
        return reading.inside("$secret") { $0.name(name) }
    }

    /// The parts that are signed: words, `{"header": "X-Id"}` and `{"text": "v0"}`.
    private static func signed(_ value: JSONValue, _ reading: inout SpecReading) -> [VerifySpec.Part] {
        var parts: [VerifySpec.Part] = []
        reading.elements(of: value) { reading, value in
            guard case .object(let object) = value else {
                if let part: HMACAuth.Part = reading.word(value) { parts.append(.of(part)) }
                return
            }
            reading.members(of: object, "A signed part", known: ["header", "text"]) { reading, name, value in
                switch name {
                case "header": if let name = fieldName(value, &reading) { parts.append(.field(name)) }
                case "text": if let text = reading.string(value, bytes: 1...255) { parts.append(.text(text)) }
                default: return false
                }
                return true
            }
        }
        if !parts.contains(.of(.body)), case .array = value {
            reading.note(
                .outOfRange, "The body has to be signed, or anyone who sees one request can send another.",
                suggestion: #"["timestamp", "body"]"#)
        }
        if parts.count > 8 { reading.note(.tooLarge, "At most 8 parts are signed.") }
        return parts
    }
}
