package import JobKit
package import JobSpec
internal import StrictJSON

// DESIGN
// A job of a queue with a configuration does not wait among all others but in the line of its queue, so that a queue
// that is at a limit is not looked at for each claim. The store keeps the jobs of each line in order; this value knows
// how many wait with which key, which of them is the first, and how many run. It has no clock and reads nothing: a
// store tells it who comes and goes, asks it who is next, and restores it from what it has stored.
//
// Tenants take turns. Queues of one tenant and the same priority do, too, and all jobs that are in no line take one of
// these turns.

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

        /// Equal when the bytes of the names are.
        package static func == (left: Line, right: Line) -> Bool {
            left.priority == right.priority && left.rateName == right.rateName
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(rateName)
            hasher.combine(priority)
        }

        private var rateName: RateName { RateName(queue: queue, key: key) }
    }

    /// A rate of a queue, or of a key of it.
    package struct RateName: Sendable, Hashable {
        package var queue: String
        package var key: String?

        package init(queue: String, key: String?) {
            self.queue = queue
            self.key = key
        }

        /// Equal when the bytes of the names are.
        package static func == (left: RateName, right: RateName) -> Bool {
            left.queue.hasSameBytes(as: right.queue)
                && left.key.map { ByteKey($0) } == right.key.map { ByteKey($0) }
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteKey(queue))
            hasher.combine(key.map { ByteKey($0) })
        }
    }

    private var queues = QueueTable()
    /// The jobs that run, by number.
    private var members: [Int64: Line] = [:]
    /// The places of the queues of which a job may be able to begin.
    private var awake: Set<Int> = []
    /// The other queues that a rate holds back, with the times at which it may let a job begin.
    private var alarms: [Int: Timestamp] = [:]
    package private(set) var firstAlarm: Timestamp?
    private var lastTurn: Int64 = 0
    private var turnOfOthers: Int64 = 0
    /// The last turns of tenants, and of what belongs to none.
    private var tenantTurns: [Tenant?: Int64] = [:]
    /// The number of jobs that wait in lines.
    package private(set) var waiting = 0
    /// The jobs that began since the rates were stored, and those that began in the transaction that stores them.
    private var starts: [RateName: RateStarts] = [:]
    private var storedStarts: [RateName: RateStarts] = [:]

    package init() {}

    /// Whether no queue has a configuration or a line, so that every job waits among all others.
    package var isIdle: Bool { queues.isEmpty }

    /// Whether a queue has a configuration or a line.
    package func knows(_ queue: String) -> Bool { queues.place(of: queue) != nil }

    /// Whether runnable jobs of a queue wait in its line.
    package func governs(_ queue: String) -> Bool {
        queues.place(of: queue).map { queues[$0].isConfigured } ?? false
    }

    /// The configuration of a queue that has no room for so many further jobs that wait; nil when it has.
    package func spec(ofFull queue: String, adding count: Int = 1) -> QueueSpec? {
        guard let place = queues.place(of: queue), let most = queues[place].waitingMax else { return nil }
        return queues[place].waiting + count > most ? queues[place].spec : nil
    }

    // MARK: Configurations

    /// Gives a queue a configuration, or takes it away.
    /// - Parameter running: the jobs that run, with their numbers; needed only for a queue that is not known.
    package mutating func configure(
        _ queue: String, _ spec: QueueSpec?, running: [(number: Int64, line: Line)]
    ) {
        if let place = queues.place(of: queue) {
            queues[place].configure(spec)
            awake.insert(place)
            return removeIfEmpty(place)
        }
        guard spec != nil else { return }
        let place = queues.add(queue)
        queues[place].configure(spec)
        awake.insert(place)
        for (number, line) in running where line.queue == queue { begin(number, line) }
    }

    private mutating func removeIfEmpty(_ place: Int) {
        guard queues[place].isEmpty else { return }
        let queue = queues.name(of: place)
        queues.remove(place)
        awake.remove(place)
        alarms[place] = nil
        members = members.filter { $0.value.queue != queue }
    }

    // MARK: Waiting

    /// Adds a job to the line of its queue.
    package mutating func enter(_ line: Line, _ place: QueuePlace) {
        waiting += 1
        let queue = queues.add(line.queue)
        queues[queue].enter(line.key ?? QueueLine.noKey, priority: line.priority, place)
        awake.insert(queue)
    }

    /// Restores the line of a key from the store.
    package mutating func restore(_ line: Line, count: Int, head: QueuePlace) {
        waiting += count
        let queue = queues.add(line.queue)
        queues[queue].restore(line.key ?? QueueLine.noKey, priority: line.priority, count: count, head: head)
        awake.insert(queue)
    }

    /// Removes a job from the line of its queue.
    /// - Parameter next: the first job of this line after that.
    package mutating func leave(_ line: Line, next: QueuePlace?) {
        waiting -= 1
        guard let queue = queues.place(of: line.queue) else { return }
        queues[queue].leave(line.key ?? QueueLine.noKey, priority: line.priority, next: next)
        removeIfEmpty(queue)
    }

    /// Whether only one job waits in a line, so that none is next when it leaves.
    package func hasOne(_ line: Line) -> Bool {
        queues.place(of: line.queue).map {
            queues[$0].hasOne(line.key ?? QueueLine.noKey, priority: line.priority)
        } ?? false
    }

    // MARK: Running

    /// Notes that a job runs. Does nothing for a queue without configuration.
    package mutating func begin(_ number: Int64, _ line: Line) {
        guard let queue = queues.place(of: line.queue), members.updateValue(line, forKey: number) == nil
        else { return }
        queues[queue].begin(line.key ?? QueueLine.noKey)
    }

    /// Restores the number of jobs with a key that run.
    /// - Parameter key: `QueueLine.noKey` for jobs that have none.
    package mutating func restore(running count: Int, of queue: String, key: String) {
        guard let place = queues.place(of: queue) else { return }
        queues[place].restore(running: count, of: key)
    }

    /// The number of jobs of a queue that run.
    package func running(in queue: String) -> Int {
        queues.place(of: queue).map { queues[$0].running } ?? 0
    }

    /// Notes that a job runs no more.
    package mutating func end(_ number: Int64) {
        guard let line = members.removeValue(forKey: number), let queue = queues.place(of: line.queue)
        else { return }
        queues[queue].end(line.key ?? QueueLine.noKey)
        if queues[queue].waiting > 0 { awake.insert(queue) }
    }

    // MARK: Rates

    /// Counts a job that begins.
    /// - Parameter ready: the time since which it could.
    package mutating func takeRate(_ line: Line, now: Timestamp, ready: Timestamp) {
        guard let queue = queues.place(of: line.queue), queues[queue].hasRates else { return }
        let (total, perKey) = queues[queue].takeRate(line.key ?? QueueLine.noKey, now: now, ready: ready)
        if let total { note(RateName(queue: line.queue, key: nil), total, now, ready) }
        if let perKey { note(RateName(queue: line.queue, key: line.key), perKey, now, ready) }
    }

    private mutating func note(_ name: RateName, _ before: RateState, _ now: Timestamp, _ ready: Timestamp) {
        starts[name, default: RateStarts(before: before)].add(now: now, ready: ready)
    }

    /// Whether jobs began since the rates were stored.
    package var hasChangedRates: Bool { !starts.isEmpty }

    /// Restores the state of a rate.
    package mutating func restore(_ state: RateState, of queue: String, key: String?) {
        if let place = queues.place(of: queue) { queues[place].restore(rate: state, of: key) }
    }

    /// The changed states of rates, which the store keeps.
    package mutating func takeChangedRates() -> [(name: RateName, state: RateState)] {
        storedStarts = starts
        starts = [:]
        return storedStarts.keys.compactMap { name in
            guard let place = queues.place(of: name.queue) else { return nil }
            let state = name.key.map { queues[place].rateState(of: $0) } ?? queues[place].rate
            return state.map { (name, $0) }
        }
    }

    /// Counts the jobs whose claims were stored from the time at which that was durable: they begin then, and after a
    /// slow write a burst would otherwise be followed too soon.
    package mutating func noteStored(at time: Timestamp) {
        if storedStarts.isEmpty { return }
        for (name, starts) in storedStarts {
            if let place = queues.place(of: name.queue) {
                queues[place].recount(starts, of: name.key, at: time)
            }
        }
        storedStarts = [:]
    }

    /// The states of rates that, as they are stored, count too little, since the jobs of the stored claims begin at
    /// `time`, later than a burst makes up for.
    package func lateRates(at time: Timestamp) -> [(name: RateName, state: RateState)] {
        storedStarts.compactMap { name, starts in
            let place = queues.place(of: name.queue)
            return place.flatMap { queues[$0].lateState(starts, of: name.key, at: time) }.map { (name, $0) }
        }
    }

    // MARK: The next

    /// The job that comes next: of the tenant whose turn it is, one of the highest priority, of the queue whose turn it
    /// is.
    /// - Parameters:
    ///   - other: the priority of the first job that is in no line; nil without one.
    ///   - tenant: the tenant of that job.
    ///   - isPassed: whether the lines of a tenant are passed over.
    package mutating func turn(
        now: Timestamp, other: Int?, of tenant: Tenant? = nil, passing isPassed: ((Tenant?) -> Bool)? = nil
    ) -> Turn? {
        guard let choice = next(now: now, passing: isPassed) else { return other.map { _ in .other } }
        guard let other else { return .line(choice) }
        let line = (turn(of: Tenant(ofStored: choice.line.queue)), -choice.line.priority, choice.turn)
        return line <= (turn(of: tenant), -other, turnOfOthers) ? .line(choice) : .other
    }

    private func turn(of tenant: Tenant?) -> Int64 { tenantTurns[tenant] ?? 0 }

    /// The job that comes next among the lines.
    package mutating func next(now: Timestamp, passing isPassed: ((Tenant?) -> Bool)? = nil) -> Choice? {
        ring(now: now)
        var best: (choice: QueueLine.Choice, queue: Int)?
        for queue in awake {
            if let isPassed, isPassed(queues.tenant(of: queue)) { continue }
            let (choice, alarm) = queues[queue].next(now: now)
            guard let choice else {
                awake.remove(queue)
                if let alarm { setAlarm(for: queue, at: alarm) }
                continue
            }
            if let best, rank(best.choice, best.queue) <= rank(choice, queue) { continue }
            best = (choice, queue)
        }
        return best.map { best in
            let key = best.choice.key
            let line = Line(
                queue: queues.name(of: best.queue), key: key == QueueLine.noKey ? nil : key,
                priority: best.choice.priority)
            return Choice(line: line, place: best.choice.place, turn: queues[best.queue].turn)
        }
    }

    /// The order of what may begin: the tenant whose turn was longest ago, the highest priority, then the queue whose
    /// turn was longest ago.
    private func rank(_ choice: QueueLine.Choice, _ queue: Int) -> (Int64, Int, Int64, String) {
        let tenant = turn(of: queues.tenant(of: queue))
        return (tenant, -choice.priority, queues[queue].turn, queues.name(of: queue))
    }

    /// Notes that a queue had its turn; nil for a job of a tenant that is in no line.
    package mutating func noteTurn(of queue: String?, tenant: Tenant? = nil) {
        lastTurn += 1
        tenantTurns[queue.map { Tenant(ofStored: $0) } ?? tenant] = lastTurn
        guard let queue else { return turnOfOthers = lastTurn }
        if let place = queues.place(of: queue) { queues[place].turn = lastTurn }
    }

    private mutating func setAlarm(for queue: Int, at time: Timestamp) {
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
        guard let queue = queues.place(of: line.queue) else { return true }
        return queues[queue].obstacle(now: now) == nil
            && queues[queue].obstacle(of: line.key ?? QueueLine.noKey, now: now) == nil
    }

    /// The time from which a waiting job may begin: `now` when one may at once, nil when that depends on more than
    /// time.
    package mutating func opening(
        now: Timestamp, passing isPassed: ((Tenant?) -> Bool)? = nil
    ) -> Timestamp? {
        if waiting == 0 { return nil }
        return next(now: now, passing: isPassed) == nil ? firstAlarm : now
    }

    /// The obstacle to a whole queue.
    package func obstacle(of queue: String, now: Timestamp) -> QueueObstacle? {
        queues.place(of: queue).flatMap { queues[$0].obstacle(now: now) }
    }

    /// The obstacle to the jobs with the key of a line, beside that to the whole queue.
    package func obstacle(to line: Line, now: Timestamp) -> QueueObstacle? {
        queues.place(of: line.queue).flatMap {
            queues[$0].obstacle(of: line.key ?? QueueLine.noKey, now: now)
        }
    }

    // MARK: For people

    /// The queues with a configuration or a line.
    package func standings(now: Timestamp) -> [QueueStanding] {
        queues.places.map { place in
            let line = queues[place]
            var standing = QueueStanding(queues.name(of: place))
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
        queues.place(of: queue).map { queues[$0].busiest(most, now: now) } ?? []
    }

    /// The standing of a job in the line of its queue.
    /// - Parameter before: the number of jobs of a line that come before its place.
    package func standing<Failure: Error>(
        of line: Line, _ place: QueuePlace, now: Timestamp, before: (Line) throws(Failure) -> Int
    ) throws(Failure) -> QueuedJob? {
        guard let found = queues.place(of: line.queue) else { return nil }
        let queue = queues[found]
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
