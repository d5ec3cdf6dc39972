internal import HTTPMessage

/// Who a call says that it comes from, with all values at hand.
enum CallIdentity: Sendable {
    case none
    /// Fields that say it all.
    case fields([(name: String, value: String)])
    /// A token that has to be fetched.
    case oauth2(OAuth2Client)
    case aws(AWSCredentials)
    case hmac(key: [UInt8], HMACSpec.Scheme)
}

extension NetworkSpec.Auth {
    /// The identity with everything filled in.
    /// - Throws: `reference.*`, `auth.secret_missing`, `http.field`; nothing was sent.
    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        switch self {
        case .none: return .none
        case .bearer(let token):
            let text = try token.resolveText("auth.token", lookup: lookup)
            return .fields([("Authorization", "Bearer \(text)")])
        case .basic(let username, let password):
            let name = try username.resolveText("auth.username", lookup: lookup)
            let word = try password.resolveText("auth.password", lookup: lookup)
            let pair = Array("\(name):\(word)".utf8)
            if password.namesSecret || username.namesSecret { secrets.hide(pair) }
            return .fields([
                ("Authorization", "Basic \(String(decoding: Base64.encode(pair), as: UTF8.self))")
            ])
        case .header(let name, let value):
            return .fields([(name, try value.resolveText("auth.value", lookup: lookup))])
        case .oauth2(let spec):
            return .oauth2(
                OAuth2Client(
                    spec: spec, id: try spec.clientID.resolveText("auth.client_id", lookup: lookup),
                    secret: try spec.clientSecret.resolveText("auth.client_secret", lookup: lookup)))
        case .awsSignature(let spec):
            var session: String?
            if let token = spec.sessionToken {
                session = try token.resolveText("auth.session_token", lookup: lookup)
            }
            return .aws(
                AWSCredentials(
                    accessKey: try spec.accessKey.resolveText("auth.access_key", lookup: lookup),
                    secretKey: try spec.secretKey.resolveText("auth.secret_key", lookup: lookup),
                    sessionToken: session, region: spec.region, service: spec.service))
        case .hmac(let spec):
            let key = try spec.key.resolveBytes("auth.key", lookup: lookup, secrets: secrets)
            return .hmac(key: HMACSignature.key(from: key), spec.scheme)
        }
    }

    /// The names of the fields in which it is sent, in small letters.
    var fieldNames: [String] {
        switch self {
        case .none: []
        case .bearer, .basic, .oauth2: ["authorization"]
        case .header(let name, _): [name.lowercased()]
        case .awsSignature: ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"]
        case .hmac(let spec):
            switch spec.scheme {
            case .standardWebhooks: ["webhook-id", "webhook-timestamp", "webhook-signature"]
            case .parts(let parts): [parts.header.lowercased(), parts.timestampHeader.lowercased()]
            }
        }
    }

    /// What it is called in specs.
    var word: String {
        switch self {
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .header: "header"
        case .oauth2: "oauth2_client_credentials"
        case .awsSignature: "aws_sigv4"
        case .hmac: "hmac"
        }
    }
}

extension Binding {
    /// The value as bytes: a secret as it is, everything else as its text.
    func resolveBytes(
        _ what: String, lookup: Lookup, secrets: SecretAccess
    ) throws(AOperationError) -> [UInt8] {
        if case .get(let reference) = self, case .secret(let name) = reference.source {
            return try secrets.bytes(of: name)
        }
        return Array(try resolveText(what, lookup: lookup).utf8)
    }

    /// Whether a secret is a part of it.
    var namesSecret: Bool {
        switch self {
        case .literal: false
        case .get(let reference): if case .secret = reference.source { true } else { false }
        case .text(_, let vars): vars.contains { $0.value.namesSecret }
        case .array(let parts): parts.contains(where: \.namesSecret)
        case .object(let entries): entries.contains { $0.value.namesSecret }
        }
    }
}
