internal import HTTPMessage
internal import JobKit

/// The credentials of a call as in its spec. The identity of each attempt is derived from them.
protocol CallCredentials: Sendable, Hashable {
    /// The name in specs.
    static var name: String { get }

    /// Whether the identity is the same text in every call, so that a command line can include it. Default false.
    static var isSentAsIs: Bool { get }

    /// All bindings in the credentials.
    var values: [Binding] { get }

    /// The confidential part of the credentials.
    var confidentialValue: Binding { get }

    /// The names of the fields that carry the identity, in lower case.
    var fieldNames: [String] { get }

    /// The identity with all values resolved.
    /// - Throws: `reference.*`, `auth.secret_missing`, `http.field`; nothing was sent.
    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity

    /// The URL as sent, if the identity depends on its form. Default the URL itself.
    func sentForm(of url: String) -> String

    /// A warning about the credentials. Default none.
    var warning: (code: String, detail: String)? { get }
}

extension CallCredentials {
    static var isSentAsIs: Bool { false }
    func sentForm(of url: String) -> String { url }
    var warning: (code: String, detail: String)? { nil }

    func isEqual(to other: any CallCredentials) -> Bool { (other as? Self) == self }
}

extension NetworkSpec {
    /// The credentials of a call, if it has any.
    package struct Auth: Sendable, Hashable, CustomStringConvertible {
        /// Nil for a call without credentials.
        let credentials: (any CallCredentials)?

        package static let none = Auth(credentials: nil)

        private init(credentials: (any CallCredentials)?) { self.credentials = credentials }

        init(_ credentials: some CallCredentials) { self.init(credentials: credentials) }

        /// Whether the call has no authentication.
        var isNone: Bool { credentials == nil }

        /// The name in specs.
        var name: String { credentials.map { Swift.type(of: $0).name } ?? "none" }

        /// The names of the fields that carry the identity, in lower case.
        var fieldNames: [String] { credentials?.fieldNames ?? [] }

        /// Names of bindings and secrets, never a value of a secret.
        package var description: String { credentials.map { "\($0)" } ?? "none" }

        /// Equal when kind and members are equal.
        package static func == (one: Auth, other: Auth) -> Bool {
            guard let credentials = one.credentials, let others = other.credentials else {
                return one.isNone && other.isNone
            }
            return credentials.isEqual(to: others)
        }

        package func hash(into hasher: inout Hasher) { credentials?.hash(into: &hasher) }
    }
}
