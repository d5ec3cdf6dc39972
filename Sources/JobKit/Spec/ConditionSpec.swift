/// A condition, as the spec says it.
public indirect enum ConditionSpec: Sendable, Hashable {
    /// The host answers: a TCP connection (`probe: "tcp"`), or any HTTP answer to HEAD (`probe: "http"`).
    case reachability(url: String, probe: String, timeout: Duration)
    /// No other operation with this key is executed at the same time on this server.
    case mutualExclusion(key: String)
    /// Everything in `after` ended as succeeded; with `ignoreCancelled` cancelled ones make a skip, not a failure.
    case noFailedDependencies(ignoreCancelled: Bool)
    /// A person approves what is to be executed.
    case approval(ApprovalQuestion)
    /// A named permission was given, for `scope` or for everything.
    case authorizedFor(capability: String, scope: String?)
    /// The inner one is not satisfied.
    case negated(ConditionSpec)
    /// The inner one, without what it would bring about by itself.
    case silent(ConditionSpec)

    /// The word in the condition's `type`.
    public var type: String {
        switch self {
        case .reachability: "reachability"
        case .mutualExclusion: "mutual_exclusion"
        case .noFailedDependencies: "no_failed_dependencies"
        case .approval: "approval"
        case .authorizedFor: "authorized_for"
        case .negated: "negated"
        case .silent: "silent"
        }
    }
}
