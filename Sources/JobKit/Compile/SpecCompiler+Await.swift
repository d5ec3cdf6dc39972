internal import StrictJSON

extension SpecCompiler {
    /// Waits for a signal; its value is the result. The wait has the clock, so that a signal which came in time counts
    /// however late the operation is there to see it.
    func await(
        _ wait: AwaitSpec, _ spec: OperationSpec, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        let name = spec.name
        return AOperationRecipe(name: name) { context in
            let until = (wait.limit ?? spec.timeout).map { context.startedAt.advanced(by: $0) }
            let value = try await context.signal(wait.signal, until: until) { value in
                guard let match = wait.match else { return true }
                let document = JSONValue.object(JSONObject([("body", value)]))
                return (try? match.evaluate(document: document, lookup: references.value)) ?? false
            }
            if value == nil, wait.limit == nil, let timeout = spec.timeout {
                throw AOperationError.tookTooLong(name, timeout)
            }
            return OperationResult(json: value ?? wait.fallback)
        }
    }
}

extension OperationSpec {
    /// Whether its work keeps its timeout itself.
    var endsByItself: Bool { if case .await = kind { true } else { false } }
}
