internal import HTTPMessage
internal import Synchronization

// DESIGN
// All operations of an environment share one board. Before a call its operation asks whether the origin is open;
// afterwards it reports the outcome of the call. A call that must wait gets a date, and asks again then: the board has
// no clock and resumes no tasks, so it needs no thread and can be tested with dates alone. Only those that wait for a
// place among the calls to a host are told when they have it. Unused origins are removed.

/// The state of upstreams: requested pauses, circuit breakers, and retry budgets, which are learned from the calls, and
/// the calls to hosts that have limits. The pauses and open breakers can be kept for the next process and told to other
/// servers (`OriginClosing`).
public final class OriginBoard: Sendable {
    private struct Book {
        var records: [String: OriginRecord] = [:]
        var sweepAt = Timestamp(milliseconds: 0)
        /// The calls to hosts with limits, by `host` or `host:port`.
        var lines: [String: OriginLine] = [:]
        /// The names in `lines` of known origins; empty for an origin without limits.
        var lineNames: [String: String] = [:]
        /// The operations that wait in memory, and need not be woken.
        var attending: Set<OriginCaller> = []
        /// The operations to wake after a change.
        var woken: [OriginCaller] = []
        var onPlace: (@Sendable (OriginCaller) -> Void)?
        /// The origins with news for others.
        var news: Set<String> = []
        /// Those of them that a person has reset.
        var resets: Set<String> = []
        var onNews: (@Sendable () -> Void)?
        /// The limits of hosts as they were set, for all servers together.
        var limits: [String: FlowLimits] = [:]
        /// The place of this server among those that share the limits.
        var share = OriginShare()
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

    /// Whether no call is held back, nor looked at.
    var isOff: Bool { rules.areOff && book.withLock { $0.lines.isEmpty } }

    /// Whether a call may begin; when it may, `settle` has to be called once.
    func admit(_ call: OriginCall, now: Timestamp) -> OriginAnswer {
        change { book in
            let line = Self.line(of: call.origin, in: &book)
            if line == nil, rules.areOff { return .pass(isProbe: false) }
            if let line, let wait = book.lines[line]?.admit(call.caller, now: now) {
                return .wait(until: wait.until, wait.reason)
            }
            Self.makeRoom(for: call.origin, in: &book, rules, now)
            let answer = book.records[call.origin, default: OriginRecord(rules: rules, now: now)]
                .admit(call, rules, now: now)
            if let line, case .wait = answer { book.lines[line]?.giveBack(call.caller, now: now) }
            return answer
        }
    }

