/// No other operation with this key is executed at the same time, in the same environment.
///
/// The key is taken late, when everything else is ready, all keys of an operation at once, first come first served.
/// A group with a key excludes the operations outside of it; its members need not name the key, and those that do
/// exclude each other. Keys are equal when their bytes are.
public struct MutualExclusion: OperationCondition {
    /// The key.
    public let key: String

    /// Excludes all other operations with this key.
    public init(_ key: String) { self.key = key }

    /// `lock`
    public var name: String { "lock" }
    /// Made of the key.
    public var identity: ConditionIdentity? { ConditionIdentity(name, [key]) }
    /// The key.
    public var exclusionKeys: [String] { [key] }
    /// Always satisfied: waiting for the key is not part of the evaluation.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict { .satisfied }
}
