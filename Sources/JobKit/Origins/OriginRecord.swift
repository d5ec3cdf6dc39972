/// The state of one origin, as a value: it gets events, and decides which calls may begin.
///
/// An origin is closed when it delays calls: it cools down, or its breaker is open.
struct OriginRecord: Sendable {
    /// The state of the circuit breaker.
    enum Breaker: Sendable, Hashable {
        case closed
        case open(until: Timestamp, failures: Int, calls: Int)
        /// One probe is under way; until then no other call.
        case probing(until: Timestamp)
    }

    /// A pause requested by an answer.
    struct CoolDown: Sendable, Hashable {
        var since: Timestamp
        var until: Timestamp
        var status: Int

        /// The end for a call that accepts pauses up to `most`.
        func end(_ most: Duration?) -> Timestamp { most.map { min(until, since.advanced(by: $0)) } ?? until }
    }

    var breaker = Breaker.closed
    var coolDown: CoolDown?
    /// Calls that ended; marked are those that failed.
    var outcomes: SlidingCount
    /// Calls that began; marked are those that repeat an earlier one.
    var starts: SlidingCount
    var inFlight = 0
    var usedAt: Timestamp
    /// The number of calls delayed since the origin closed, to spread them when it opens.
    private var turnedAway = 0
    /// The number of consecutive failed probes.
    private var probesFailed = 0
    /// The number of resets.
    private(set) var resets = 0
    /// The number of delayed retries.
    private var retriesTurnedAway = 0
    /// The last closing exchanged with other servers, in either direction.
    private var published: OriginClosing?

    init(rules: OriginRules, now: Timestamp) {
        outcomes = SlidingCount(over: rules.breakerWindow)
        starts = SlidingCount(over: rules.retryWindow)
        usedAt = now
    }

    // MARK: Before a call

    /// Whether a call may begin.
    mutating func admit(_ call: OriginCall, _ rules: OriginRules, now: Timestamp) -> OriginAnswer {
        usedAt = now
        if rules.coolsDown, call.heedsCoolDown, let pause = coolDown, now < pause.end(call.pauseMax) {
            let until = pause.end(call.pauseMax).advanced(by: spread(rules))
            return .wait(until: until, .coolDown(status: pause.status))
        }
        switch breaker {
        case .open(let until, let failures, let calls) where now < until:
            return .wait(
                until: until.advanced(by: spread(rules)), .breaker(failures: failures, calls: calls))
        case .probing(let until) where now < until:
            return .wait(until: now.advanced(by: .seconds(1) + spread(rules)), .probe)
        case .open, .probing:
            breaker = .probing(until: now.advanced(by: rules.probeMax))
            begin(call, now)
            return .pass(isProbe: true)
        case .closed: break
        }
        if rules.limitsRetries, call.isRetry, let wait = budgetWait(rules, now) {
            return .wait(until: now.advanced(by: wait), .budget)
        }
        begin(call, now)
        return .pass(isProbe: false)
    }

    private mutating func begin(_ call: OriginCall, _ now: Timestamp) {
        inFlight += 1
        starts.add(isMarked: call.isRetry, at: now)
    }

    /// The wait of a retry because the retry budget is exhausted; nil when it is not.
    private mutating func budgetWait(_ rules: OriginRules, _ now: Timestamp) -> Duration? {
        let (calls, retries) = starts.sums(at: now)
        guard retries >= Self.retriesAllowed(rules, firsts: calls - retries) else {
            retriesTurnedAway = 0
            return nil
        }
        let step = Duration.seconds(1) / max(1, rules.retriesPerSecondMin)
        retriesTurnedAway += 1
        return .seconds(1) + Self.offset(retriesTurnedAway - 1, step: step, rules)
    }

    /// The number of retries permitted beside that many first calls.
    static func retriesAllowed(_ rules: OriginRules, firsts: Int) -> Int {
        let least = Int64(rules.retriesPerSecondMin) * max(1, rules.retryWindow.components.seconds)
        return max(Int(clamping: least), Int(Double(firsts) * rules.retryShare))
    }

    // MARK: Waiting

    /// The earliest start of a call that has to wait until `date` anyway: later when the origin is closed for longer,
    /// and at some distance from the others that wait for the same.
    /// - Parameter pauseMax: the longest pause that the call accepts from an answer.
    mutating func opening(
        after date: Timestamp, pauseMax: Duration?, _ rules: OriginRules, now: Timestamp
    ) -> Timestamp {
        var closed: Timestamp?
        if rules.coolsDown, let pause = coolDown, now < pause.end(pauseMax) { closed = pause.end(pauseMax) }
        if case .open(let until, _, _) = breaker, now < until { closed = max(closed ?? until, until) }
        return closed.map { max($0, date).advanced(by: spread(rules)) } ?? date
    }

    /// The offset from the opening at which the next waiting call may begin.
    private mutating func spread(_ rules: OriginRules) -> Duration {
        turnedAway += 1
        return Self.offset(turnedAway - 1, step: rules.pace, rules)
    }

    private static func offset(_ place: Int, step: Duration, _ rules: OriginRules) -> Duration {
        let stepMilliseconds = max(1, step.wholeMilliseconds)
        let most = max(1, rules.spreadMax.wholeMilliseconds)
        let (offset, isTooMuch) = Int64(place).multipliedReportingOverflow(by: stepMilliseconds)
        return .milliseconds(isTooMuch ? 0 : offset % most)
    }

