/// A resource that needs a permission: a calendar, a user's account, a paid service.
///
/// ```swift
/// queue.add(SendInvoices().condition(AuthorizedFor(billing, scopes: ["write"])))
/// ```
///
/// `AuthorizedFor` requests the permission when it is undecided; `Authorize` requests it independently;
/// `GetAuthorizationStatus` only reads its status.
public protocol Capability: Sendable {
    /// The name in errors and exclusive keys: the same name is the same capability.
    var name: String { get }

    /// Whether the capability exists. It has no default: with one, a slip in its name would make it exist.
    func isAvailable() async -> Bool

    /// The current decision. Without side effects.
    /// - Throws: when the decision cannot be found out.
    func status() async throws -> AuthorizationStatus

    /// Whether `status` is enough for all of `scopes`. Default: granted, not expired, and with all of them.
    func isEnough(_ status: AuthorizationStatus, for scopes: Set<String>, at now: Timestamp) -> Bool

    /// Whether the permission is requested within the condition, with the condition's context, rather than by a
    /// separate operation. Default false.
    var asksWithinCondition: Bool { get }

    /// The counterpart of `request` for permissions that are requested within the condition. Default: does nothing.
    /// - Throws: when the permission cannot be requested, or the operation is stopped.
    func request(_ scopes: Set<String>, in context: ConditionContext) async throws

    /// Requests the permission and returns when it is decided; `status()` has the decision. Cancelling the task
    /// withdraws the request. One request at a time per capability.
    /// - Parameters:
    ///   - scopes: the permissions that are missing; empty means the resource as such.
    ///   - context: of the requesting operation, for durable waits.
    /// - Throws: when the permission cannot be requested, or the operation is stopped.
    func request(_ scopes: Set<String>, in context: OperationContext) async throws
}

extension Capability {
    /// False.
    public var asksWithinCondition: Bool { false }

    /// Does nothing.
    /// - Throws: when the permission cannot be requested, or the operation is stopped.
    public func request(_ scopes: Set<String>, in context: ConditionContext) async throws {}

    /// Granted, not expired, and with all of the scopes.
    public func isEnough(_ status: AuthorizationStatus, for scopes: Set<String>, at now: Timestamp) -> Bool {
        guard case .granted(let granted, _) = status, !status.isUndecided(at: now) else { return false }
        return scopes.isSubset(of: granted)
    }
}

/// The decision about a permission.
public enum AuthorizationStatus: Sendable, Hashable {
    /// Not decided.
    case undetermined
    /// Granted for these scopes; nil means without expiry.
    case granted(scopes: Set<String>, until: Timestamp? = nil)
    /// Denied.
    case denied

    /// Whether to request it: it is undecided or has expired.
    public func isUndecided(at now: Timestamp) -> Bool {
        switch self {
        case .undetermined: true
        case .granted(_, let end): end.map { $0 <= now } ?? false
        case .denied: false
        }
    }

    /// `undetermined`, `granted`, `expired` or `denied`.
    public func word(at now: Timestamp) -> String {
        switch self {
        case .undetermined: "undetermined"
        case .granted: isUndecided(at: now) ? "expired" : "granted"
        case .denied: "denied"
        }
    }
}
