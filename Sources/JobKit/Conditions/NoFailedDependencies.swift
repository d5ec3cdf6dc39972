/// Everything the operation depends on succeeded.
public struct NoFailedDependencies: AOperationCondition {
    /// Whether cancelled and skipped ones make the operation skipped instead of failed.
    public let ignoresCancelled: Bool

    /// - Parameter ignoresCancelled: cancelled and skipped ones make the operation skipped instead of failed.
    public init(ignoresCancelled: Bool = false) { self.ignoresCancelled = ignoresCancelled }

    /// `no_failed_dependencies`
    public var name: String { "no_failed_dependencies" }

    /// Looks at how each dependency ended.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        let failed = context.dependencies.filter { $0.ending.state == .failed || $0.ending.state == .expired }
        let stopped = context.dependencies.filter {
            $0.ending.state == .cancelled || $0.ending.state == .skipped
        }
        if failed.isEmpty && stopped.isEmpty { return .satisfied }
        let words = (failed + stopped).map { "\($0.name) \($0.ending.state.rawValue)" }.joined(
            separator: ", ")
        let error = AOperationError(
            .conditionDependencies, detail: "Not every dependency succeeded: \(words).", state: .condition,
            causes: (failed + stopped).compactMap(\.ending.errors.first))
        return failed.isEmpty && ignoresCancelled ? .ignored(error) : .failed(error)
    }
}
