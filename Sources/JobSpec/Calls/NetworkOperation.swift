internal import JobKit

/// One HTTP call described by a spec: builds the request from the results of other operations, sends it, checks the
/// answer. In one place, since a request is large and several closures have it.
final class NetworkOperation: Sendable {
    let name: String
    let call: NetworkSpec
    let expect: Expectation
    /// Answers references to other operations.
    let references: ReferenceReader

    init(name: String, call: NetworkSpec, expect: Expectation, references: ReferenceReader) {
        self.name = name
        self.call = call
        self.expect = expect
        self.references = references
    }

    /// The call with its retry rule.
    func recipe(retry: RetrySpec) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(name) { [self] context in
            try await execute(in: context)
        }
        recipe.settings = OperationSettings(
            calling: call, retry: retry, url: { [self] in call.nextURL(references, in: $0) })
        return recipe
    }

    private func execute(in context: OperationContext) async throws(AOperationError) -> OperationResult {
        let references = references.attempt(in: context)
        let dispatch = try CallDispatch(call, by: references.board.services, in: context, references)
        let conditional = call.isConditional ? try await ConditionalCall(dispatch) : nil
        let captured = try await context.capture(dispatch, of: name) { request in
            conditional?.apply(to: &request)
        }
        if let unchanged = conditional?.unchanged(captured.answer) { return unchanged }
        if let error = try await expect.check(captured, references) { throw error }
        await conditional?.remember(captured.answer)
        return captured.result
    }
}
