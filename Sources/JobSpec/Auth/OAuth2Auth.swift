internal import JobKit
internal import StrictJSON

/// An access token from the client credentials grant (RFC 6749 §4.4), sent as a bearer token.
struct OAuth2Auth: AuthKind, CallCredentials {
    /// An absolute http(s) URL.
    var tokenURL: String
    var clientID: Binding
    var clientSecret: Binding
    /// The scope of the token: words with spaces between; nil leaves it to the token endpoint.
    var scope: ByteKey?
    /// The audience of the token; nil requests none.
    var audience: ByteKey?
    var style: ClientStyle

    /// The position of the client's credentials in a token request (RFC 6749 §2.3.1).
    enum ClientStyle: String, Sendable, CaseIterable {
        /// In the field `Authorization`.
        case basic = "client_secret_basic"
        /// In the content.
        case post = "client_secret_post"
    }

    static let name = "oauth2_client_credentials"
    static let members: [any KindMember] = [
        urlMember, idMember, secretMember, scopeMember, audienceMember, styleMember,
    ]
    private static let urlMember = RequiredMember("token_url", .literalURL)
    private static let idMember = RequiredMember("client_id", .text)
    private static let secretMember = RequiredMember("client_secret", .confidential)
    private static let scopeMember = OptionalMember("scope", .fieldValue(bytes: 1...2_000))
    private static let audienceMember = OptionalMember("audience", .fieldValue(bytes: 1...2_000))
    private static let styleMember = DefaultedMember("client_auth", .word, default: ClientStyle.basic)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
    {
        let url = urlMember.read(object, scope, &reading)
        let id = idMember.read(object, scope, &reading)
        let secret = secretMember.read(object, scope, &reading)
        let tokenScope = scopeMember.read(object, scope, &reading)
        let audience = audienceMember.read(object, scope, &reading)
        let style = styleMember.read(object, scope, &reading)
        guard let url, let id, let secret else { return .none }
        return .init(
            OAuth2Auth(
                tokenURL: url, clientID: id, clientSecret: secret, scope: tokenScope.map { ByteKey($0) },
                audience: audience.map { ByteKey($0) }, style: style))
    }

    var values: [Binding] { [clientID, clientSecret] }
    var confidentialValue: Binding { clientSecret }
    var fieldNames: [String] { ["authorization"] }

    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        .fetchedToken(
            OAuth2Client(
                spec: self, id: try clientID.resolveText("auth.client_id", lookup: lookup),
                secret: try clientSecret.resolveText("auth.client_secret", lookup: lookup)))
    }
}
