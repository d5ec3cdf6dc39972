internal import JobKit

/// The proof that a request from outside is its sender's: `verify` of a hook, and of a callback.
package struct VerifySpec: Sendable, Hashable {
    /// The way in which the sender identifies itself.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// https://www.standardwebhooks.com: `v1` (HMAC with SHA-256), and `v1a` (Ed25519) for keys with `whpk_`.
        case standardWebhooks = "standard_webhooks"
        /// `Stripe-Signature: t=…,v1=…`
        case stripe
        /// `X-Hub-Signature-256: sha256=…`
        case github
        /// `X-Slack-Signature: v0=…`, of `v0:time:body`
        case slack
        /// `X-Shopify-Hmac-Sha256`, in base64
        case shopify
        /// An HMAC of parts of the request.
        case hmac
        /// A user name and a password (RFC 7617).
        case basic
        /// A token, in `Authorization` (RFC 6750) or in a field of its own.
        case bearer
        /// Everyone may send.
        case none

        /// The member with the secret; nil for none.
        var keyMember: String? {
            switch self {
            case .none: nil
            case .basic: "password"
            case .bearer: "token"
            default: "key"
            }
        }
    }

    /// An HMAC of parts of the request.
    struct Parts: Sendable, Hashable {
        /// The field that carries the signature.
        var header = "X-Signature"
        /// The text in front of the signature.
        var prefix = "sha256="
        var encoding = HMACAuth.Encoding.hex
        var digest = KeyedDigest.sha256
        /// The parts that are signed, in this order.
        var signed: [Part] = [.of(.body)]
        /// The text between them.
        var separator = "\n"
        /// The field with the time, in seconds or milliseconds since 1970, when that is signed.
        var timestampHeader = "X-Timestamp"
    }

    /// A part of what is signed.
    enum Part: Sendable, Hashable {
        case of(HMACAuth.Part)
        /// The value of a field.
        case field(String)
        /// A text that is always the same.
        case text(String)
    }

    package var scheme: Scheme
    /// The names of the secrets, any one of which counts: the new key and the old one.
    package var secrets: [String] = []
    /// The user name for `basic`.
    var username = ""
    /// The field with the token for `bearer`; nil is `Authorization`.
    var header: String?
    var parts = Parts()
    /// The greatest distance of the signed time from ours, in both directions.
    package var tolerance = Self.toleranceDefault

    static let toleranceDefault = Duration.seconds(300)

    package init(_ scheme: Scheme) { self.scheme = scheme }

    /// Whether the sender signs the time, so that a copy of the request is refused later.
    package var signsTime: Bool {
        switch scheme {
        case .standardWebhooks, .stripe, .slack: true
        case .hmac: parts.signed.contains(.of(.timestamp))
        case .github, .shopify, .basic, .bearer, .none: false
        }
    }

    /// Whether the query is as genuine as the body: both are signed, or neither is.
    package var trustsQuery: Bool {
        switch scheme {
        case .hmac: parts.signed.contains(.of(.target))
        case .basic, .bearer, .none: true
        case .standardWebhooks, .stripe, .github, .slack, .shopify: false
        }
    }

    /// The fields, in lower case, that identify the sender and so are never kept.
    package var confidentialFields: [String] {
        switch scheme {
        case .standardWebhooks: ["webhook-signature", "svix-signature"]
        case .stripe: ["stripe-signature"]
        case .github: ["x-hub-signature", "x-hub-signature-256"]
        case .slack: ["x-slack-signature"]
        case .shopify: ["x-shopify-hmac-sha256"]
        case .hmac: [parts.header.lowercased()]
        case .basic, .none: ["authorization"]
        case .bearer: ["authorization"] + (header.map { [$0.lowercased()] } ?? [])
        }
    }
}
