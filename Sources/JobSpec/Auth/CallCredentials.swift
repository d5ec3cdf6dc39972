internal import HTTPMessage
internal import JobKit

/// The credentials of a call as its spec has them. The identity of each attempt is made of them.
protocol CallCredentials: Sendable, Hashable {
    /// The name in specs.
    static var name: String { get }

    /// Whether the identity is the same text in every call, so that a command line can say it. Default false.
    static var isSentAsIs: Bool { get }

    /// All values that are filled in.
    var values: [Binding] { get }

    /// The value that only the caller may know.
    var confidentialValue: Binding { get }

    /// The names of the fields in which the identity is sent, in lower case.
    var fieldNames: [String] { get }

    /// The identity with everything filled in.
    /// - Throws: `reference.*`, `auth.secret_missing`, `http.field`; nothing was sent.
    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity

    /// The URL as it is sent, where the identity depends on its form. Default the URL itself.
    func sentForm(of url: String) -> String

    /// A warning about them. Default none.
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
    public struct Auth: Sendable, Hashable, CustomStringConvertible {
        /// Nil for a call without.
        let credentials: (any CallCredentials)?

        /// The call says nothing about who makes it.
        public static let none = Auth(credentials: nil)

        private init(credentials: (any CallCredentials)?) { self.credentials = credentials }

        init(_ credentials: some CallCredentials) { self.init(credentials: credentials) }

        /// Whether the call says nothing about who makes it.
        var isNone: Bool { credentials == nil }

        /// The name in specs.
        var name: String { credentials.map { Swift.type(of: $0).name } ?? "none" }

        /// The names of the fields in which the identity is sent, in lower case.
        var fieldNames: [String] { credentials?.fieldNames ?? [] }

        /// Names of bindings and secrets, never a value of a secret.
        public var description: String { credentials.map { "\($0)" } ?? "none" }

        /// Equal when the kind is the same and says the same.
        public static func == (one: Auth, other: Auth) -> Bool {
            guard let credentials = one.credentials, let others = other.credentials else {
                return one.isNone && other.isNone
            }
            return credentials.isEqual(to: others)
        }

        /// Hashes what it says.
        public func hash(into hasher: inout Hasher) { credentials?.hash(into: &hasher) }
    }
}
