public import HTTPMessage

/// A place can be reached: tried with a real connection when the operation is about to be executed.
public struct ReachabilityCondition: AOperationCondition {
    /// How long to try again.
    public struct Patience: Sendable, Hashable {
        /// How long to wait between two tries; above zero.
        public var interval: Duration
        /// How long to try in all; nil is as long as the operation may wait.
        public var giveUpAfter: Duration?

        /// Tries again.
        public init(interval: Duration = .seconds(15), giveUpAfter: Duration? = nil) {
            self.interval = interval
            self.giveUpAfter = giveUpAfter
        }
    }

    /// What is tried.
    public let probe: HTTPReachabilityProbe
    /// How long to try again; nil is not at all.
    public let patience: Patience?

    /// Tries `probe`.
    public init(_ probe: HTTPReachabilityProbe, patience: Patience? = nil) {
        self.probe = probe
        self.patience = patience
    }

    /// `reachability`
    public var name: String { "reachability" }

    /// The same when place, depth, time limit and patience are.
    public var identity: AConditionIdentity? {
        AConditionIdentity(
            name, [probe.url, probe.depth.rawValue, "\(probe.timeout)", patience.map { "\($0)" } ?? "once"])
    }

    /// Tries it, once or as long as its patience lasts. The waits between are durable where there is a journal.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        guard let transport = context.environment.transport else {
            return .failed(
                AOperationError(
                    .conditionBroken, detail: "The environment has no transport to try \(probe.url) with.",
                    state: .condition))
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
            state: .condition,
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
    /// Whether the next try still comes in time when so much time has passed.
    fileprivate func allowsWaiting(after past: Duration) -> Bool {
        giveUpAfter.map { past + interval <= $0 } ?? true
    }
}
