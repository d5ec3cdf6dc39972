internal import HTTPMessage
internal import StrictJSON

extension ConditionSpec {
    /// The condition that this describes.
    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        switch self {
        case .reachability(let url, let probe, let timeout, let patience):
            ReachabilityCondition(
                .init(url: url, depth: .init(rawValue: probe) ?? .tcp, timeout: timeout), patience: patience)
        case .mutualExclusion(let key): MutualExclusion(key)
        case .noFailedDependencies(let ignoresCancelled):
            NoFailedDependencies(ignoresCancelled: ignoresCancelled)
        case .approval(let question): ApprovalCondition(question: question, subject: surroundings.subject)
        case .authorizedFor(let capability, let scope):
            AuthorizedFor(
                HeldGrant(name: capability, book: surroundings.grants), scopes: Set([scope].compactMap { $0 })
            )
        case .noCancelledDependencies: NoCancelledDependencies()
        case .expression(let that, let skips): Self.expression(that, skips, surroundings.references)
        case .timeWindow(let window, let whenClosed): TimeWindowCondition(window, whenClosed: whenClosed)
        case .all(let inner): AllCondition(inner.map { $0.condition(in: surroundings) }) ?? Self.nothing
        case .any(let inner): AnyCondition(inner.map { $0.condition(in: surroundings) }) ?? Self.nothing
        case .ignored(let inner): IgnoredCondition(inner.condition(in: surroundings))
        case .negated(let inner): NegatedCondition(inner.condition(in: surroundings))
        case .silent(let inner): SilentCondition(inner.condition(in: surroundings))
        }
    }

    private static func expression(
        _ that: Predicate, _ skips: Bool, _ references: ReferenceReader
    ) -> any AOperationCondition {
        ClosureCondition("expression") { _ in
            do throws(AOperationError) {
                if try that.evaluate(document: .null, lookup: references.value) { return .satisfied }
            } catch {
                return .failed(
                    AOperationError(
                        .conditionBroken, detail: error.detail, state: .condition, causes: [error]))
            }
            let error = AOperationError(
                .conditionUnsatisfied, detail: "The expression does not hold.", state: .condition)
            return skips ? .ignored(error) : .failed(error)
        }
    }

    /// An empty list, which the reader refuses.
    private static var nothing: any AOperationCondition {
        ClosureCondition("empty") { _ in
            .failed(AOperationError(.conditionBroken, detail: "There is nothing to ask.", state: .condition))
        }
    }
}
