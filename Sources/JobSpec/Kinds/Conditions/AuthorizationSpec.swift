internal import JobKit
internal import StrictJSON

/// Requires a named grant, for `scope` or for everything.
struct AuthorizationSpec: ConditionKind {
    var capability: String
    var scope: String?
    /// Whether it asks for nothing, and holds when the grant was given before.
    var checksOnly: Bool

    static let name = "authorized_for"
    static let wait: WaitWords? = WaitWords(.grant, "condition") { "the grant \($0.key ?? "")" }
    static let members: [any KindMember] = [grantMember, scopeMember, checkOnlyMember]
    private static let grantMember = RequiredMember(
        "grant", .name, remedy: "Say which grant is needed.",
        suggestion: #""grant": "billing""#)
    private static let scopeMember = OptionalMember(
        "scope",
        SpecForm { reading, value -> String? in
            guard let text = reading.string(value, bytes: 1...127) else { return nil }
            if !GrantText.isScope(text) {
                reading.note(.badName, "A scope has no spaces and no control characters.")
            }
            return text
        })
    private static let checkOnlyMember = DefaultedMember("check_only", .bool, default: false)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> AuthorizationSpec? {
        let checksOnly = checkOnlyMember.read(object, scope, &reading)
        let granted = scopeMember.read(object, scope, &reading)
        guard let capability = grantMember.read(object, scope, &reading) else { return nil }
        return AuthorizationSpec(capability: capability, scope: granted, checksOnly: checksOnly)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        let condition = AuthorizedFor(
            HeldGrant(name: capability, book: surroundings.grants), scopes: Set([scope].compactMap { $0 }))
        return checksOnly ? SilentCondition(condition) : condition
    }
}

/// The form of what grants are for.
package enum GrantText {
    /// Whether `text` is a scope: 1…127 visible ASCII characters.
    package static func isScope(_ text: String) -> Bool {
        (1...127).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
