extension OperationCore {
    /// How the conditions end it; nil when it may be executed.
    func conditionEnding() async -> OperationEnding? {
        guard !settings.conditions.isEmpty else { return nil }
        raise(.waiting(.conditions(settings.conditions.map(\.name))))
        let dependencies = edges.compactMap { edge in
            edge.core.ending.map { AConditionContext.Dependency(name: edge.core.name, ending: $0) }
        }
        let context = AConditionContext(target: self, dependencies: dependencies)
        return await ConditionEvaluator(settings.conditions).ending(in: context)
    }
}