    /// The reason why it delays calls; nil when it does not.
    func reason(_ rules: OriginRules, at now: Timestamp) -> OriginReason? {
        if rules.coolsDown, let pause = coolDown, now < pause.until {
            return .coolDown(status: pause.status)
        }
        if case .open(let until, let failures, let calls) = breaker, now < until {
            return .breaker(failures: failures, calls: calls)
        }
        return nil
    }

    /// Whether no call is held back by what this origin did.
    func isOpen(_ rules: OriginRules, at now: Timestamp) -> Bool { reason(rules, at: now) == nil }

    // MARK: After a call

    /// Records the outcome of a call.
    mutating func settle(_ outcome: OriginOutcome, isProbe: Bool, _ rules: OriginRules, now: Timestamp) {
        usedAt = now
        inFlight = max(0, inFlight - 1)
        if rules.coolsDown, let pause = outcome.pause, pause > .zero {
            coolDown(for: min(pause, rules.coolDownMax), outcome.status ?? 0, rules, now)
        }
        guard rules.breaks else {
            breaker = .closed
            return
        }
        switch breaker {
        case .probing where isProbe: settleProbe(outcome, rules, now)
        case .closed: count(outcome, rules, now)
        // A call that began before the breaker opened says nothing new.
        case .open, .probing: break
        }
    }

    private mutating func coolDown(
        for pause: Duration, _ status: Int, _ rules: OriginRules, _ now: Timestamp
    ) {
        if isOpen(rules, at: now) { turnedAway = 0 }
        let until = now.advanced(by: pause)
        if coolDown.map({ $0.until < until }) ?? true {
            coolDown = CoolDown(since: now, until: until, status: status)
        }
    }

    private mutating func settleProbe(_ outcome: OriginOutcome, _ rules: OriginRules, _ now: Timestamp) {
        switch outcome.kind {
        case .reached:
            breaker = .closed
            probesFailed = 0
            outcomes.clear()
        case .failed:
            probesFailed += 1
            turnedAway = 0
            let length = min(rules.breakerOpenFor * (1 << min(probesFailed, 16)), rules.breakerOpenMax)
            breaker = .open(
                until: now.advanced(by: max(length, rules.breakerOpenFor)), failures: 1, calls: 1)
        // The outcome says nothing: the next call probes.
        case .unknown: breaker = .probing(until: now)
        }
    }

    private mutating func count(_ outcome: OriginOutcome, _ rules: OriginRules, _ now: Timestamp) {
        guard outcome.kind != .unknown else { return }
        outcomes.add(isMarked: outcome.kind == .failed, at: now)
        guard outcome.kind == .failed else { return }
        let (calls, failures) = outcomes.sums(at: now)
        guard calls >= rules.breakerCallsMin,
            Double(failures) >= Double(calls) * rules.breakerFailureShare
        else { return }
        if isOpen(rules, at: now) { turnedAway = 0 }
        breaker = .open(
            until: now.advanced(by: rules.breakerOpenFor), failures: failures, calls: calls)
        outcomes.clear()
    }

    /// Removes all delays.
    mutating func reset() {
        breaker = .closed
        coolDown = nil
        outcomes.clear()
        starts.clear()
        turnedAway = 0
        retriesTurnedAway = 0
        probesFailed = 0
        resets += 1
    }

    // MARK: For others

    /// The pause or open breaker; nil when calls are let through.
    private func closing(of origin: String, at now: Timestamp) -> OriginClosing? {
        var closing = OriginClosing(origin: origin)
        if let pause = coolDown, now < pause.until { closing.coolDown = pause }
        if case .open(let until, let failures, let calls) = breaker, now < until {
            closing.breaker = OriginClosing.Breaker(until: until, failures: failures, calls: calls)
        }
        return closing.until == nil ? nil : closing
    }

    /// Whether others should hear of what holds calls back, or that it was removed. Answers that extend a pause by less
    /// than a second are not worth telling.
    func hasNews(at now: Timestamp) -> Bool {
        if coolDown == nil, breaker == .closed, published == nil { return false }
        guard let current = closing(of: "", at: now) else {
            return published?.until.map { $0 > now } ?? false
        }
        guard let published else { return true }
        func isFar(_ first: Timestamp?, _ second: Timestamp?) -> Bool {
            guard let first else { return false }
            return second.map { first.since($0) >= .seconds(1) || $0.since(first) >= .seconds(1) } ?? true
        }
        return isFar(current.coolDown?.until, published.coolDown?.until)
            || isFar(current.breaker?.until, published.breaker?.until)
    }

    /// The news for the others.
    mutating func takeNews(of origin: String, at now: Timestamp) -> OriginClosing? {
        guard hasNews(at: now) else { return nil }
        published = closing(of: origin, at: now)
        return published ?? OriginClosing(origin: origin)
    }

    /// Takes over what another server, or an earlier process, has learned.
    mutating func adopt(_ closing: OriginClosing, _ rules: OriginRules, now: Timestamp) {
        if isOpen(rules, at: now) { turnedAway = 0 }
        usedAt = now
        if let pause = closing.coolDown, now < pause.until, coolDown.map({ $0.until < pause.until }) ?? true {
            coolDown = pause
        }
        if rules.breaks, let other = closing.breaker, now < other.until {
            switch breaker {
            case .open(let until, _, _) where until >= other.until: break
            default: breaker = .open(until: other.until, failures: other.failures, calls: other.calls)
            }
        }
        published = self.closing(of: closing.origin, at: now)
    }

    /// Removes all delays, as another server did.
    mutating func adoptReset() {
        reset()
        published = nil
    }
}
