internal import StrictJSON

/// Requires that all dependencies succeeded.
///
/// A group counts by its own outcome, a retried operation by its last.
public struct NoFailedDependencies: OperationCondition, LateCondition {
    /// The operations that have to succeed.
    public enum Included: String, Sendable, Hashable, CaseIterable {
        /// The dependencies of the operation.
        case dependencies
        /// Those, and the prerequisites of its other conditions: evaluated after them.
        case all
    }

    /// Whether cancelled and skipped dependencies make the operation skipped instead of failed.
    public let ignoresCancelled: Bool
    /// The operations that have to succeed.
    public let include: Included

    /// - Parameters:
    ///   - ignoresCancelled: whether cancelled and skipped dependencies make the operation skipped instead of failed.
    ///   - include: the operations that have to succeed. Default: the dependencies alone.
    public init(ignoresCancelled: Bool = false, include: Included = .dependencies) {
        self.ignoresCancelled = ignoresCancelled
        self.include = include
    }

    var isLate: Bool { include == .all }
    /// `no_failed_dependencies`
    public var name: String { "no_failed_dependencies" }
    /// Made of the parameter.
    public var identity: ConditionIdentity? {
        ConditionIdentity(name, ["\(ignoresCancelled)", include.rawValue])
    }

    /// Checks the ending of each dependency.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let needed = context.dependencies + (include == .all ? context.needs?.all ?? [] : [])
        let failed = needed.filter { $0.ending.state == .failed || $0.ending.state == .expired }
        let stopped = needed.filter { $0.ending.state == .cancelled || $0.ending.state == .skipped }
        if failed.isEmpty && stopped.isEmpty { return .satisfied }
        let error = AOperationError.dependencies(
            "Not every dependency succeeded", failed + stopped, .conditionDependencies)
        return failed.isEmpty && ignoresCancelled ? .ignored(error) : .failed(error)
    }
}

extension AOperationError {
    /// An error about `dependencies`, each named with its ending; `published_error.info` has the names by state.
    static func dependencies(
        _ text: String, _ dependencies: [ConditionContext.Dependency], _ code: ErrorCode
    ) -> AOperationError {
        let words = dependencies.map { "\($0.name) \($0.ending.state.rawValue)" }.joined(separator: ", ")
        var error = AOperationError(
            code, detail: "\(text): \(words).", stage: .condition,
            causes: dependencies.compactMap(\.ending.errors.first))
        var info = JSONObject()
        for state in [JobState.failed, .expired, .cancelled, .skipped] {
            let names = dependencies.filter { $0.ending.state == state }.map { JSONValue.string($0.name) }
            if !names.isEmpty { info[state.rawValue] = .array(names) }
        }
        error.publishedError = .init(domain: "condition", code: 0, description: error.detail, info: info)
        return error
    }
}

/// Requires that no dependency was cancelled. Failures and skips do not matter.
public struct NoCancelledDependencies: OperationCondition {
    /// Creates the condition.
    public init() {}

    /// `no_cancelled_dependencies`
    public var name: String { "no_cancelled_dependencies" }
    /// All are equal.
    public var identity: ConditionIdentity? { ConditionIdentity(name) }

    /// Checks the ending of each dependency.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let cancelled = context.dependencies.filter { $0.ending.state == .cancelled }
        if cancelled.isEmpty { return .satisfied }
        return .failed(
            .dependencies("Dependencies were cancelled", cancelled, .conditionDependenciesCancelled))
    }
}
