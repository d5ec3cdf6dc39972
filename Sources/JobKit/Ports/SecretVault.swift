/// Secret values, which specs refer to by name. Read just before a call, so that a changed value applies from the next
/// attempt on.
public protocol SecretVault: Sendable {
    /// The current value; nil when there is no secret of this name. Must not block: it is called before every call.
    /// - Parameter name: `[a-z][a-z0-9_-]{0,62}`.
    func secret(named name: String) -> [UInt8]?
}
