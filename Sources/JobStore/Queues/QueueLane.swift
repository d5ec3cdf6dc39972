import JobKit
import JobSpec
import StrictJSON

/// The waiting jobs of one queue and one priority: a line for each key, and the turns of the keys.
struct QueueLane: Sendable {
    /// The jobs with one key.
    struct Line: Sendable {
        var count: Int
        /// The first of them.
        var head: QueuePlace
        /// The valid entry in `turns`; 0 while the key is at a limit.
        var ticket: Int64 = 0
    }

    private(set) var lines: [ByteKey: Line] = [:]
    private(set) var count = 0
    private var turns = TurnHeap()

    /// Adds a job at its place.
    mutating func enter(_ key: String, _ place: QueuePlace, _ order: QueueSpec.Order, ticket: Int64) {
        guard var line = lines[ByteKey(key)] else {
            return add(key, Line(count: 1, head: place), order, ticket)
        }
        count += 1
        line.count += 1
        let isFirst = place < line.head
        if isFirst { line.head = place }
        lines[ByteKey(key)] = line
        if isFirst, order == .fifo, line.ticket != 0 { turn(key, order, ticket: ticket) }
    }

    /// Adds the line of a key.
    mutating func add(_ key: String, _ line: Line, _ order: QueueSpec.Order, _ ticket: Int64) {
        count += line.count
        lines[ByteKey(key)] = line
        turn(key, order, ticket: ticket)
    }

    /// Removes a job. A key of which the first job leaves has had its turn.
    /// - Parameter next: the first job of the key after that.
    mutating func leave(
        _ key: String, _ next: QueuePlace?, _ order: QueueSpec.Order, ticket: Int64
    ) {
        guard var line = lines[ByteKey(key)] else { return }
        count -= 1
        line.count -= 1
        guard let next, line.count > 0 else {
            count -= line.count
            lines[ByteKey(key)] = nil
            return
        }
        let wasFirst = next != line.head
        line.head = next
        lines[ByteKey(key)] = line
        if wasFirst, line.ticket != 0 { turn(key, order, ticket: ticket) }
    }

    /// Gives a key a turn: after all others, or with `fifo` by the age of its first job.
    mutating func turn(_ key: String, _ order: QueueSpec.Order, ticket: Int64) {
        guard let line = lines[ByteKey(key)] else { return }
        lines[ByteKey(key)]?.ticket = ticket
        turns.insert(
            order == .fair
                ? TurnHeap.Entry(rank: ticket, second: 0, ticket: ticket, key: key)
                : TurnHeap.Entry(
                    rank: line.head.time.milliseconds, second: line.head.number, ticket: ticket, key: key))
        if turns.count > 2 * lines.count + 64 { dropOldTurns() }
    }

    private mutating func dropOldTurns() {
        var kept = TurnHeap()
        while let entry = turns.first {
            if lines[ByteKey(entry.key)]?.ticket == entry.ticket { kept.insert(entry) }
            turns.removeFirst()
        }
        turns = kept
    }

    /// Takes a key that is at a limit out of the turns.
    mutating func park(_ key: String) { lines[ByteKey(key)]?.ticket = 0 }

    /// The key that comes next.
    mutating func next() -> (key: String, head: QueuePlace)? {
        while let entry = turns.first {
            if let line = lines[ByteKey(entry.key)], line.ticket == entry.ticket {
                return (entry.key, line.head)
            }
            turns.removeFirst()
        }
        return nil
    }

    /// The number of jobs that come before one, at least as far as 10,000.
    /// - Parameter before: the number of jobs with a key that come before it by age.
    func ahead<Failure: Error>(
        of key: String, _ place: QueuePlace, _ order: QueueSpec.Order,
        before: (String) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        switch order {
        case .fair:
            // Each other key comes once for each of them, and once for the job itself.
            let turns = try before(key) + 1
            let own = ByteKey(key)
            return lines.reduce(turns - 1) { $1.key == own ? $0 : $0 + min($1.value.count, turns) }
        case .fifo:
            var count = 0
            for (key, line) in lines where line.head < place && count < 10_000 {
                count += try before(key.text)
            }
            return count
        }
    }

    /// The first of all jobs.
    var oldest: QueuePlace? { lines.values.map(\.head).min() }
}
