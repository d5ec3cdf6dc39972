public import HTTPMessage

/// Requires that an upstream is reachable, which is tested with a real connection when the operation is about to be
/// executed.
public struct ReachabilityCondition: OperationCondition {
    /// Repeated probing.
    public struct Patience: Sendable, Hashable {
        /// The wait between two probes; above zero.
        public var interval: Duration
        /// The total time to try; nil means as long as the operation may wait.
        public var giveUpAfter: Duration?

        /// Creates the rule for repeated probing.
        public init(interval: Duration = .seconds(15), giveUpAfter: Duration? = nil) {
            self.interval = interval
            self.giveUpAfter = giveUpAfter
        }
    }

    /// The probe.
    public let probe: HTTPReachabilityProbe
    /// The rule for repeated probing; nil means one probe.
    public let patience: Patience?

    /// Requires that `probe` succeeds.
    public init(_ probe: HTTPReachabilityProbe, patience: Patience? = nil) {
        self.probe = probe
        self.patience = patience
    }

    /// `reachability`
    public var name: String { "reachability" }

    /// Made of place, depth, timeout and patience.
    public var identity: ConditionIdentity? {
        ConditionIdentity(
            name, [probe.url, probe.depth.rawValue, "\(probe.timeout)", patience.map { "\($0)" } ?? "once"])
    }

    /// Probes once or as long as its patience lasts. The waits are durable if there is a journal.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        guard let transport = context.environment.transport else {
            return .failed(
                AOperationError(
                    .conditionBroken, detail: "The environment has no transport to try \(probe.url) with.",
                    stage: .condition))
        }
        let clock = context.environment.clock
        let past = context.waitingSince(.reachability, key: probe.url).map { clock.now.since($0) } ?? .zero
        let begin = clock.uptime - past
        while true {
            let failure: HTTPCallFailure
            do {
                try await transport.reach(probe)
                return .satisfied
            } catch {
                failure = error
            }
            guard !context.isSilent, let patience, patience.allowsWaiting(after: clock.uptime - begin) else {
                return .failed(unreachable(failure))
            }
            do {
                try await context.wait(for: patience.interval, reason: .reachability, key: probe.url)
            } catch {
                return .failed(unreachable(failure))
            }
        }
    }

    private func unreachable(_ failure: HTTPCallFailure) -> AOperationError {
        var error = AOperationError(
            .conditionUnreachable, detail: "\(probe.url) cannot be reached: \(failure.detail)",
            stage: .condition,
            retryable: true)
        error.phase = failure.phase.rawValue
        error.delivery = failure.delivery.rawValue
        error.publishedError = .init(
            domain: failure.code, code: failure.nativeCode, description: failure.detail,
            recoverySuggestion: failure.suggestion)
        return error
    }
}

extension ReachabilityCondition.Patience {
    /// Whether the next probe is still in time after this duration.
    fileprivate func allowsWaiting(after past: Duration) -> Bool {
        giveUpAfter.map { past + interval <= $0 } ?? true
    }
}
