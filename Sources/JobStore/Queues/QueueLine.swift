import JobKit
import JobSpec
import StrictJSON

/// The line of one queue: its limits, the jobs that run and the keys of those that wait. It decides which comes next.
struct QueueLine: Sendable {
    /// The key of jobs that have none.
    static let noKey = ""

    /// A job that may begin.
    struct Choice: Sendable {
        var priority: Int
        var key: String
        var place: QueuePlace
    }

    /// The facts about a key beside its waiting jobs.
    private struct KeyUse: Sendable {
        var running = 0
        var rate = RateState()
        /// The valid entry in `alarms`; 0 without one.
        var alarm: Int64 = 0
    }

    /// Nil for a queue without configuration, whose line from before drains.
    private(set) var spec: QueueSpec?
    /// The parts of `spec` that are needed for each job.
    private(set) var isConfigured = false
    private(set) var waitingMax: Int?
    private var isPaused = false
    private var total = FlowLimits()
    private var perKey = FlowLimits()
    private var order = QueueSpec.Order.fair
    private(set) var running = 0
    private(set) var rate = RateState()
    private var lanes = [QueueLane](repeating: QueueLane(), count: 10)
    private var uses: [ByteKey: KeyUse] = [:]
    private var usesToKeep = 1_024
    /// The keys that a rate holds back, by the times at which it lets their next jobs begin.
    private var alarms = TurnHeap()
    private var lastTicket: Int64 = 0
    /// The turn of the queue among the others.
    var turn: Int64 = 0

    init(_ spec: QueueSpec?) { use(spec) }

    private mutating func use(_ new: QueueSpec?) {
        spec = new
        isConfigured = new != nil
        waitingMax = new?.waitingMax
        isPaused = new?.isPaused ?? false
        total = new?.total ?? FlowLimits()
        perKey = new?.perKey ?? FlowLimits()
        order = new?.order ?? .fair
    }

    /// Whether jobs that begin count for a rate.
    var hasRates: Bool { total.rate != nil || perKey.rate != nil }

    /// The number of jobs that wait.
    var waiting: Int { lanes.reduce(0) { $0 + $1.count } }

    private mutating func nextTicket() -> Int64 {
        lastTicket += 1
        return lastTicket
    }

    /// Replaces the configuration. What a rate held back before counts no more when the rate is another.
    mutating func configure(_ new: QueueSpec?) {
        let old = (total.rate, perKey.rate)
        use(new)
        if total.rate != old.0 { rate = RateState() }
        if perKey.rate != old.1 {
            // The keys that the old rate held back must not wait for its times.
            alarms = TurnHeap()
            for key in uses.keys {
                uses[key]?.rate = RateState()
                uses[key]?.alarm = 0
            }
        }
        for priority in lanes.indices {
            for key in lanes[priority].lines.keys.sorted(by: { isBefore($0, $1, priority) }) {
                let ticket = nextTicket()
                lanes[priority].turn(key.text, order, ticket: ticket)
            }
        }
    }

    /// Whether a key keeps its turn before another one when the turns are made anew.
    private func isBefore(_ key: ByteKey, _ other: ByteKey, _ priority: Int) -> Bool {
        guard let line = lanes[priority].lines[key], let next = lanes[priority].lines[other] else {
            return false
        }
        return (line.ticket, line.head) < (next.ticket, next.head)
    }

    // MARK: Waiting

    mutating func enter(_ key: String, priority: Int, _ place: QueuePlace) {
        let ticket = nextTicket()
        lanes[priority].enter(key, place, order, ticket: ticket)
    }

    /// Restores the line of a key.
    mutating func restore(_ key: String, priority: Int, count: Int, head: QueuePlace) {
        let ticket = nextTicket()
        lanes[priority].add(key, QueueLane.Line(count: count, head: head), order, ticket)
    }

    mutating func leave(_ key: String, priority: Int, next: QueuePlace?) {
        let ticket = nextTicket()
        lanes[priority].leave(key, next, order, ticket: ticket)
    }

    /// Whether only one job waits with a key and a priority.
    func hasOne(_ key: String, priority: Int) -> Bool { lanes[priority].lines[ByteKey(key)]?.count == 1 }

    // MARK: Running

    /// Notes that a job runs.
    mutating func begin(_ key: String) {
        running += 1
        uses[ByteKey(key), default: KeyUse()].running += 1
    }

    /// Restores the number of jobs with a key that run.
    mutating func restore(running count: Int, of key: String) {
        running += count
        uses[ByteKey(key), default: KeyUse()].running += count
    }

    /// Notes that a job runs no more.
    mutating func end(_ key: String) {
        running -= 1
        guard var use = uses[ByteKey(key)] else { return }
        use.running = max(0, use.running - 1)
        uses[ByteKey(key)] = use.running == 0 && use.rate == RateState() ? nil : use
        unpark(key)
    }

    /// Gives the turn back to a key that was at a limit.
    private mutating func unpark(_ key: String) {
        for priority in lanes.indices where lanes[priority].lines[ByteKey(key)]?.ticket == 0 {
            let ticket = nextTicket()
            lanes[priority].turn(key, order, ticket: ticket)
        }
    }

    // MARK: Rates

