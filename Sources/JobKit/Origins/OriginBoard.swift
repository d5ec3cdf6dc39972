internal import HTTPMessage
internal import Synchronization

// DESIGN
// All operations of an environment share one board. Before a call its operation asks whether the origin is open;
// afterwards it reports the outcome of the call. A call that must wait gets a date, and asks again then: the board has
// no clock and resumes no tasks, so it needs no thread and can be tested with dates alone. Unused origins are removed.

/// The state of upstreams: requested pauses, circuit breakers, and retry budgets. It is learned from the calls alone,
/// and lost with the process.
public final class OriginBoard: Sendable {
    private struct Book {
        var records: [String: OriginRecord] = [:]
        var sweepAt = Timestamp(milliseconds: 0)
        /// The last URL whose origin was looked up.
        var lastKnown: (url: String, origin: String)?
    }

    /// The rules for origins.
    public let rules: OriginRules
    private let book = Mutex(Book())

    /// An empty board.
    public init(rules: OriginRules = .standard) { self.rules = rules }

    /// The origin of a URL; nil when the URL is malformed. Calls to one origin often come in a row: the last one is
    /// cached.
    func origin(of url: String) -> String? {
        if let known = book.withLock({ $0.lastKnown }), known.url == url { return known.origin }
        guard let origin = (try? URLParts(url))?.origin else { return nil }
        book.withLock { $0.lastKnown = (url, origin) }
        return origin
    }

    /// Whether a call may begin; when it may, `settle` has to be called once.
    func admit(_ call: OriginCall, now: Timestamp) -> OriginAnswer {
        if rules.areOff { return .pass(isProbe: false) }
        return book.withLock { book in
            Self.makeRoom(for: call.origin, in: &book, rules, now)
            return book.records[call.origin, default: OriginRecord(rules: rules, now: now)]
                .admit(call, rules, now: now)
        }
    }

    /// Records the outcome of a call.
    func settle(_ pass: OriginPass, _ outcome: OriginOutcome, now: Timestamp) {
        if rules.areOff { return }
        book.withLock { book in
            book.records[pass.origin, default: OriginRecord(rules: rules, now: now)]
                .settle(outcome, isProbe: pass.isProbe, rules, now: now)
        }
    }

    /// The earliest start of a call that has to wait until `date` anyway, and accepts pauses up to `pauseMax`.
    func opening(
        of origin: String, after date: Timestamp, pauseMax: Duration? = nil, now: Timestamp
    ) -> Timestamp {
        if rules.areOff { return date }
        return book.withLock {
            $0.records[origin]?.opening(after: date, pauseMax: pauseMax, rules, now: now)
        } ?? date
    }

    /// The reason why an origin delays calls; nil when it does not.
    func reason(of origin: String, now: Timestamp) -> OriginReason? {
        book.withLock { $0.records[origin]?.reason(rules, at: now) }
    }

    /// Whether an origin holds no calls back.
    func isOpen(_ origin: String, now: Timestamp) -> Bool {
        book.withLock { $0.records[origin]?.isOpen(rules, at: now) } ?? true
    }

    /// The number of resets of an origin.
    func resets(of origin: String) -> Int { book.withLock { $0.records[origin]?.resets } ?? 0 }

    // MARK: For people

    /// The state of each origin, those that delay calls first, then by name.
    public func views(now: Timestamp) -> [OriginView] {
        let views = book.withLock { book in
            book.records.map { name, record in OriginView(origin: name, record, rules, now: now) }
        }
        return views.sorted { ($0.state.rank, $0.origin) < ($1.state.rank, $1.origin) }
    }

    /// Removes the delays of an origin; false when it is unknown.
    @discardableResult
    public func reset(_ origin: String) -> Bool {
        book.withLock { book in
            guard book.records[origin] != nil else { return false }
            book.records[origin]?.reset()
            return true
        }
    }

    // MARK: Forgetting

    /// Removes origins that were idle for long, once a minute, and the oldest when there are too many.
    private static func makeRoom(
        for origin: String, in book: inout Book, _ rules: OriginRules, _ now: Timestamp
    ) {
        if now >= book.sweepAt {
            book.sweepAt = now.advanced(by: min(.seconds(60), rules.idleMax))
            book.records = book.records.filter { _, record in
                record.inFlight > 0 || !record.isOpen(rules, at: now)
                    || now.since(record.usedAt) < rules.idleMax
            }
        }
        guard book.records.count >= max(1, rules.originsMax), book.records[origin] == nil else { return }
        let oldest = book.records.min { $0.value.usedAt < $1.value.usedAt }
        if let oldest { book.records[oldest.key] = nil }
    }
}
