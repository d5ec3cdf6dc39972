/// Asks all conditions of one operation at the same time and puts their answers together in declared order.
struct ConditionEvaluator: Sendable {
    let conditions: [any AOperationCondition]
    let path: [String]

    /// How the conditions end the operation; nil when all hold.
    func ending(in context: AConditionContext) async -> OperationEnding? {
        let verdicts = await verdicts(in: context)
        var failures: [AOperationError] = []
        var ignored: [AOperationError] = []
        for (condition, verdict) in zip(conditions, verdicts) {
            switch verdict {
            case .satisfied: break
            case .failed(let error): failures.append(marked(error, by: condition, context))
            case .ignored(let error): ignored.append(marked(error, by: condition, context))
            }
        }
        if !failures.isEmpty { return OperationEnding(state: .failed, errors: failures) }
        if !ignored.isEmpty { return OperationEnding(state: .skipped, errors: ignored) }
        return nil
    }

    private func verdicts(in context: AConditionContext) async -> [AConditionVerdict] {
        if conditions.count == 1 { return [await conditions[0].evaluate(in: context)] }
        return await withTaskGroup(of: (Int, AConditionVerdict).self) { group in
            for (index, condition) in conditions.enumerated() {
                group.addTask { (index, await condition.evaluate(in: context)) }
            }
            var verdicts = [AConditionVerdict](repeating: .satisfied, count: conditions.count)
            for await (index, verdict) in group { verdicts[index] = verdict }
            return verdicts
        }
    }

    private func marked(
        _ error: AOperationError, by condition: any AOperationCondition, _ context: AConditionContext
    ) -> AOperationError {
        var error = error
        error.state = .condition
        if error.publisher == nil { error.publisher = condition.name }
        if error.path.isEmpty { error.path = path }
        if error.at == nil { error.at = context.environment.clock.now }
        return error
    }
}
