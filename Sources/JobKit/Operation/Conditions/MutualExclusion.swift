/// No other operation with this key is executed at the same time, in the same environment.
///
/// The key is taken late, when everything else is ready, all keys of an operation at once, first come first served.
/// Members of a group inherit the group's keys.
public struct MutualExclusion: AOperationCondition {
    /// The key.
    public let key: String

    /// Excludes everything else with this key.
    public init(_ key: String) { self.key = key }

    /// `mutual_exclusion`
    public var name: String { "mutual_exclusion" }
    /// The same when the key is.
    public var identity: AConditionIdentity? { AConditionIdentity(name, [key]) }
    /// The key.
    public var exclusionKeys: [String] { [key] }
    /// Always: waiting for the key is not a question of yes or no.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict { .satisfied }
}
