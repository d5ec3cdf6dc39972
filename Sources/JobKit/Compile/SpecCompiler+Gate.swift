extension SpecCompiler {
    /// A gate ends as the operation inside does. Its gate itself is asked like that of any operation.
    func gate(
        _ gate: GateSpec, _ name: String, _ place: SpecPlace, _ path: [String]
    ) -> AOperationRecipe<OperationResult> {
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            let inner = gate.operation
            let ending = try await InnerRun(compiler: self, context: context)
                .ending(of: inner, at: place, path: path + [inner.name])
            return try ending.passedOn(failureCounts: inner.onFailure == .fail)
        }
        recipe.settings.grace = nil
        return recipe
    }
}
