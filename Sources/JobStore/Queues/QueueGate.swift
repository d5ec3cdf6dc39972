package import JobKit
package import JobSpec

// DESIGN
// A job of a queue with a configuration does not wait among all others but in the line of its queue, so that a queue
// that is at a limit is not looked at for each claim. The store keeps the jobs of each line in order; this value knows
// how many wait with which key, which of them is the first, and how many run. It has no clock and reads nothing: a
// store tells it who comes and goes, asks it who is next, and restores it from what it has stored.
//
// Queues of the same priority take turns, and all jobs that are in no line take one of these turns.

/// Decides which jobs of queues with a configuration may begin.
package struct QueueGate: Sendable {
    /// A job that may begin, the first of its line.
    package struct Choice: Sendable {
        package var line: Line
        package var place: QueuePlace
        fileprivate var turn: Int64
    }

    /// The job that comes next.
    package enum Turn: Sendable {
        /// One that waits in a line.
        case line(Choice)
        /// The first of those that are in no line.
        case other
    }

    /// The line for jobs with one key.
    package struct Line: Sendable, Hashable {
        package var queue: String
        package var key: String?
        package var priority: Int

        package init(queue: String, key: String?, priority: Int) {
            self.queue = queue
            self.key = key
            self.priority = priority
        }
    }

    /// A rate of a queue, or of a key of it.
    package struct RateName: Sendable, Hashable {
        package var queue: String
        package var key: String?

        package init(queue: String, key: String?) {
            self.queue = queue
            self.key = key
        }
    }

    private var queues: [String: QueueLine] = [:]
    /// The jobs that run, by number.
    private var members: [Int64: Line] = [:]
    /// The queues of which a job may be able to begin.
    private var awake: Set<String> = []
    /// The other queues that a rate holds back, with the times at which it may let a job begin.
    private var alarms: [String: Timestamp] = [:]
    package private(set) var firstAlarm: Timestamp?
    private var lastTurn: Int64 = 0
    private var turnOfOthers: Int64 = 0
    /// The number of jobs that wait in lines.
    package private(set) var waiting = 0
    /// The jobs that began since the rates were stored, and those that began in the transaction that stores them.
    private var starts: [RateName: RateStarts] = [:]
    private var storedStarts: [RateName: RateStarts] = [:]

    package init() {}

    /// Whether no queue has a configuration or a line, so that every job waits among all others.
    package var isIdle: Bool { queues.isEmpty }

    /// Whether a queue has a configuration or a line.
    package func knows(_ queue: String) -> Bool { queues[queue] != nil }

    /// Whether runnable jobs of a queue wait in its line.
    package func governs(_ queue: String) -> Bool { queues[queue]?.isConfigured ?? false }

    /// The configuration of a queue that has no room for so many further jobs that wait; nil when it has.
    package func spec(ofFull queue: String, adding count: Int = 1) -> QueueSpec? {
        guard let line = queues[queue], let spec = line.spec, let most = spec.waitingMax else { return nil }
        return line.waiting + count > most ? spec : nil
    }

    // MARK: Configurations

    /// Gives a queue a configuration, or takes it away.
    /// - Parameter running: the jobs that run, with their numbers; needed only for a queue that is not known.
    package mutating func configure(
        _ queue: String, _ spec: QueueSpec?, running: [(number: Int64, line: Line)]
    ) {
        if queues[queue] == nil {
            guard spec != nil else { return }
            queues[queue] = QueueLine(spec)
            for (number, line) in running where line.queue == queue { begin(number, line) }
        } else {
            queues[queue]?.configure(spec)
        }
        removeIfEmpty(queue)
        if queues[queue] != nil { awake.insert(queue) }
    }

    private mutating func removeIfEmpty(_ queue: String) {
        guard let line = queues[queue], line.isEmpty else { return }
        queues[queue] = nil
        awake.remove(queue)
        alarms[queue] = nil
        members = members.filter { $0.value.queue != queue }
    }

    // MARK: Waiting

    /// Adds a job to the line of its queue.
    package mutating func enter(_ line: Line, _ place: QueuePlace) {
        waiting += 1
        let key = line.key ?? QueueLine.noKey
        queues[line.queue, default: QueueLine(nil)].enter(key, priority: line.priority, place)
        awake.insert(line.queue)
    }

    /// Restores the line of a key from the store.
    package mutating func restore(_ line: Line, count: Int, head: QueuePlace) {
        waiting += count
        queues[line.queue, default: QueueLine(nil)].restore(
            line.key ?? QueueLine.noKey, priority: line.priority, count: count, head: head)
        awake.insert(line.queue)
    }

    /// Removes a job from the line of its queue.
    /// - Parameter next: the first job of this line after that.
    package mutating func leave(_ line: Line, next: QueuePlace?) {
        waiting -= 1
        queues[line.queue]?.leave(line.key ?? QueueLine.noKey, priority: line.priority, next: next)
        removeIfEmpty(line.queue)
    }

    /// Whether only one job waits in a line, so that none is next when it leaves.
    package func hasOne(_ line: Line) -> Bool {
        queues[line.queue]?.hasOne(line.key ?? QueueLine.noKey, priority: line.priority) ?? false
    }

    // MARK: Running

    /// Notes that a job runs. Does nothing for a queue without configuration.
    package mutating func begin(_ number: Int64, _ line: Line) {
        guard queues[line.queue] != nil, members.updateValue(line, forKey: number) == nil else { return }
        queues[line.queue]?.begin(line.key ?? QueueLine.noKey)
    }

    /// Restores the number of jobs with a key that run.
    /// - Parameter key: `QueueLine.noKey` for jobs that have none.
    package mutating func restore(running count: Int, of queue: String, key: String) {
        queues[queue]?.restore(running: count, of: key)
    }

    /// The number of jobs of a queue that run.
    package func running(in queue: String) -> Int { queues[queue]?.running ?? 0 }

    /// Notes that a job runs no more.
    package mutating func end(_ number: Int64) {
        guard let line = members.removeValue(forKey: number) else { return }
        queues[line.queue]?.end(line.key ?? QueueLine.noKey)
        awake.insert(line.queue)
    }

    // MARK: Rates

    /// Counts a job that begins.
    /// - Parameter ready: the time since which it could.
    package mutating func takeRate(_ line: Line, now: Timestamp, ready: Timestamp) {
        guard
            let (total, perKey) = queues[line.queue]?.takeRate(
                line.key ?? QueueLine.noKey, now: now, ready: ready)
        else { return }
        for (before, key) in [(total, nil), (perKey, line.key)] {
            guard let before else { continue }
            starts[RateName(queue: line.queue, key: key), default: RateStarts(before: before)]
                .add(now: now, ready: ready)
        }
    }

    /// Whether jobs began since the rates were stored.
    package var hasChangedRates: Bool { !starts.isEmpty }

    /// Restores the state of a rate.
    package mutating func restore(_ state: RateState, of queue: String, key: String?) {
        queues[queue]?.restore(rate: state, of: key)
    }

    /// The changed states of rates, which the store keeps.
    package mutating func takeChangedRates() -> [(name: RateName, state: RateState)] {
        storedStarts = starts
        starts = [:]
        return storedStarts.keys.compactMap { name in
            guard let line = queues[name.queue] else { return nil }
            return (name.key == nil ? line.rate : line.rateState(of: name.key ?? "")).map { (name, $0) }
        }
    }

    /// Counts the jobs whose claims were stored from the time at which that was durable: they begin then, and after a
    /// slow write a burst would otherwise be followed too soon.
    package mutating func noteStored(at time: Timestamp) {
        if storedStarts.isEmpty { return }
        for (name, starts) in storedStarts { queues[name.queue]?.recount(starts, of: name.key, at: time) }
        storedStarts = [:]
    }

    // MARK: The next

    /// The job that comes next: one of the highest priority, of the queue whose turn it is.
    /// - Parameter other: the priority of the first job that is in no line; nil without one.
    package mutating func turn(now: Timestamp, other: Int?) -> Turn? {
        guard let choice = next(now: now) else { return other.map { _ in .other } }
        guard let other else { return .line(choice) }
        let isFirst =
            choice.line.priority == other ? choice.turn <= turnOfOthers : choice.line.priority > other
        return isFirst ? .line(choice) : .other
    }

    /// The job that comes next among the lines.
    package mutating func next(now: Timestamp) -> Choice? {
        ring(now: now)
        var best: (choice: QueueLine.Choice, queue: String, turn: Int64)?
        for queue in awake {
            guard let turn = queues[queue]?.turn, let (choice, alarm) = queues[queue]?.next(now: now) else {
                continue
            }
            guard let choice else {
                awake.remove(queue)
                if let alarm { setAlarm(for: queue, at: alarm) }
                continue
            }
            if let best, (choice.priority, best.turn, best.queue) <= (best.choice.priority, turn, queue) {
                continue
            }
            best = (choice, queue, turn)
        }
        return best.map { best in
            let key = best.choice.key
            let line = Line(
                queue: best.queue, key: key == QueueLine.noKey ? nil : key, priority: best.choice.priority)
            return Choice(line: line, place: best.choice.place, turn: best.turn)
        }
    }

    /// Notes that a queue had its turn; nil for a job that is in no line.
    package mutating func noteTurn(of queue: String?) {
        lastTurn += 1
        if let queue { queues[queue]?.turn = lastTurn } else { turnOfOthers = lastTurn }
    }

    private mutating func setAlarm(for queue: String, at time: Timestamp) {
        alarms[queue] = time
        firstAlarm = min(firstAlarm ?? time, time)
    }

    private mutating func ring(now: Timestamp) {
        guard let first = firstAlarm, first <= now else { return }
        for (queue, time) in alarms where time <= now {
            alarms[queue] = nil
            awake.insert(queue)
        }
        firstAlarm = alarms.values.min()
    }

    /// Whether a new job may begin at once. Those that wait in lines must not be able to.
    package func admits(_ line: Line, now: Timestamp) -> Bool {
        guard let queue = queues[line.queue] else { return true }
        return queue.obstacle(now: now) == nil
            && queue.obstacle(of: line.key ?? QueueLine.noKey, now: now) == nil
    }

    /// The time from which a waiting job may begin: `now` when one may at once, nil when that depends on more than
    /// time.
    package mutating func opening(now: Timestamp) -> Timestamp? {
        if waiting == 0 { return nil }
        return next(now: now) == nil ? firstAlarm : now
    }

    /// The obstacle to a whole queue.
    package func obstacle(of queue: String, now: Timestamp) -> QueueObstacle? {
        queues[queue]?.obstacle(now: now)
    }

    /// The obstacle to the jobs with the key of a line, beside that to the whole queue.
    package func obstacle(to line: Line, now: Timestamp) -> QueueObstacle? {
        queues[line.queue]?.obstacle(of: line.key ?? QueueLine.noKey, now: now)
    }

    // MARK: For people

    /// The queues with a configuration or a line.
    package func standings(now: Timestamp) -> [QueueStanding] {
        queues.map { name, line in
            var standing = QueueStanding(name)
            standing.waiting = line.waiting
            standing.running = line.running
            standing.oldest = line.oldest
            standing.obstacle = line.obstacle(now: now)
            standing.rateRoom = line.spec?.total.rate?.room(line.rate, now: now)
            return standing
        }
    }

    /// The keys of a queue with the most jobs.
    package func busiestKeys(of queue: String, _ most: Int, now: Timestamp) -> [QueueKeyStanding] {
        queues[queue]?.busiest(most, now: now) ?? []
    }

    /// The standing of a job in the line of its queue.
    /// - Parameter before: the number of jobs of a line that come before its place.
    package func standing<Failure: Error>(
        of line: Line, _ place: QueuePlace, now: Timestamp, before: (Line) throws(Failure) -> Int
    ) throws(Failure) -> QueuedJob? {
        guard let queue = queues[line.queue] else { return nil }
        let key = line.key ?? QueueLine.noKey
        let ahead = try queue.ahead(of: key, priority: line.priority, place: place) { key throws(Failure) in
            var other = line
            other.key = key == QueueLine.noKey ? nil : key
            return try before(other)
        }
        return QueuedJob(
            queue: line.queue, key: line.key, ahead: ahead, obstacle: queue.obstacle(now: now),
            keyObstacle: queue.obstacle(of: key, now: now))
    }
}