    /// Records the outcome of a call.
    func settle(_ pass: OriginPass, _ outcome: OriginOutcome, now: Timestamp) {
        change { book in
            let line = Self.line(of: pass.origin, in: &book)
            if let line { book.lines[line]?.settle(now: now) }
            if line == nil, rules.areOff { return }
            book.records[pass.origin, default: OriginRecord(rules: rules, now: now)]
                .settle(outcome, isProbe: pass.isProbe, rules, now: now)
            if book.records[pass.origin]?.hasNews(at: now) == true { book.news.insert(pass.origin) }
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

    // MARK: Limits

    /// Sets the limits of hosts, by `host` or `host:port`. The one with a port counts more.
    package func setLimits(_ limits: [String: FlowLimits], now: Timestamp) {
        change { book in
            book.limits = limits
            Self.apply(&book, now)
        }
    }

    /// Sets the part of the limits that this server may use.
    package func setShare(_ share: OriginShare, now: Timestamp) {
        change { book in
            if book.share == share { return }
            book.share = share
            Self.apply(&book, now)
        }
    }

    private static func apply(_ book: inout Book, _ now: Timestamp) {
        let limits = book.limits.mapValues(book.share.part)
        for name in book.lines.keys where limits[name] == nil {
            // Those that wait are woken, and find no limit.
            book.lines[name]?.setLimits(FlowLimits(), now: now)
            noteWoken(of: name, in: &book)
            book.lines[name] = nil
        }
        for (name, limits) in limits {
            book.lines[name, default: OriginLine(limits)].setLimits(limits, now: now)
        }
        book.lineNames = [:]
    }

    /// Calls `handler` for each operation that has to be woken, since it got a place for its call.
    package func onPlace(_ handler: @escaping @Sendable (OriginCaller) -> Void) {
        book.withLock { $0.onPlace = handler }
    }

    /// Takes an operation out of all lines, since its job is over or held.
    package func giveUp(_ caller: OriginCaller, now: Timestamp) {
        change { book in
            for name in book.lines.keys { book.lines[name]?.giveUp(caller, now: now) }
        }
    }

    /// Whether an operation has got a place for its call.
    func hasPlace(_ caller: OriginCaller, at origin: String) -> Bool {
        book.withLock { book in
            Self.line(of: origin, in: &book).flatMap { book.lines[$0]?.hasPlace(for: caller) } ?? false
        }
    }

    /// Notes that an operation looks for its place itself.
    func attend(_ caller: OriginCaller) { book.withLock { _ = $0.attending.insert(caller) } }

    /// Notes that it does so no more, because its run is suspended.
    func leave(_ caller: OriginCaller, of origin: String) {
        let handler = book.withLock { book -> (@Sendable (OriginCaller) -> Void)? in
            book.attending.remove(caller)
            let line = Self.line(of: origin, in: &book)
            return line.flatMap { book.lines[$0]?.hasPlace(for: caller) } ?? false ? book.onPlace : nil
        }
        handler?(caller)
    }

    /// Notes that an operation has ended its wait.
    func endAttending(_ caller: OriginCaller) { book.withLock { _ = $0.attending.remove(caller) } }

    /// Changes the book, and wakes those that got a place.
    private func change<Value>(_ body: (inout Book) -> Value) -> Value {
        let (value, woken, handler, onNews) = book.withLock { book in
            let hadNews = !book.news.isEmpty
            let value = body(&book)
            defer { book.woken = [] }
            for name in book.lines.keys where book.lines[name]?.hasWoken == true {
                Self.noteWoken(of: name, in: &book)
            }
            // A function that nothing needs is not taken out: that would allocate twice.
            let handler = book.woken.isEmpty ? nil : book.onPlace
            return (value, book.woken, handler, hadNews || book.news.isEmpty ? nil : book.onNews)
        }
        onNews?()
        if let handler { for caller in woken { handler(caller) } }
        return value
    }

    private static func noteWoken(of name: String, in book: inout Book) {
        let woken = book.lines[name]?.takeWoken() ?? []
        book.woken += woken.filter { !book.attending.contains($0) }
    }

    /// The name of the line of an origin; nil when it has no limits.
    private static func line(of origin: String, in book: inout Book) -> String? {
        if book.lines.isEmpty { return nil }
        if let known = book.lineNames[origin] { return known.isEmpty ? nil : known }
        var name = ""
        if let parts = try? URLParts(origin + "/") {
            name = ["\(parts.host):\(parts.port)", parts.host].first { book.lines[$0] != nil } ?? ""
        }
        if book.lineNames.count > 10_000 { book.lineNames = [:] }
        book.lineNames[origin] = name
        return name.isEmpty ? nil : name
    }

    // MARK: For people

    /// The state of each origin, those that delay calls first, then by name.
    public func views(now: Timestamp) -> [OriginView] {
        let views = book.withLock { book in
            book.records.map { name, record in
                let line = Self.line(of: name, in: &book).flatMap { book.lines[$0] }
                return OriginView(origin: name, record, line, rules, now: now)
            }
        }
        return views.sorted { ($0.state.rank, $0.origin) < ($1.state.rank, $1.origin) }
    }

    /// Removes the delays of an origin; false when it is unknown.
    @discardableResult
    public func reset(_ origin: String) -> Bool {
        change { book in
            guard book.records[origin] != nil else { return false }
            book.records[origin]?.reset()
            // Others may have learned something here that this server does not know.
            book.news.insert(origin)
            book.resets.insert(origin)
            return true
        }
    }

    // MARK: Other servers, and the next process

    /// Calls `handler` when there is news for others. On any thread.
    package func onNews(_ handler: @escaping @Sendable () -> Void) { book.withLock { $0.onNews = handler } }

    /// The closings learned since the last call.
    package func takeNews(now: Timestamp) -> [OriginClosing] {
        book.withLock { book in
            defer { (book.news, book.resets) = ([], []) }
            return book.news.sorted().compactMap { origin in
                guard book.records[origin] != nil else { return nil }
                return book.records[origin]?.takeNews(of: origin, at: now)
                    ?? (book.resets.contains(origin) ? OriginClosing(origin: origin) : nil)
            }
        }
    }

    /// Takes over what another server, or an earlier process, has learned.
    package func adopt(_ closing: OriginClosing, now: Timestamp) {
        if rules.areOff { return }
        book.withLock { book in
            guard let until = closing.until else {
                book.records[closing.origin]?.adoptReset()
                return
            }
            if until <= now { return }
            Self.makeRoom(for: closing.origin, in: &book, rules, now)
            book.records[closing.origin, default: OriginRecord(rules: rules, now: now)]
                .adopt(closing, rules, now: now)
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
