extension SpecCompiler {
    /// A template: its parameters are filled in and checked, then the operation that it becomes is run inside.
    func wrapper(
        _ wrapper: WrapperSpec, _ name: String, _ references: ReferenceReader, _ path: [String]
    ) -> AOperationRecipe<OperationResult> {
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            let parameters = try wrapper.resolved(lookup: references.lookup(in: context))
            let inner = wrapper.operation
            let ending = try await InnerRun(compiler: self, context: context)
                .ending(of: inner, at: .template(parameters: parameters), path: path + [inner.name])
            return try ending.passedOn(failureCounts: inner.onFailure == .fail)
        }
        recipe.settings.grace = nil
        return recipe
    }
}
