import JobKit
import JobSpec
import JobStore
import StrictJSON

// DESIGN
// `QueueGate` decides, as in all engines, but about an excerpt: of each queue whose row this server could lock, the
// keys whose turn comes next, without those at a limit, and the first jobs of these. So a decision costs what it
// claims, however many jobs wait.

/// One decision about the jobs in lines.
struct LineRound {
    /// A queue that is locked.
    private struct Opened {
        var row: QueueTable.Row
        var spec: QueueSpec?
        /// Whether the excerpt may lack jobs that can begin.
        var isCut = false
        var hasChosen = false
        /// The first time at which the rate of a key lets a job begin.
        var alarm: Timestamp?
    }

    private let unit: WorkUnit
    private let now: Timestamp
    private(set) var gate = QueueGate()
    /// The sizes of the jobs of the excerpt.
    private(set) var sizes = ClaimSizes()
    private var opened: [String: Opened] = [:]
    private var places: [QueueGate.Line: ArraySlice<QueueTable.Head>] = [:]
    /// The lines that have further jobs.
    private var cutLines: Set<QueueGate.Line> = []
    /// The number of queues that one round reads although those before them have enough jobs.
    private static let queuesMin = 16
    /// The number of keys that one round looks at in vain.
    private static let keysMax = 1_000
    /// The number of jobs that one round looks at in vain, in the order of their age.
    private static let oldestMax = 2_000

    private var lines: QueueLines { unit.lines }
    private var table: QueueTable { unit.tables.queues }

    /// Locks queues.
    init(_ unit: WorkUnit, _ names: [String], now: Timestamp) throws(PostgresFailure) {
        self.unit = unit
        self.now = now
        let rows = try unit.tables.queues.locked(names, waits: false)
        if rows.count < names.count { unit.lines.tryAgain(after: QueueLines.lockPause) }
        for row in rows {
            let spec = unit.lines.spec(of: row.name)
            gate.configure(row.name, spec, running: [])
            gate.restore(row.rate, of: row.name, key: nil)
            opened[row.name] = Opened(row: row, spec: spec)
        }
        for running in try unit.tables.queues.running(in: rows.map(\.name)) {
            gate.restore(running: running.count, of: running.queue, key: running.key)
        }
        var turns: [(queue: String?, tenant: Tenant?, turn: Int64)] = rows.map {
            ($0.name, nil, unit.lines.turn(of: $0.name))
        }
        for (tenant, turn) in unit.lines.turnsOfOthers { turns.append((nil, tenant, turn)) }
        for turn in turns.sorted(by: { $0.turn < $1.turn }) where turn.turn > 0 {
            gate.noteTurn(of: turn.queue, tenant: turn.tenant)
        }
    }

    // MARK: The excerpt

    /// Reads the jobs that may begin: of the queues with the highest priority first, in their turns.
    /// - Parameters:
    ///   - priorities: those of the jobs in the lines.
    ///   - most: the maximum number of jobs that are claimed.
    mutating func read(
        _ priorities: [String: [Int]], _ request: ClaimRequest, most: Int
    ) throws(PostgresFailure) {
        var found: [(line: QueueGate.Line, heads: [QueueTable.Head])] = []
        var total = 0
        let names = opened.keys.sorted { left, right in
            let (first, second) = (priorities[left]?.max() ?? -1, priorities[right]?.max() ?? -1)
            return first == second ? isBefore(left, right) : first > second
        }
        for (place, name) in names.enumerated() {
            if place >= Self.queuesMin, total >= most {
                opened[name]?.isCut = true
                continue
            }
            let room = room(of: name, most: most)
            if room <= 0 { continue }
            var count = 0
            for priority in (priorities[name] ?? []).sorted(by: >) {
                let lines = try jobs(of: name, priority, room: room - count)
                count += lines.reduce(0) { $0 + $1.heads.count }
                found += lines
                if count >= room {
                    opened[name]?.isCut = true
                    break
                }
            }
            total += count
        }
        let ids = found.flatMap { $0.heads.map(\.id) }
        let free = try table.lock(ids)
        try sizes.add(
            ids.filter { free[$0] != nil }, isWhole: false, request, unit.tables.journals
        ) {
            free[$0] ?? (0, false)
        }
        for (line, heads) in found {
            let own = heads.filter { free[$0.id] != nil }
            if own.count < heads.count {
                opened[line.queue]?.isCut = true
                lines.tryAgain(after: QueueLines.lockPause)
            }
            guard let first = own.first else { continue }
            places[line] = own[...]
            gate.restore(line, count: own.count, head: first.place)
        }
    }

    /// Whether the turn of a queue is before that of another one.
    private func isBefore(_ left: String, _ right: String) -> Bool {
        let (first, second) = (lines.turn(of: left), lines.turn(of: right))
        return first == second ? left < right : first < second
    }

