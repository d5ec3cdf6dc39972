/// A snapshot of one origin.
public struct OriginView: Sendable, Hashable {
    /// Whether its calls go through.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// They do.
        case open
        /// The origin requested a pause.
        case coolingDown = "cooling_down"
        /// The breaker is open after too many failures.
        case broken
        /// One call probes whether the origin has recovered.
        case probing

        /// Those that hold calls back come first.
        /// Its place in lists: those that hold calls back come first.
        package var rank: Int {
            switch self {
            case .broken: 0
            case .probing: 1
            case .coolingDown: 2
            case .open: 3
            }
        }
    }

    /// `https://host:port`, the port only when it is not the scheme's own.
    public let origin: String
    /// Whether its calls go through.
    public let state: State
    /// The end of the delay; nil without one.
    public let until: Timestamp?
    /// The reason of the delay, in words; nil without one.
    public let reason: String?
    /// Calls that ended within the window of the breaker.
    public let calls: Int
    /// The failed ones among them.
    public let failures: Int
    /// Calls that began within the window of the retry budget.
    public let starts: Int
    /// The retries among them.
    public let retries: Int
    /// The number of retries permitted at the moment.
    public let retriesAllowed: Int
    /// Calls under way.
    public let inFlight: Int
    /// The limits that an operator gave it.
    package let limits: FlowLimits?
    /// The number of calls that wait because of these.
    public let waiting: Int
    /// The time of the last use.
    public let usedAt: Timestamp

    init(origin: String, _ record: OriginRecord, _ line: OriginLine?, _ rules: OriginRules, now: Timestamp) {
        var record = record
        self.origin = origin
        (calls, failures) = record.outcomes.sums(at: now)
        (starts, retries) = record.starts.sums(at: now)
        retriesAllowed = OriginRecord.retriesAllowed(rules, firsts: starts - retries)
        inFlight = record.inFlight
        limits = line?.limits
        waiting = line?.waitingCount ?? 0
        usedAt = record.usedAt
        switch record.breaker {
        case .open(let until, let failures, let calls) where now < until:
            state = .broken
            self.until = until
            reason = OriginReason.breaker(failures: failures, calls: calls).text
        case .open, .probing:
            state = .probing
            until = nil
            reason = OriginReason.probe.text
        case .closed:
            guard rules.coolsDown, let pause = record.coolDown, now < pause.until else {
                state = .open
                until = nil
                reason = nil
                return
            }
            state = .coolingDown
            until = pause.until
            reason = OriginReason.coolDown(status: pause.status).text
        }
    }
}
