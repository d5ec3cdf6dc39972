internal import JobKit
internal import StrictJSON

/// A user name and a password in the field `Authorization` (RFC 7617).
struct BasicAuth: AuthKind, CallCredentials {
    var username: Binding
    var password: Binding

    static let name = "basic"
    static let members: [any KindMember] = [usernameMember, passwordMember]
    private static let usernameMember = RequiredMember("username", .text)
    private static let passwordMember = RequiredMember("password", .confidential)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
    {
        let username = usernameMember.read(object, scope, &reading)
        let password = passwordMember.read(object, scope, &reading)
        guard let username, let password else { return .none }
        return .init(BasicAuth(username: username, password: password))
    }

    static let isSentAsIs = true
    var values: [Binding] { [username, password] }
    var confidentialValue: Binding { password }
    var fieldNames: [String] { ["authorization"] }

    /// The receiver reads everything after the first colon as the password (RFC 7617 §2).
    var warning: (code: String, detail: String)? {
        guard case .literal(let name) = username, name.string?.utf8.contains(UInt8(ascii: ":")) ?? false
        else { return nil }
        return (
            "warning.colon_in_username",
            "A Basic user name cannot contain a colon: the server reads the rest of it as part of the password. "
                + "Write user name and password apart."
        )
    }

    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        let name = try username.resolveText("auth.username", lookup: lookup)
        let word = try password.resolveText("auth.password", lookup: lookup)
        for (member, text) in [("username", name), ("password", word)] {
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw AOperationError(
                    .httpField,
                    detail:
                        "auth.\(member) has a line break or another control character, which Basic does not permit. "
                        + "Store it without, for example with printf '%s'.")
            }
        }
        if password.namesSecret || username.namesSecret { secrets.hide(Array("\(name):\(word)".utf8)) }
        return .basic(username: name, password: word)
    }
}
