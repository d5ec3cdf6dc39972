/// An access token that is fetched for a client (RFC 6749 §4.4) and sent as a bearer token.
public struct OAuth2Spec: Sendable, Hashable {
    /// Where tokens are given out: an absolute http(s) URL.
    public var tokenURL: String
    /// Who asks.
    public var clientID: Binding
    /// What only the client knows.
    public var clientSecret: Binding
    /// What the token is to permit: words with spaces between; nil leaves it to the other side.
    public var scope: String?
    /// For whom the token is to be; nil says nothing.
    public var audience: String?
    /// How the client identifies itself when it asks.
    public var style = ClientStyle.basic

    /// How a client identifies itself (RFC 6749 §2.3.1).
    public enum ClientStyle: String, Sendable, Hashable, CaseIterable {
        /// In the field `Authorization`.
        case basic = "client_secret_basic"
        /// In the content.
        case post = "client_secret_post"
    }

    /// A token from `tokenURL`.
    public init(tokenURL: String, clientID: Binding, clientSecret: Binding) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
    }
}

/// A signature as the services of AWS ask for (Signature Version 4).
public struct AWSSignatureSpec: Sendable, Hashable {
    /// The name of the key.
    public var accessKey: Binding
    /// The key.
    public var secretKey: Binding
    /// The token of a session, for keys that are lent.
    public var sessionToken: Binding?
    /// The region, such as `eu-central-1`.
    public var region: String
    /// The service, such as `s3` or `execute-api`.
    public var service: String

    /// A signature for one service in one region.
    public init(accessKey: Binding, secretKey: Binding, region: String, service: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.region = region
        self.service = service
    }
}

/// A signature with a key that both sides know: HMAC with SHA-256.
public struct HMACSpec: Sendable, Hashable {
    /// The key. A text that begins with `whsec_` is base 64 of the key behind that.
    public var key: Binding
    /// What is signed, and where the signature goes.
    public var scheme: Scheme

    /// What is signed, and where the signature goes.
    public enum Scheme: Sendable, Hashable {
        /// As https://www.standardwebhooks.com says: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
        case standardWebhooks
        /// The parts with line feeds between them.
        case parts(Parts)
    }

    /// A signature of parts of the request.
    public struct Parts: Sendable, Hashable {
        /// The field that carries the signature. Default `X-Signature`.
        public var header = "X-Signature"
        /// What stands in front of it. Default `sha256=`.
        public var prefix = "sha256="
        /// How it is written.
        public var encoding = Encoding.hex
        /// What is signed, in this order. Default the body alone.
        public var signed: [Part] = [.body]
        /// The field that carries the time, in seconds since 1970, when that is signed. Default `X-Timestamp`.
        public var timestampHeader = "X-Timestamp"

        /// The body alone, in hexadecimal digits.
        public init() {}
    }

    /// How a signature is written.
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        case hex, base64
    }

    /// A part of a request.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// When the attempt is made, in seconds since 1970; sent in a field of its own.
        case timestamp
        case method
        /// The host, with the port where it is not the scheme's own.
        case host
        /// The path with the query.
        case target
        case body
    }

    /// A signature with `key`.
    public init(key: Binding, scheme: Scheme) {
        self.key = key
        self.scheme = scheme
    }
}
