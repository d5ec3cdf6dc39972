public import HTTPMessage

/// A place can be reached: tried with a real connection when the operation is about to be executed.
public struct ReachabilityCondition: AOperationCondition {
    /// What is tried.
    public let probe: HTTPReachabilityProbe

    /// Tries `probe`.
    public init(_ probe: HTTPReachabilityProbe) { self.probe = probe }

    /// `reachability`
    public var name: String { "reachability" }

    /// The same when place, depth and time limit are.
    public var identity: AConditionIdentity? {
        AConditionIdentity(name, [probe.url, probe.depth.rawValue, "\(probe.timeout)"])
    }

    /// Tries it once.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        guard let transport = context.environment.transport else {
            return .failed(
                AOperationError(
                    .conditionBroken, detail: "The environment has no transport to try \(probe.url) with.",
                    state: .condition))
        }
        do {
            try await transport.reach(probe)
            return .satisfied
        } catch {
            var failure = AOperationError(
                .conditionUnreachable, detail: "\(probe.url) cannot be reached: \(error.detail)",
                state: .condition,
                retryable: true)
            failure.phase = error.phase.rawValue
            failure.delivery = error.delivery.rawValue
            failure.publishedError = .init(
                domain: error.code, code: error.nativeCode, description: error.detail,
                recoverySuggestion: error.suggestion)
            return .failed(failure)
        }
    }
}
