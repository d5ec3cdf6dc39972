/// Something for which a permission is needed: a calendar, somebody's account, a paid service.
///
/// ```swift
/// queue.add(SendInvoices().condition(AuthorizedFor(billing, scopes: ["write"])))
/// ```
///
/// `AuthorizedFor` asks for the permission when nobody decided about it yet; `Authorize` asks by itself;
/// `GetAuthorizationStatus` only looks.
public protocol Capability: Sendable {
    /// What it is called in errors and exclusive keys: the same name is the same capability.
    var name: String { get }

    /// Whether it exists here at all. Default: it does.
    func isAvailable() async -> Bool

    /// What was decided so far. Only looks.
    func status() async throws -> AuthorizationStatus

    /// Whether `status` is enough for all of `scopes`. Default: granted, not over, and with all of them.
    func isEnough(_ status: AuthorizationStatus, for scopes: Set<String>, at now: Timestamp) -> Bool

    /// Whether it is asked for within the condition, with the condition's context, and not by an operation of its own.
    /// Default: it is not.
    var asksWithinCondition: Bool { get }

    /// The same as `request` for those that are asked for within the condition. Default: nothing.
    func request(_ scopes: Set<String>, in context: AConditionContext) async throws

    /// Asks for the permission and returns when it is decided; `status()` says how. Cancelling the task withdraws the
    /// request. One request at a time for each capability.
    /// - Parameter context: of the operation that asks, to wait durably with.
    func request(_ scopes: Set<String>, in context: AOperationContext) async throws
}

extension Capability {
    /// It is not.
    public var asksWithinCondition: Bool { false }

    /// Nothing.
    public func request(_ scopes: Set<String>, in context: AConditionContext) async throws {}

    /// It does.
    public func isAvailable() async -> Bool { true }

    /// Granted, not over, and with all of the scopes.
    public func isEnough(_ status: AuthorizationStatus, for scopes: Set<String>, at now: Timestamp) -> Bool {
        guard case .granted(let granted, _) = status, !status.isUndecided(at: now) else { return false }
        return scopes.isSubset(of: granted)
    }
}

/// What was decided about a permission.
public enum AuthorizationStatus: Sendable, Hashable {
    /// Nobody decided yet.
    case undetermined
    /// It is given for these scopes; nil is without end.
    case granted(scopes: Set<String>, until: Timestamp? = nil)
    /// It is refused.
    case denied

    /// Whether it is to be asked for: nobody decided yet, or what was given is over.
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
