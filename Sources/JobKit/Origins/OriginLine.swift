// DESIGN
// A call that must wait because of a rate gets a date of its own, for which its part of the rate is taken at once: so
// each asks twice, however many wait. A call may come later than its date, and many at once after a stop or an outage:
// so what has begun is counted as well, and a call that it leaves no room takes a new date, behind others that were
// late. A date that is missed costs nothing as long as the target sees no more than the rate.
//
// One that must wait for a place joins a line. When a call ends, the first of the line gets its place, and is woken. It
// may be gone, or behind many other jobs: after a second another call that asks takes the place, and the woken one is
// the first of the line again; after ten seconds it is forgotten.

/// The calls to one host that has limits: those in flight and those that wait, as a value.
struct OriginLine: Sendable {
    private(set) var limits: FlowLimits
    private(set) var inFlight = 0
    /// The dates that were given.
    private var rate = RateState()
    /// The calls that began, and the dates that were given to those that began later than theirs allowed.
    private var begun = RateState()
    private var delayed = RateState()
    /// The dates of calls that wait because of the rate, by operation.
    private var dates: [OriginCaller: Timestamp] = [:]
    private var datesToKeep = 1_000
    /// The operations that have their part of the rate, and wait for a place.
    private var paid: Set<OriginCaller> = []
    /// The line for places, with those that left it.
    private var line: [OriginCaller] = []
    private var first = 0
    private var waiting: Set<OriginCaller> = []
    /// The operations that have got a place, and the time until which it is kept for them.
    private var granted: [OriginCaller: Timestamp] = [:]
    /// The operations whose place another call took.
    private var late: Set<OriginCaller> = []
    /// The operations to wake.
    private var woken: [OriginCaller] = []

    /// The time for which a place is kept even if others ask, and after which it is taken back.
    private static let grantMin = Duration.seconds(1)
    private static let grantMax = Duration.seconds(10)

    /// The time after which a call in the line asks again in any case, such as after a restart, which loses the line:
    /// seldom enough for all that wait.
    private var askAgain: Duration {
        min(.seconds(300), max(.seconds(15), .milliseconds(20) * waiting.count))
    }

    init(_ limits: FlowLimits) { self.limits = limits }

    /// The number of calls that wait.
    var waitingCount: Int { waiting.count + dates.count }

    /// Whether an operation has got a place for which it has not come yet.
    func hasPlace(for caller: OriginCaller) -> Bool { granted[caller] != nil }

    mutating func setLimits(_ new: FlowLimits, now: Timestamp) {
        if new.rate != limits.rate {
            (rate, begun, delayed) = (RateState(), RateState(), RateState())
            dates = [:]
            paid = []
        }
        limits = new
        grant(now)
    }

    /// Whether a call may begin now; otherwise the time at which to ask again.
    mutating func admit(_ caller: OriginCaller, now: Timestamp) -> (until: Timestamp, reason: OriginReason)? {
        takeBackPlaces(now)
        var ready = now
        if let limit = limits.rate {
            ready = date(of: caller, limit, now: now)
            if ready > now {
                dates[caller] = ready
                return (ready, .rate(limit))
            }
            dates[caller] = nil
        }
        guard let most = limits.concurrency else { return begin(caller, ready: ready, now: now) }
        if granted[caller] != nil || waiting.isEmpty && hasRoom(most) || takePlaceOfAbsent(now) {
            return begin(caller, ready: ready, now: now)
        }
        if limits.rate != nil { paid.insert(caller) }
        if waiting.insert(caller).inserted { line.append(caller) }
        grant(now)
        if granted[caller] == nil { return (now.advanced(by: askAgain), .concurrency(most)) }
        woken.removeAll { $0 == caller }
        return begin(caller, ready: ready, now: now)
    }

