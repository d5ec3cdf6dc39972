/// A condition, as the spec says it.
public indirect enum ConditionSpec: Sendable, Hashable {
    /// The host answers: a TCP connection (`probe: "tcp"`), or any HTTP answer to HEAD (`probe: "http"`). With
    /// patience it is tried again until it does.
    case reachability(
        url: String, probe: String, timeout: Duration, patience: ReachabilityCondition.Patience? = nil)
    /// No other operation with this key is executed at the same time on this server.
    case mutualExclusion(key: String)
    /// Everything in `after` ended as succeeded; with `ignoreCancelled` cancelled ones make a skip, not a failure.
    case noFailedDependencies(ignoreCancelled: Bool)
    /// A person approves what is to be executed.
    case approval(ApprovalQuestion)
    /// A named permission was given, for `scope` or for everything.
    case authorizedFor(capability: String, scope: String?)
    /// Nothing in `after` was cancelled.
    case noCancelledDependencies
    /// Something holds of what is known when it is asked; else the operation is skipped, or fails.
    case expression(that: Predicate, skips: Bool)
    /// The time is right.
    case timeWindow(TimeWindow, whenClosed: TimeWindowCondition.WhenClosed)
    /// All of them.
    case all([ConditionSpec])
    /// At least one of them.
    case any([ConditionSpec])
    /// The inner one; its failure makes the operation skipped instead of failed.
    case ignored(ConditionSpec)
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
        case .noCancelledDependencies: "no_cancelled_dependencies"
        case .expression: "expression"
        case .timeWindow: "time_window"
        case .all: "all"
        case .any: "any"
        case .ignored: "ignored"
        case .negated: "negated"
        case .silent: "silent"
        }
    }

    /// The conditions inside.
    public var inner: [ConditionSpec] {
        switch self {
        case .all(let conditions), .any(let conditions): conditions
        case .ignored(let condition), .negated(let condition), .silent(let condition): [condition]
        default: []
        }
    }

    /// Whether it is of a type, or has one of it inside.
    func mentions(_ type: String) -> Bool { self.type == type || inner.contains { $0.mentions(type) } }
}
