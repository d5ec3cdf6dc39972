import JobKit
import JobStore

/// The lines of queues, which are jobs with `lined_at`, and the states of rates.
struct QueueTable {
    private let enter, leave, head, before, lines, putRate, rates, removeRates: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        enter = try connection.prepare("UPDATE job SET lined_at = ?2 WHERE number = ?1")
        leave = try connection.prepare("UPDATE job SET lined_at = NULL WHERE number = ?1")
        head = try connection.prepare(DispatchQueries.lineHead)
        before = try connection.prepare(DispatchQueries.lineBefore)
        lines = try connection.prepare(DispatchQueries.lines)
        putRate = try connection.prepare("INSERT OR REPLACE INTO queue_rate VALUES (?1, ?2, ?3)")
        rates = try connection.prepare("SELECT queue, queue_key, next FROM queue_rate WHERE next > ?1")
        removeRates = try connection.prepare("DELETE FROM queue_rate WHERE next <= ?1")
    }

    /// Stores that a job is in the line of its queue, or not.
    func put(_ job: StoredJob) throws(SQLiteFailure) {
        let statement = job.isInLine ? enter : leave
        statement.bind(1, job.number)
        if job.isInLine { statement.bind(2, job.readyAt) }
        try statement.run()
    }

    /// The first place in a line.
    func head(of line: QueueGate.Line) throws(SQLiteFailure) -> QueuePlace? {
        Self.bind(line, to: head)
        defer { head.reset() }
        guard try head.step(), let time = head.time(0) else { return nil }
        return QueuePlace(time: time, number: head.integer(1))
    }

    /// The number of jobs of a line before a place, counted up to 10,000.
    func count(of line: QueueGate.Line, before place: QueuePlace) throws(SQLiteFailure) -> Int {
        Self.bind(line, to: before)
        before.bind(4, place.time)
        before.bind(5, place.number)
        defer { before.reset() }
        return try before.step() ? Int(before.integer(0)) : 0
    }

    private static func bind(_ line: QueueGate.Line, to statement: SQLiteStatement) {
        statement.bind(1, line.queue)
        statement.bind(2, Int64(line.priority))
        statement.bind(3, line.key)
    }

    /// All lines, with their lengths and first places.
    func all() throws(SQLiteFailure) -> [(line: QueueGate.Line, count: Int, head: QueuePlace)] {
        defer { lines.reset() }
        var found: [(line: QueueGate.Line, count: Int, head: QueuePlace)] = []
        while try lines.step() {
            let line = QueueGate.Line(
                queue: lines.text(0), key: lines.optionalText(2), priority: Int(lines.integer(1)))
            let head = QueuePlace(
                time: Timestamp(milliseconds: lines.integer(4)), number: lines.integer(5))
            found.append((line, Int(lines.integer(3)), head))
        }
        return found
    }

    // MARK: Rates

    /// Stores the state of a rate.
    func put(_ state: RateState, of name: QueueGate.RateName) throws(SQLiteFailure) {
        putRate.bind(1, name.queue)
        putRate.bind(2, name.key ?? "")
        putRate.bind(3, state.next)
        try putRate.run()
    }

    /// The states of rates that hold something back after `now`.
    func rates(after now: Timestamp) throws(SQLiteFailure) -> [(name: QueueGate.RateName, state: RateState)] {
        rates.bind(1, RateState(over: now).next)
        defer { rates.reset() }
        var found: [(name: QueueGate.RateName, state: RateState)] = []
        while try rates.step() {
            let key = rates.text(1)
            let name = QueueGate.RateName(queue: rates.text(0), key: key.isEmpty ? nil : key)
            found.append((name, RateState(next: rates.integer(2))))
        }
        return found
    }

    /// Removes the states that hold nothing back any more.
    func removeOldRates(at now: Timestamp) throws(SQLiteFailure) {
        removeRates.bind(1, RateState(over: now).next)
        try removeRates.run()
    }
}
