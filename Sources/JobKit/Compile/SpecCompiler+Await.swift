internal import StrictJSON

extension SpecCompiler {
    /// Waits for a signal; its value is the result.
    func await(
        _ wait: AwaitSpec, _ name: String, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        AOperationRecipe(name: name) { context in
            let until = wait.limit.map { context.startedAt.advanced(by: $0) }
            let value = try await context.signal(wait.signal, until: until) { value in
                guard let match = wait.match else { return true }
                let document = JSONValue.object(JSONObject([("body", value)]))
                return (try? match.evaluate(document: document, lookup: references.value)) ?? false
            }
            return OperationResult(json: value ?? wait.fallback)
        }
    }
}
