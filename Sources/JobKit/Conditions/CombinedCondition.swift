/// A condition whose exclusive keys are those of the conditions inside it.
protocol CombinedCondition: OperationCondition {
    var parts: [any OperationCondition] { get }
}

/// A condition that may look at the prerequisites of others.
protocol LateCondition: OperationCondition {
    /// Whether it does.
    var isLate: Bool { get }
}

extension OperationCondition {
    /// Whether it looks at the prerequisites of other conditions, itself or inside, and is evaluated after them.
    var looksAtOthers: Bool {
        if let own = self as? any LateCondition { return own.isLate }
        return (self as? any CombinedCondition)?.parts.contains { $0.looksAtOthers } ?? false
    }

    /// Whether it names exclusive keys and has an evaluation, itself or inside. `MutualExclusion` has none.
    var isExclusiveItself: Bool {
        if self is MutualExclusion || exclusionKeys.isEmpty { return false }
        guard let combined = self as? any CombinedCondition else { return true }
        return combined.parts.contains { $0.isExclusiveItself }
    }
}
