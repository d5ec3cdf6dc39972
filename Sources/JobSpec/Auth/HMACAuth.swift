internal import JobKit
internal import StrictJSON

/// A signature with a shared key: HMAC with SHA-256.
struct HMACAuth: AuthKind, CallCredentials {
    /// A text that begins with `whsec_` is the base 64 of the key after the prefix.
    var key: Binding
    var scheme: Scheme

    /// The parts that are signed, and the field of the signature.
    enum Scheme: Sendable, Hashable {
        /// Standard Webhooks, https://www.standardwebhooks.com: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
        case standardWebhooks
        /// The parts with line feeds between them.
        case parts(Parts)
    }

    /// A signature of parts of the request.
    struct Parts: Sendable, Hashable {
        /// The field that carries the signature.
        var header = "X-Signature"
        /// The text in front of the signature.
        var prefix = "sha256="
        var encoding = Encoding.hex
        /// The parts that are signed, in this order.
        var signed: [Part] = [.body]
        /// The field that carries the time, in seconds since 1970, when that is signed.
        var timestampHeader = "X-Timestamp"
    }

    enum Encoding: String, Sendable, CaseIterable {
        case hex, base64
    }

    /// A part of a request.
    enum Part: String, Sendable, CaseIterable {
        /// When the attempt is made, in seconds since 1970; sent in a field of its own.
        case timestamp
        case method
        /// The host, with the port where it is not the scheme's own.
        case host
        /// The path with the query.
        case target
        case body
    }

    private enum SchemeWord: String, CaseIterable {
        case standardWebhooks = "standard_webhooks"
        case parts
    }

    static let name = "hmac"
    static let members: [any KindMember] = [
        keyMember, schemeMember, headerMember, prefixMember, encodingMember, signedMember, timestampMember,
    ]
    private static let keyMember = RequiredMember("key", .confidential)
    private static let schemeMember = DefaultedMember("scheme", .word, default: SchemeWord.parts)
    private static let headerMember = OptionalMember("header", .fieldName)
    private static let prefixMember = OptionalMember(
        "prefix", .fieldValue(bytes: 0...64, subject: "The prefix"))
    private static let encodingMember = OptionalMember<Encoding>("encoding", .word)
    private static let signedMember = OptionalMember("signed", .signedParts)
    private static let timestampMember = OptionalMember("timestamp_header", .fieldName)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
    {
        let scheme = schemeMember.read(object, scope, &reading)
        let key = keyMember.read(object, scope, &reading)
        let parts: Scheme =
            switch scheme {
            case .standardWebhooks: standardWebhooks(object, &reading)
            case .parts: .parts(readParts(object, scope, &reading))
            }
        guard let key else { return .none }
        return .init(HMACAuth(key: key, scheme: parts))
    }

    private static func standardWebhooks(_ object: JSONObject, _ reading: inout SpecReading) -> Scheme {
        for name in ["header", "prefix", "encoding", "signed", "timestamp_header"] where object[name] != nil {
            reading.note(
                member: name, .conflict, "The scheme standard_webhooks says it all. Leave this out.")
        }
        return .standardWebhooks
    }

    private static func readParts(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> Parts
    {
        var parts = Parts()
        if let header = headerMember.read(object, scope, &reading) { parts.header = header }
        if let header = timestampMember.read(object, scope, &reading) { parts.timestampHeader = header }
        if let encoding = encodingMember.read(object, scope, &reading) { parts.encoding = encoding }
        if let prefix = prefixMember.read(object, scope, &reading) { parts.prefix = prefix }
        if let signed = signedMember.read(object, scope, &reading) { parts.signed = signed }
        return parts
    }

    var values: [Binding] { [key] }
    var confidentialValue: Binding { key }
    var fieldNames: [String] {
        switch scheme {
        case .standardWebhooks: ["webhook-id", "webhook-timestamp", "webhook-signature"]
        case .parts(let parts): [parts.header.lowercased(), parts.timestampHeader.lowercased()]
        }
    }

    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        let key = try HMACSignature.key(
            from: try key.resolveBytes("auth.key", lookup: lookup, secrets: secrets))
        return .signature { call, signing throws(AOperationError) in
            try HMACSignature(key: key, digests: signing.digests)
                .sign(&call, as: scheme, id: signing.id, at: signing.now)
        }
    }
}

extension SpecForm where Value == [HMACAuth.Part] {
    fileprivate static var signedParts: SpecForm {
        SpecForm { reading, value in
            var parts: [HMACAuth.Part] = []
            reading.elements(of: value) { reading, value in
                guard let part: HMACAuth.Part = reading.word(value) else { return }
                if parts.contains(part) {
                    reading.note(.conflict, "\"\(part.rawValue)\" is there twice.")
                }
                parts.append(part)
            }
            if parts.isEmpty, case .array = value {
                reading.note(
                    .outOfRange, "List at least one part to sign.", suggestion: #"["timestamp", "body"]"#)
            }
            return parts
        }
    }
}