    /// The number of jobs of a queue that may begin, by its own limits.
    private func room(of name: String, most: Int) -> Int {
        guard let queue = opened[name], gate.obstacle(of: name, now: now) == nil else { return 0 }
        guard let limits = queue.spec?.total else { return most }
        var room = most
        if let concurrency = limits.concurrency { room = min(room, concurrency - gate.running(in: name)) }
        if let rate = limits.rate { room = min(room, rate.room(queue.row.rate, now: now)) }
        return room
    }

    private mutating func jobs(
        of name: String, _ priority: Int, room: Int
    ) throws(PostgresFailure) -> [(line: QueueGate.Line, heads: [QueueTable.Head])] {
        if opened[name]?.spec?.order == .fifo, let found = try oldest(of: name, priority, room: room) {
            return found
        }
        let keys = try nextKeys(of: name, priority, room: room)
        if keys.isEmpty { return [] }
        let share = max(1, (2 * room + keys.count - 1) / keys.count)
        let each = min(share, keys.map { most(of: $0, in: name) }.max() ?? 1)
        let heads = try table.heads(of: name, priority, keys: keys, limit: each, now: now)
        let byKey = Dictionary(grouping: heads) { ByteKey($0.key) }
        return keys.compactMap { key in
            guard let heads = byKey[ByteKey(key)] else { return nil }
            let line = Self.line(name, key, priority)
            if heads.count == each { cutLines.insert(line) }
            return (line, heads)
        }
    }

    /// The next keys in turn order after the last served one, without keys at their limit.
    private mutating func nextKeys(
        of name: String, _ priority: Int, room: Int
    ) throws(PostgresFailure) -> [String] {
        let last = opened[name]?.row.cursors[priority]
        var first: [UInt8] = last.map { Array($0.utf8) + [0] } ?? []
        var isBehindEnd = last == nil
        var chosen: [String] = []
        var looked = 0
        let limit = max(room, 32)
        while true {
            var keys = try table.keys(of: name, priority, from: first, limit: limit)
            let isEnd = keys.count < limit
            var isRound = false
            if isBehindEnd, let last,
                let end = keys.firstIndex(where: { last.utf8.lexicographicallyPrecedes($0.utf8) })
            {
                keys = Array(keys[..<end])
                isRound = true
            }
            for key in try admitted(keys, of: name, priority) {
                if chosen.count == room {
                    opened[name]?.isCut = true
                    return chosen
                }
                chosen.append(key)
            }
            if isRound || isEnd && isBehindEnd { return chosen }
            looked += keys.count
            if looked >= Self.keysMax {
                opened[name]?.isCut = true
                if chosen.isEmpty, let key = keys.last {
                    // The next round goes on from here.
                    opened[name]?.row.cursors[priority] = key
                    opened[name]?.hasChosen = true
                    lines.tryAgain(after: QueueLines.vainPause)
                }
                return chosen
            }
            if isEnd {
                isBehindEnd = true
                first = []
            } else if let key = keys.last {
                first = Array(key.utf8) + [0]
            }
        }
    }

    /// Those of these keys whose limits let a job begin.
    private mutating func admitted(
        _ keys: [String], of name: String, _ priority: Int
    ) throws(PostgresFailure) -> [String] {
        guard let limits = opened[name]?.spec?.perKey, limits != FlowLimits() else { return keys }
        if limits.rate != nil {
            for (key, state) in try table.rates(of: name, keys: keys) {
                gate.restore(state, of: name, key: key.text)
            }
        }
        var found: [String] = []
        var alarm = opened[name]?.alarm
        for key in keys {
            switch gate.obstacle(to: Self.line(name, key, priority), now: now) {
            case nil: found.append(key)
            case .rate(_, let opens): alarm = min(alarm ?? opens, opens)
            case .some: break
            }
        }
        opened[name]?.alarm = alarm
        return found
    }

    /// The oldest jobs whose keys are below their limits; nil if the limit of the scan is reached first.
    private mutating func oldest(
        of name: String, _ priority: Int, room: Int
    ) throws(PostgresFailure) -> [(line: QueueGate.Line, heads: [QueueTable.Head])]? {
        var byKey: [ByteKey: [QueueTable.Head]] = [:]
        var order: [ByteKey] = []
        var admitted: [ByteKey: Bool] = [:]
        var count = 0
        var looked = 0
        var last: QueuePlace?
        let limit = max(2 * room, 64)
        while count < room {
            if looked >= Self.oldestMax {
                if count == 0 { return nil }
                opened[name]?.isCut = true
                break
            }
            let heads = try table.oldest(of: name, priority, after: last, limit: limit, now: now)
            let fresh = Set(heads.map { ByteKey($0.key) }).filter { admitted[$0] == nil }
            let free = Set(try self.admitted(fresh.map(\.text), of: name, priority).map { ByteKey($0) })
            for key in fresh { admitted[key] = free.contains(key) }
            for head in heads {
                let key = ByteKey(head.key)
                guard admitted[key] == true, byKey[key]?.count ?? 0 < most(of: head.key, in: name) else {
                    continue
                }
                if byKey[key] == nil { order.append(key) }
                byKey[key, default: []].append(head)
                count += 1
            }
            looked += heads.count
            last = heads.last?.place
            if heads.count < limit { break }
        }
        let isCut = count >= room
        return order.map { key in
            let line = Self.line(name, key.text, priority)
            if isCut { cutLines.insert(line) }
            return (line, byKey[key] ?? [])
        }
    }