    /// Counts a job that begins.
    /// - Parameter ready: the time since which it could.
    /// - Returns: the states before of the queue's rate and of its key's; nil for one that does not count.
    mutating func takeRate(
        _ key: String, now: Timestamp, ready: Timestamp
    ) -> (total: RateState?, perKey: RateState?) {
        let before = total.rate == nil ? nil : rate
        if let limit = total.rate { rate = limit.taking(rate, now: now, ready: ready) }
        guard key != Self.noKey, let limit = perKey.rate else { return (before, nil) }
        let state = uses[ByteKey(key)]?.rate ?? RateState()
        uses[ByteKey(key), default: KeyUse()].rate = limit.taking(state, now: now, ready: ready)
        if uses.count > usesToKeep {
            uses = uses.filter {
                $0.value.running > 0 || $0.value.alarm != 0 || !$0.value.rate.isOver(at: now)
            }
            usesToKeep = max(1_024, 2 * uses.count)
        }
        return (before, state)
    }

    /// Counts jobs anew that began later than `takeRate` knew.
    mutating func recount(_ starts: RateStarts, of key: String?, at time: Timestamp) {
        if let key {
            if let state = perKey.rate.flatMap({ starts.state(after: $0, at: time) }) {
                uses[ByteKey(key)]?.rate = state
            }
        } else if let state = total.rate.flatMap({ starts.state(after: $0, at: time) }) {
            rate = state
        }
    }

    /// The state with jobs that begin at `time`; nil when that is soon enough for their burst.
    func lateState(_ starts: RateStarts, of key: String?, at time: Timestamp) -> RateState? {
        guard let limit = key == nil ? total.rate : perKey.rate, starts.isLate(for: limit, at: time)
        else { return nil }
        return starts.state(after: limit, at: time)
    }

    /// Restores the state of the queue's rate, or of that of a key.
    mutating func restore(rate state: RateState, of key: String?) {
        if let key { uses[ByteKey(key), default: KeyUse()].rate = state } else { rate = state }
    }

    func rateState(of key: String) -> RateState? { uses[ByteKey(key)]?.rate }

    // MARK: The next

    /// The obstacle to the whole queue.
    func obstacle(now: Timestamp) -> QueueObstacle? {
        if isPaused { return .paused }
        if let most = total.concurrency, running >= most {
            return .concurrency(running: running, of: most)
        }
        if let limit = total.rate, !limit.admits(rate, now: now) {
            return .rate(limit, opens: limit.opening(rate, now: now))
        }
        return nil
    }

    /// The obstacle to the jobs with a key.
    func obstacle(of key: String, now: Timestamp) -> QueueObstacle? {
        guard key != Self.noKey, let use = uses[ByteKey(key)] else { return nil }
        if let most = perKey.concurrency, use.running >= most {
            return .concurrency(running: use.running, of: most)
        }
        if let limit = perKey.rate, !limit.admits(use.rate, now: now) {
            return .rate(limit, opens: limit.opening(use.rate, now: now))
        }
        return nil
    }

    /// The job that comes next; nil when none may begin now. `alarm` is the time at which a rate may let one.
    mutating func next(now: Timestamp) -> (choice: Choice?, alarm: Timestamp?) {
        switch obstacle(now: now) {
        case .rate(_, let opens): return (nil, opens)
        case .some: return (nil, nil)
        case nil: break
        }
        ring(now: now)
        for priority in lanes.indices.reversed() where lanes[priority].count > 0 {
            while let (key, head) = lanes[priority].next() {
                guard let obstacle = obstacle(of: key, now: now) else {
                    return (Choice(priority: priority, key: key, place: head), nil)
                }
                lanes[priority].park(key)
                if case .rate(_, let opens) = obstacle { setAlarm(for: key, at: opens) }
            }
        }
        return (nil, alarms.first.map { Timestamp(milliseconds: $0.rank) })
    }

    private mutating func setAlarm(for key: String, at time: Timestamp) {
        guard uses[ByteKey(key)]?.alarm == 0 else { return }
        let ticket = nextTicket()
        uses[ByteKey(key)]?.alarm = ticket
        alarms.insert(TurnHeap.Entry(rank: time.milliseconds, second: 0, ticket: ticket, key: key))
    }

    /// Gives the turn back to the keys whose rate lets a job begin.
    private mutating func ring(now: Timestamp) {
        while let due = alarms.first, due.rank <= now.milliseconds {
            alarms.removeFirst()
            guard uses[ByteKey(due.key)]?.alarm == due.ticket else { continue }
            uses[ByteKey(due.key)]?.alarm = 0
            unpark(due.key)
        }
    }

    // MARK: For people

    /// The number of jobs that come before one.
    /// - Parameter before: the number of jobs with a key that have its priority and come before it by age.
    func ahead<Failure: Error>(
        of key: String, priority: Int, place: QueuePlace, before: (String) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let above = lanes[(priority + 1)...].reduce(0) { $0 + $1.count }
        return above + (try lanes[priority].ahead(of: key, place, order, before: before))
    }

    /// The time since which the first of the waiting jobs waits.
    var oldest: Timestamp? { lanes.compactMap { $0.oldest?.time }.min() }

    /// The keys with the most jobs, waiting or running.
    func busiest(_ most: Int, now: Timestamp) -> [QueueKeyStanding] {
        var found: [ByteKey: QueueKeyStanding] = [:]
        for lane in lanes {
            for (key, line) in lane.lines where !key.text.isEmpty {
                found[key, default: QueueKeyStanding(key.text)].add(
                    waiting: line.count, since: line.head.time)
            }
        }
        for (key, use) in uses where !key.text.isEmpty && use.running > 0 {
            found[key, default: QueueKeyStanding(key.text)].running = use.running
        }
        let all = found.values.sorted {
            ($1.running + $1.waiting, $0.key) < ($0.running + $0.waiting, $1.key)
        }
        return all.prefix(most).map { standing in
            var standing = standing
            standing.obstacle = obstacle(of: standing.key, now: now)
            return standing
        }
    }

    /// Whether nothing is left of it.
    var isEmpty: Bool { !isConfigured && waiting == 0 }
}
