internal import HTTPMessage

/// One HTTP call described by a spec: builds the request from what other operations produced, sends it, checks the
/// answer.
struct NetworkOperation: Sendable {
    let name: String
    let call: NetworkSpec
    let expect: Expectation
    /// Answers references to other operations.
    let references: ReferenceReader

    /// The call with its retry rule. An attempt of a method that must not be repeated by itself is made durable before
    /// its first byte is sent.
    func recipe(retry: RetrySpec) -> AOperationRecipe<OperationResult> {
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            try await self.execute(in: context)
        }
        let method = HTTPMethod(call.method) ?? .get
        let hasKey = call.idempotencyKey != nil
        recipe.settings.attemptLabel = (call.method, call.url)
        recipe.settings.attemptsMax = retry.attemptsMax
        recipe.settings.startsDurably = !method.isIdempotent && !hasKey && !retry.repeatsUnsafeMethods
        recipe.settings.origin = .init(
            url: { self.call.nextURL(self.references, in: $0) },
            elapsedMax: retry.elapsedMax, heedsCoolDown: retry.respectsRetryAfter)
        recipe.settings.decideRetry = { error, situation in
            RetryDecision.decide(
                error: error, method: method, spec: retry, situation: situation, hasIdempotencyKey: hasKey)
        }
        return recipe
    }

    private func execute(in context: AOperationContext) async throws(AOperationError) -> OperationResult {
        let lookup = references.lookup(in: context)
        let content = try StreamedContent(call, references)
        var made = call
        if content != nil { made.body = nil }
        let dispatch = try CallDispatch(made, in: context, lookup: lookup)
        let conditional = call.isConditional ? try await ConditionalCall(dispatch) : nil
        let captured = try await context.capture(dispatch, of: name) { request in
            content?.apply(to: &request)
            conditional?.apply(to: &request)
        }
        if let unchanged = conditional?.unchanged(captured.answer) { return unchanged }
        if let error = try expect.check(captured, from: context.artifacts, lookup: lookup) { throw error }
        await conditional?.remember(captured.answer)
        return captured.result
    }
}