    /// The maximum number of jobs with one key that begin in one round.
    private func most(of key: String, in name: String) -> Int {
        key.isEmpty ? .max : opened[name]?.spec?.perKey.concurrency ?? .max
    }

    private static func line(_ queue: String, _ key: String, _ priority: Int) -> QueueGate.Line {
        QueueGate.Line(queue: queue, key: key.isEmpty ? nil : key, priority: priority)
    }

    // MARK: The decision

    /// A job whose turn it is.
    enum Turn {
        case line(JobID)
        /// The first of those that are in no line.
        case other
    }

    /// The job that comes next; nil when none may begin, or the excerpt has to be read again.
    /// - Parameters:
    ///   - other: the priority of the first job that is in no line and due.
    ///   - tenant: the tenant of that job.
    mutating func next(other: Int?, of tenant: Tenant?, _ shares: inout TenantShares) -> Turn? {
        if needsMore { return nil }
        switch gate.turn(now: now, other: other, of: tenant, passing: shares.passing) {
        case .line(let choice):
            guard let head = places[choice.line]?.popFirst() else { return nil }
            let next = places[choice.line]?.first?.place
            noteTurn(of: choice.line.queue, tenant: nil)
            _ = shares.take(Tenant(ofStored: choice.line.queue))
            gate.takeRate(choice.line, now: now, ready: choice.place.time)
            gate.leave(choice.line, next: next)
            gate.begin(head.place.number, choice.line)
            opened[choice.line.queue]?.row.cursors[choice.line.priority] = head.key
            opened[choice.line.queue]?.hasChosen = true
            if next == nil && cutLines.contains(choice.line) { needsMore = true }
            return .line(head.id)
        case .other:
            noteTurn(of: nil, tenant: tenant)
            return .other
        case nil: return nil
        }
    }

    /// Whether a line may have a further job that could begin before all others.
    private(set) var needsMore = false

    private mutating func noteTurn(of queue: String?, tenant: Tenant?) {
        gate.noteTurn(of: queue, tenant: tenant)
        lines.noteTurn(of: queue, tenant: tenant)
    }

    /// Those of these jobs outside of lines that may begin beside what runs: the first ones, whose queues let them.
    /// - Parameter cut: as many of them as one claim takes.
    mutating func admissible(
        _ jobs: [StoredJob], limit: Int, cut: ([StoredJob]) -> [StoredJob]
    ) throws(PostgresFailure) -> [StoredJob] {
        for name in opened.keys {
            let keys = Set(
                jobs.filter { $0.record.queue == name }.compactMap { $0.record.queueKey.map { ByteKey($0) } })
            _ = try admitted(keys.map(\.text), of: name, 0)
        }
        // Another server decides about the queues that are not open.
        let known = jobs.filter { opened[$0.record.queue] != nil || !lines.knows($0.record.queue) }
        let chosen = cut(gate.admissible(known, limit: limit, now: now))
        for job in chosen {
            gate.takeRate(job.line, now: now, ready: now)
            opened[job.record.queue]?.hasChosen = true
        }
        return chosen
    }

    // MARK: The end

    /// Stores whose turn it is and the states of rates.
    mutating func finish() throws(PostgresFailure) {
        let rates = gate.takeChangedRates()
        if !rates.isEmpty { lines.note(starts: gate) }
        for (name, state) in rates where name.key == nil { opened[name.queue]?.row.rate = state }
        try table.put(opened.values.filter(\.hasChosen).map(\.row).sorted { $0.name < $1.name })
        try table.put(rates.filter { $0.name.key != nil })
    }

    /// Notes which queues have nothing that can begin. After `read`.
    mutating func settle() {
        for (name, queue) in opened {
            switch gate.obstacle(of: name, now: now) {
            case .rate(_, let opens): lines.sleep(name, until: opens)
            case .some: lines.sleep(name, until: nil)
            case nil:
                if queue.isCut || needsMore { continue }
                var alarm = queue.alarm
                var isOpen = false
                for (line, heads) in places where line.queue == name && !heads.isEmpty {
                    switch gate.obstacle(to: line, now: now) {
                    case nil: isOpen = true
                    case .rate(_, let opens): alarm = min(alarm ?? opens, opens)
                    case .some: break
                    }
                }
                if !isOpen { lines.sleep(name, until: alarm) }
            }
        }
    }
}