    /// The time from which a rate lets a call begin: its date, or a new one when it comes too late for that.
    private mutating func date(of caller: OriginCaller, _ limit: RateLimit, now: Timestamp) -> Timestamp {
        var date = dates[caller] ?? now
        if dates[caller] == nil, !paid.contains(caller) { (date, rate) = limit.reserving(rate, now: now) }
        guard date <= now, !limit.admits(begun, now: now) else { return date }
        (date, delayed) = limit.reserving(RateState(next: max(delayed.next, begun.next)), now: now)
        // Those that come later are behind it.
        rate.next = max(rate.next, delayed.next)
        return max(date, limit.opening(begun, now: now))
    }

    /// Lets a call begin.
    /// - Parameter ready: the date from which it could.
    private mutating func begin(
        _ caller: OriginCaller, ready: Timestamp, now: Timestamp
    ) -> (until: Timestamp, reason: OriginReason)? {
        forget(caller)
        inFlight += 1
        // Dates are rounded up to milliseconds.
        if let limit = limits.rate {
            begun = limit.taking(begun, now: now, ready: ready.advanced(by: .milliseconds(-1)))
        }
        return nil
    }

    private func hasRoom(_ most: Int) -> Bool { inFlight + granted.count < most }

    /// Removes an operation that makes no call any more.
    mutating func giveUp(_ caller: OriginCaller, now: Timestamp) {
        forget(caller)
        dates[caller] = nil
        grant(now)
    }

    private mutating func forget(_ caller: OriginCaller) {
        granted[caller] = nil
        waiting.remove(caller)
        paid.remove(caller)
        late.remove(caller)
    }

    /// Takes back the place of a call that cannot begin yet for another reason. It keeps its part of the rate.
    mutating func giveBack(_ caller: OriginCaller, now: Timestamp) {
        if let limit = limits.rate {
            paid.insert(caller)
            begun = limit.givingBack(begun)
        }
        settle(now: now)
    }

    /// Notes that a call has ended.
    mutating func settle(now: Timestamp) {
        inFlight = max(0, inFlight - 1)
        grant(now)
    }

    /// Gives free places to the first of the line.
    mutating func grant(_ now: Timestamp) {
        while limits.concurrency.map(hasRoom) ?? true, let caller = takeFirst() {
            granted[caller] = now.advanced(by: Self.grantMax)
            woken.append(caller)
        }
    }

    private mutating func takeFirst() -> OriginCaller? {
        while first < line.count {
            let caller = line[first]
            first += 1
            if first > 1_024, first > line.count / 2 {
                line.removeFirst(first)
                first = 0
            }
            if waiting.remove(caller) != nil { return caller }
        }
        return nil
    }

    /// Takes the place of an operation that has not come for it in time; false when there is none.
    private mutating func takePlaceOfAbsent(_ now: Timestamp) -> Bool {
        let latest = now.advanced(by: Self.grantMax - Self.grantMin)
        guard let absent = granted.first(where: { $0.value <= latest })?.key else { return false }
        let isFirstTime = !late.contains(absent)
        forget(absent)
        guard isFirstTime else { return true }
        late.insert(absent)
        waiting.insert(absent)
        if first == 0 {
            line.insert(absent, at: 0)
        } else {
            first -= 1
            line[first] = absent
        }
        return true
    }

    /// Takes back the places for which nothing has come.
    private mutating func takeBackPlaces(_ now: Timestamp) {
        let overdue = granted.filter { $0.value <= now }.keys
        for caller in overdue { forget(caller) }
        if !overdue.isEmpty { grant(now) }
        // Those whose operation was stopped meanwhile.
        if paid.count > waiting.count + 1_000 { paid.formIntersection(waiting) }
        guard dates.count > datesToKeep else { return }
        dates = dates.filter { $0.value.advanced(by: .seconds(300)) > now }
        datesToKeep = max(1_000, 2 * dates.count)
    }

    /// Whether there are operations to wake.
    var hasWoken: Bool { !woken.isEmpty }

    /// The operations to wake since the last call.
    mutating func takeWoken() -> [OriginCaller] {
        defer { woken = [] }
        return woken
    }
}
