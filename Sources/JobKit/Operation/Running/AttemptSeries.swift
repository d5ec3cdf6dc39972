/// The attempts of one operation as a value: their number, and the decision about another one after a failure.
struct AttemptSeries: Sendable {
    /// The number of the last attempt.
    private(set) var number: Int
    /// The number of attempts that count for the rule.
    private(set) var counted: Int
    /// The number of polls that found upstream not done.
    private(set) var polls: Int
    /// The start of the first counted attempt.
    private var first: Start?

    private struct Start {
        let date: Timestamp
        /// The clock's `uptime` at that time; nil when that was in an earlier run.
        var uptime: Duration?
    }

    /// Continues what earlier runs did.
    init(after history: OperationHistory? = nil) {
        number = history?.lastAttempt ?? 0
        counted = history?.attemptsCounted ?? 0
        polls = history?.pollsMade ?? 0
        first = history?.seriesStartedAt.map { Start(date: $0) }
    }

    /// Counts another attempt.
    mutating func advance() {
        number += 1
        counted += 1
    }

    /// The attempt began.
    mutating func begin(at now: Timestamp, uptime: Duration) {
        if first == nil { first = Start(date: now, uptime: uptime) }
    }

    /// Starts a new series: the upstream answered that it is not done.
    mutating func restart() {
        (counted, polls, first) = (0, polls + 1, nil)
    }

    /// The start of the first counted attempt, by the current wall clock; nil when there was none.
    func startedAt(now: Timestamp, uptime: Duration) -> Timestamp? {
        first.map { first in first.uptime.map { now.advanced(by: $0 - uptime) } ?? first.date }
    }

    /// The decision after a failed attempt.
    enum Next: Equatable, Sendable {
        /// No further attempt, for a reason as in `RetryVerdict.stop`.
        case stop(String)
        /// Another attempt. `isPutOff` is true when its origin delays it beyond the pause of the policy.
        case retry(after: Duration, isPutOff: Bool)
    }

    /// The rule for attempts, and the origin, which may put off the next one.
    struct Rule {
        let attemptsMax: Int
        /// No attempt begins later than this after the first one began.
        let elapsedMax: Duration?
        let decide: @Sendable (AOperationError, RetrySituation) -> RetryVerdict
    }

    /// Decides what follows an attempt that failed with `error`.
    /// - Parameters:
    ///   - spread: 0…1, how the pause is spread.
    ///   - opening: when the origin lets an attempt begin that is due at a date.
    func next(
        after error: AOperationError, by rule: Rule, startedAt: Timestamp, now: Timestamp, spread: Double,
        opening: (Timestamp) -> Timestamp
    ) -> Next {
        let situation = RetrySituation(attempts: counted, startedAt: startedAt, now: now, spread: spread)
        switch rule.decide(error, situation) {
        case .stop(let reason): return .stop(reason)
        case .retry(let delay):
            if counted >= rule.attemptsMax { return .stop("attempts") }
            // A broken origin delays the next attempt, possibly beyond the budget of all attempts.
            let due = now.advanced(by: delay)
            let date = opening(due)
            if let most = rule.elapsedMax, date.since(startedAt) > most { return .stop("breaker") }
            return .retry(after: date.since(now), isPutOff: date > due)
        }
    }

    /// The pause before the next poll; nil when the limit of polls is reached.
    /// - Parameter retryAfter: the pause requested by the upstream.
    func pause(by rule: OperationSettings.PollRule?, retryAfter: Duration?) -> Duration? {
        guard let rule, polls < rule.pollsMax else { return nil }
        return max(
            rule.wait.wait(beforeAttempt: polls + 1), min(retryAfter ?? .zero, RetryDecision.retryAfterMax))
    }
}
