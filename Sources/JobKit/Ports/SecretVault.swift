/// Values that specs name and never hold. Asked when a call is about to be made, so that a changed value counts from
/// the next attempt on.
public protocol SecretVault: Sendable {
    /// The value as it is now; nil when there is no secret of this name. Must return quickly: it is asked on the way to
    /// every call.
    /// - Parameter name: `[a-z][a-z0-9_-]{0,62}`.
    func secret(named name: String) -> [UInt8]?
}
