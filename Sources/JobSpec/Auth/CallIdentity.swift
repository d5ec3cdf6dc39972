internal import HTTPMessage
internal import JobKit

/// The authentication of a call, with all values resolved.
enum CallIdentity: Sendable {
    case basic(username: String, password: String)
    case bearer(token: String)
    /// A complete field.
    case field(name: String, value: String)
    /// A signature of the finished call.
    case signature(Signing)
    /// A token that has to be fetched.
    case fetchedToken(OAuth2Client)

    typealias Signing = @Sendable (inout HTTPCall, CallSigning) throws(AOperationError) -> Void
}

/// The input of a signature besides its key.
struct CallSigning: Sendable {
    let digests: any MessageDigests
    /// The same in every attempt, so that the receiver recognises repetitions.
    let id: String
    let now: Timestamp
}

extension CallIdentity {
    /// The field that carries the identity; nil when it takes more than a field.
    var field: (name: String, value: String)? {
        switch self {
        case .basic(let username, let password):
            let pair = Base64.encode(Array("\(username):\(password)".utf8))
            return ("Authorization", "Basic \(String(decoding: pair, as: UTF8.self))")
        case .bearer(let token): return ("Authorization", "Bearer \(token)")
        case .field(let name, let value): return (name, value)
        case .signature, .fetchedToken: return nil
        }
    }
}

extension Binding {
    /// The value as bytes: a secret verbatim, everything else as its text.
    func resolveBytes(
        _ what: String, lookup: Lookup, secrets: SecretAccess
    ) throws(AOperationError) -> [UInt8] {
        if case .get(let reference) = self, case .secret(let name) = reference.source {
            return try secrets.bytes(of: name)
        }
        return Array(try resolveText(what, lookup: lookup).utf8)
    }

    /// Whether the value contains a secret, or a callback URL, which is one.
    var namesSecret: Bool {
        switch self {
        case .literal: false
        case .get(let reference):
            switch reference.source {
            case .secret, .callback: true
            default: false
            }
        case .text(_, let vars): vars.contains { $0.value.namesSecret }
        case .array(let parts): parts.contains(where: \.namesSecret)
        case .object(let entries): entries.contains { $0.value.namesSecret }
        }
    }
}
