internal import JobKit
internal import StrictJSON

/// A token in the field `Authorization` (RFC 6750).
struct BearerAuth: AuthKind, CallCredentials {
    var token: Binding

    static let name = "bearer"
    static let members: [any KindMember] = [tokenMember]
    private static let tokenMember = RequiredMember("token", .confidential)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
    {
        guard let token = tokenMember.read(object, scope, &reading) else { return .none }
        return .init(BearerAuth(token: token))
    }

    static let isSentAsIs = true
    var values: [Binding] { [token] }
    var confidentialValue: Binding { token }
    var fieldNames: [String] { ["authorization"] }

    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        .bearer(token: try token.resolveText("auth.token", lookup: lookup))
    }
}
