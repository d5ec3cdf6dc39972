internal import HTTPMessage
internal import StrictJSON

/// How calls identify themselves.
extension SpecReading {
    private enum AuthType: String, CaseIterable {
        case none, bearer, basic, header
        case oauth2 = "oauth2_client_credentials"
        case aws = "aws_sigv4"
        case hmac

        var needed: [String] {
            switch self {
            case .none: []
            case .bearer: ["token"]
            case .basic: ["username", "password"]
            case .header: ["name", "value"]
            case .oauth2: ["token_url", "client_id", "client_secret"]
            case .aws: ["access_key", "secret_key", "region", "service"]
            case .hmac: ["key"]
            }
        }

        var optional: [String] {
            switch self {
            case .oauth2: ["scope", "audience", "client_auth"]
            case .aws: ["session_token"]
            case .hmac: ["scheme", "header", "prefix", "encoding", "signed", "timestamp_header"]
            default: []
            }
        }
    }

    /// `{"type", …}`
    mutating func auth(_ value: JSONValue) -> NetworkSpec.Auth {
        guard case .object(let object) = value else {
            wrongType(value, "an object", suggestion: #"{"type": "bearer", "token": "…"}"#)
            return .none
        }
        guard let value = object["type"] else {
            let words = AuthType.allCases.map(\.rawValue).joined(separator: ", ")
            missing("type", "Ways to identify are: \(words).")
            return .none
        }
        guard let type = inside("type", { $0.word(value, AuthType.self) }) else { return .none }
        let known = ["type"] + type.needed + type.optional
        members(of: object, "auth of type \(type.rawValue)", known: known) { _, name, _ in
            known.contains(name)
        }
        let lacking = type.needed.filter { object[$0] == nil }
        for name in lacking { missing(name, "auth of type \(type.rawValue) needs it.") }
        guard lacking.isEmpty else { return .none }
        switch type {
        case .none: return .none
        case .bearer: return .bearer(token: confidential("token", of: object))
        case .basic:
            return .basic(
                username: text("username", of: object), password: confidential("password", of: object))
        case .header: return headerAuth(object)
        case .oauth2: return oauth2(object)
        case .aws: return aws(object)
        case .hmac: return hmac(object)
        }
    }

    private mutating func text(_ name: String, of object: JSONObject) -> Binding {
        inside(name) { $0.textBinding(object[name] ?? .null) }
    }

    private mutating func confidential(_ name: String, of object: JSONObject) -> Binding {
        inside(name) { $0.confidential(object[name] ?? .null) }
    }

    private mutating func word(_ name: String, of object: JSONObject, bytes: Int = 255) -> String {
        inside(name) { reading in
            guard let text = reading.string(object[name] ?? .null, bytes: 1...bytes) else { return "" }
            reading.checkFieldValue(text, "The value")
            return text
        }
    }

    private mutating func fieldName(_ name: String, of object: JSONObject) -> String {
        inside(name) { reading in
            guard let text = reading.string(object[name] ?? .null, "the name of a header") else { return "X" }
            reading.checkFieldName(text)
            return text
        }
    }

    private mutating func headerAuth(_ object: JSONObject) -> NetworkSpec.Auth {
        let name = fieldName("name", of: object)
        let value = confidential("value", of: object)
        if case .literal(.string(let text)) = value {
            inside("value") { $0.checkFieldValue(text, "The value") }
        }
        return .header(name: name, value: value)
    }

    private mutating func oauth2(_ object: JSONObject) -> NetworkSpec.Auth {
        let url = inside("token_url") { $0.literalURL(object["token_url"] ?? .null) } ?? ""
        var spec = OAuth2Spec(
            tokenURL: url, clientID: text("client_id", of: object),
            clientSecret: confidential("client_secret", of: object))
        if object["scope"] != nil { spec.scope = word("scope", of: object, bytes: 2_000) }
        if object["audience"] != nil { spec.audience = word("audience", of: object, bytes: 2_000) }
        if let value = object["client_auth"] {
            spec.style = inside("client_auth") { $0.word(value) } ?? .basic
        }
        return .oauth2(spec)
    }

    private mutating func aws(_ object: JSONObject) -> NetworkSpec.Auth {
        var spec = AWSSignatureSpec(
            accessKey: text("access_key", of: object), secretKey: confidential("secret_key", of: object),
            region: scopeWord("region", of: object), service: scopeWord("service", of: object))
        if object["session_token"] != nil { spec.sessionToken = confidential("session_token", of: object) }
        return .awsSignature(spec)
    }

    /// A part of the scope that a signature is valid for.
    private mutating func scopeWord(_ name: String, of object: JSONObject) -> String {
        let text = word(name, of: object, bytes: 63)
        let isWord = text.utf8.allSatisfy { byte in
            byte &- 0x61 < 26 || byte &- 0x41 < 26 || byte &- 0x30 < 10 || byte == 0x2D
        }
        if !isWord {
            note(member: name, .outOfRange, "It has letters, digits and \"-\", as in \"eu-central-1\".")
        }
        return text
    }

    private mutating func hmac(_ object: JSONObject) -> NetworkSpec.Auth {
        enum Scheme: String, CaseIterable {
            case standardWebhooks = "standard_webhooks"
            case parts
        }
        let scheme = object["scheme"].flatMap { value in inside("scheme") { $0.word(value, Scheme.self) } }
        let key = confidential("key", of: object)
        if scheme == .standardWebhooks {
            for name in ["header", "prefix", "encoding", "signed", "timestamp_header"]
            where object[name] != nil {
                note(member: name, .conflict, "The scheme standard_webhooks says it all. Leave this out.")
            }
            return .hmac(HMACSpec(key: key, scheme: .standardWebhooks))
        }
        var parts = HMACSpec.Parts()
        if object["header"] != nil { parts.header = fieldName("header", of: object) }
        if object["timestamp_header"] != nil {
            parts.timestampHeader = fieldName("timestamp_header", of: object)
        }
        if let value = object["encoding"] {
            parts.encoding = inside("encoding") { $0.word(value) } ?? .hex
        }
        if let value = object["prefix"] {
            inside("prefix") { reading in
                guard let text = reading.string(value, bytes: 0...64) else { return }
                reading.checkFieldValue(text, "The prefix")
                parts.prefix = text
            }
        }
        if let value = object["signed"] { parts.signed = inside("signed") { $0.signedParts(value) } }
        return .hmac(HMACSpec(key: key, scheme: .parts(parts)))
    }

    private mutating func signedParts(_ value: JSONValue) -> [HMACSpec.Part] {
        var parts: [HMACSpec.Part] = []
        elements(of: value) { reading, value in
            guard let part: HMACSpec.Part = reading.word(value) else { return }
            if parts.contains(part) { reading.note(.conflict, "\"\(part.rawValue)\" is there twice.") }
            parts.append(part)
        }
        if parts.isEmpty, case .array = value {
            note(.outOfRange, "Something must be signed.", suggestion: #"["timestamp", "body"]"#)
        }
        return parts
    }
}
