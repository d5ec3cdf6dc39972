/// A condition whose exclusive keys are those of the conditions inside it.
protocol CombinedCondition: AOperationCondition {
    var parts: [any AOperationCondition] { get }
}

extension AOperationCondition {
    /// Whether it names exclusive keys and has an evaluation, itself or inside. `MutualExclusion` has none.
    var isExclusiveItself: Bool {
        if self is MutualExclusion || exclusionKeys.isEmpty { return false }
        guard let combined = self as? any CombinedCondition else { return true }
        return combined.parts.contains { $0.isExclusiveItself }
    }
}
