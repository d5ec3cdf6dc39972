import JobKit
import JobSpec
import JobStore
import Testing

/// A gate with the jobs of its lines, as a store has them.
private struct Desk {
    var gate = QueueGate()
    private var lines: [QueueGate.Line: [QueuePlace]] = [:]
    private var lastNumber: Int64 = 0
    private var running: [Int64: QueueGate.Line] = [:]

    mutating func configure(_ queue: String, _ change: (inout QueueSpec) -> Void = { _ in }) {
        var spec = QueueSpec()
        change(&spec)
        gate.configure(queue, spec, running: running.map { (number: $0.key, line: $0.value) })
    }

    /// Adds jobs, one after another.
    mutating func add(
        _ count: Int = 1, _ key: String? = nil, to queue: String = "mail", priority: Int = 5,
        at second: Int64 = 0
    ) {
        for _ in 0..<count {
            lastNumber += 1
            let line = QueueGate.Line(queue: queue, key: key, priority: priority)
            let place = QueuePlace(time: .noon(second), number: lastNumber)
            lines[line, default: []].append(place)
            gate.enter(line, place)
        }
    }

    /// Lets the next job begin.
    mutating func begin(at second: Int64 = 0) -> QueueGate.Line? {
        guard let choice = gate.next(now: .noon(second)) else { return nil }
        gate.noteTurn(of: choice.line.queue)
        gate.takeRate(choice.line, now: .noon(second), ready: choice.place.time)
        let place = lines[choice.line]?.removeFirst()
        #expect(place == choice.place)
        gate.leave(choice.line, next: lines[choice.line]?.first)
        gate.begin(choice.place.number, choice.line)
        running[choice.place.number] = choice.line
        return choice.line
    }

    /// Lets all jobs begin that may.
    mutating func beginAll(at second: Int64 = 0) -> [String?] {
        var keys: [String?] = []
        while let line = begin(at: second) { keys.append(line.key) }
        return keys
    }

    /// Ends the running job that began first, of a key.
    mutating func end(_ key: String? = nil) {
        guard let number = running.filter({ key == nil || $0.value.key == key }).keys.min() else { return }
        running[number] = nil
        gate.end(number)
    }
}

@Suite struct `The gate of queues` {
    @Test func `is the same after a restart`() {
        var gate = QueueGate()
        var spec = QueueSpec()
        spec.total.concurrency = 2
        let line = QueueGate.Line(queue: "mail", key: "a", priority: 5)
        gate.configure("mail", spec, running: [(number: 9, line: line)])
        gate.restore(line, count: 2, head: QueuePlace(time: .noon, number: 1))
        #expect(gate.standings(now: .noon).map(\.waiting) == [2])
        #expect(gate.standings(now: .noon).map(\.running) == [1])
        for number in [1, 2] as [Int64] {
            #expect(gate.next(now: .noon)?.place.number == number)
            gate.leave(line, next: number == 1 ? QueuePlace(time: .noon, number: 2) : nil)
        }
        #expect(gate.next(now: .noon)?.place == nil)
        #expect(gate.waiting == 0)
        gate.begin(1, line)
        #expect(gate.standings(now: .noon).map(\.obstacle) == [.concurrency(running: 2, of: 2)])
    }

    @Test func `lets as many run as may, and the next when one ends`() {
        var desk = Desk()
        desk.configure("mail") { $0.total.concurrency = 2 }
        desk.add(5)
        #expect(desk.beginAll().count == 2)
        desk.end()
        #expect(desk.beginAll().count == 1)
        desk.end()
        desk.end()
        #expect(desk.beginAll().count == 2)
        #expect(desk.gate.waiting == 0)
    }

    @Test func `counts what ran before the queue had a limit`() {
        var desk = Desk()
        desk.configure("mail")
        desk.add(3)
        #expect(desk.beginAll().count == 3)
        desk.configure("mail") { $0.total.concurrency = 2 }
        desk.add(2)
        #expect(desk.beginAll().isEmpty)
        desk.end()
        #expect(desk.beginAll().isEmpty)
        desk.end()
        #expect(desk.beginAll().count == 1)
    }

    @Test func `lets keys take turns`() {
        var desk = Desk()
        desk.configure("mail") { $0.total.concurrency = 1 }
        desk.add(1_000, "big")
        desk.add(3, "small")
        var order: [String] = []
        for _ in 0..<8 {
            order += desk.beginAll().map { $0 ?? "" }
            desk.end()
        }
        #expect(order == ["big", "small", "big", "small", "big", "small", "big", "big"])
    }

    @Test func `lets the oldest be first with fifo`() {
        var desk = Desk()
        desk.configure("mail") { $0.order = .fifo }
        desk.add(2, "big", at: 1)
        desk.add(1, "small", at: 2)
        desk.add(1, "big", at: 3)
        #expect(desk.beginAll() == ["big", "big", "small", "big"])
    }

    @Test(arguments: QueueSpec.Order.allCases)
    func `leaves no room idle because a key is at its limit`(_ order: QueueSpec.Order) {
        var desk = Desk()
        desk.configure("mail") { spec in
            spec.order = order
            spec.total.concurrency = 4
            spec.perKey.concurrency = 1
        }
        desk.add(10, "a")
        desk.add(2, "b")
        desk.add(2)
        #expect(Set(desk.beginAll()) == ["a", "b", nil])
        desk.add(1, "c")
        desk.end("a")
        #expect(desk.beginAll().count == 1)
        desk.end("b")
        #expect(desk.beginAll().count == 1)
    }

    @Test func `puts priority before turns`() {
        var desk = Desk()
        desk.configure("mail")
        desk.add(2, "a", priority: 1)
        desk.add(2, "b", priority: 9)
        desk.add(1, "a", priority: 9)
        #expect(desk.beginAll() == ["b", "a", "b", "a", "a"])
    }

    @Test func `lets queues of one priority and all other jobs take turns`() {
        var desk = Desk()
        for queue in ["x", "y"] {
            desk.configure(queue)
            desk.add(3, to: queue)
        }
        var order: [String] = []
        for _ in 0..<6 {
            switch desk.gate.turn(now: .noon, other: 5) {
            case .other:
                desk.gate.noteTurn(of: nil)
                order.append("other")
            default: order.append(desk.begin()?.queue ?? "none")
            }
        }
        #expect(Set(order[0..<3]) == ["x", "y", "other"])
        #expect(Set(order[3..<6]) == ["x", "y", "other"])
    }

    @Test func `lets nothing of a paused queue begin`() {
        var desk = Desk()
        desk.configure("mail") { $0.isPaused = true }
        desk.add(2)
        #expect(desk.beginAll().isEmpty)
        #expect(desk.gate.opening(now: .noon) == nil)
        desk.configure("mail")
        #expect(desk.gate.opening(now: .noon) == .noon)
        #expect(desk.beginAll().count == 2)
    }

    @Test func `tells when a rate lets the next begin`() {
        var desk = Desk()
        desk.configure("mail") { $0.total.rate = RateLimit(count: 1, per: .seconds(10)) }
        desk.add(3)
        #expect(desk.beginAll().count == 1)
        #expect(desk.gate.opening(now: .noon(1)) == .noon(10))
        #expect(desk.beginAll(at: 9).isEmpty)
        #expect(desk.beginAll(at: 10).count == 1)
        let kept = desk.gate.takeChangedRates()
        #expect(kept.map(\.name) == [QueueGate.RateName(queue: "mail", key: nil)])
        #expect(desk.gate.takeChangedRates().isEmpty)
    }

    @Test func `counts jobs for a rate from the time at which their claims are durable`() {
        var desk = Desk()
        desk.configure("mail") {
            $0.total.rate = RateLimit(count: 10, per: .seconds(10), burst: 5)
            $0.perKey.rate = RateLimit(count: 1, per: .seconds(10), burst: 2)
        }
        desk.add(20)
        desk.add(5, "a")
        #expect(desk.beginAll().count == 5)
        _ = desk.gate.takeChangedRates()
        desk.gate.noteStored(at: .noon(3))
        #expect(desk.beginAll(at: 3).isEmpty)
        #expect(desk.beginAll(at: 4).count == 1)
        // As the burst is used up, a slow write holds nothing back.
        _ = desk.gate.takeChangedRates()
        desk.gate.noteStored(at: .noon(5))
        #expect(desk.beginAll(at: 5).count == 1)
        // The clock was set.
        _ = desk.gate.takeChangedRates()
        desk.gate.noteStored(at: .noon(9_000))
        #expect(desk.beginAll(at: 6).count == 1)
    }

    @Test func `tells which rates a slow write has left too low`() {
        var desk = Desk()
        desk.configure("mail") {
            $0.total.rate = RateLimit(count: 10, per: .seconds(10), burst: 5)
            $0.perKey.rate = RateLimit(count: 1, per: .seconds(10), burst: 2)
        }
        desk.add(20)
        desk.add(5, "a")
        #expect(desk.beginAll().count == 5)
        let stored = desk.gate.takeChangedRates().first { $0.name.key == nil }
        // The burst makes up for that.
        #expect(desk.gate.lateRates(at: .noon(5)).isEmpty)
        let late = desk.gate.lateRates(at: .noon(6)).first { $0.name.key == nil }
        #expect(late?.state.next == stored.map { $0.state.next + 6_000_000_000 })
        // The clock was set.
        #expect(desk.gate.lateRates(at: .noon(9_000)).isEmpty)
    }

    @Test func `has a rate for each key`() {
        var desk = Desk()
        desk.configure("mail") { $0.perKey.rate = RateLimit(count: 1, per: .seconds(10)) }
        desk.add(2, "a")
        desk.add(2, "b")
        desk.add(2)
        #expect(desk.beginAll().map { $0 ?? "" }.sorted() == ["", "", "a", "b"])
        #expect(desk.gate.opening(now: .noon) == .noon(10))
        #expect(desk.beginAll(at: 10).map { $0 ?? "" }.sorted() == ["a", "b"])
    }

    @Test func `lets keys begin by their new rate when it was changed`() {
        var desk = Desk()
        desk.configure("mail") { $0.perKey.rate = RateLimit(count: 1, per: .seconds(86_400)) }
        desk.add(3, "a")
        #expect(desk.beginAll() == ["a"])
        #expect(desk.gate.opening(now: .noon) == .noon(86_400))
        desk.configure("mail") { $0.perKey.rate = RateLimit(count: 1, per: .seconds(10)) }
        #expect(desk.beginAll() == ["a"])
        #expect(desk.gate.opening(now: .noon) == .noon(10))
        #expect(desk.beginAll(at: 9).isEmpty)
        #expect(desk.beginAll(at: 10) == ["a"])
    }

    @Test func `lets the line of a queue whose configuration is gone drain`() {
        var desk = Desk()
        desk.configure("mail") { $0.isPaused = true }
        desk.add(2)
        desk.gate.configure("mail", nil, running: [])
        #expect(!desk.gate.governs("mail"))
        #expect(desk.beginAll().count == 2)
        #expect(desk.gate.isIdle)
    }

    @Test func `tells how many come before a job`() throws {
        var desk = Desk()
        desk.configure("mail") { $0.total.concurrency = 1 }
        desk.add(1_000, "big")
        desk.add(3, "small")
        desk.add(1, "big", priority: 9)
        let line = QueueGate.Line(queue: "mail", key: "small", priority: 5)
        let standing = desk.gate.standing(of: line, QueuePlace(time: .noon, number: 1_002), now: .noon) { _ in
            1
        }
        // The urgent one, the one of the same key before it, and two of the other key.
        #expect(standing?.ahead == 4)
    }

    @Test func `lists the keys with the most jobs`() {
        var desk = Desk()
        desk.configure("mail") { $0.perKey.concurrency = 1 }
        desk.add(2, "a")
        desk.add(3, "b")
        desk.add(9)
        _ = desk.begin()
        let keys = desk.gate.busiestKeys(of: "mail", 10, now: .noon)
        #expect(keys.map(\.key) == ["b", "a"])
        #expect(keys.map { $0.waiting + $0.running } == [3, 2])
    }

    @Test func `keeps turns in a small space`() {
        var desk = Desk()
        desk.configure("mail") { $0.total.concurrency = 1 }
        for key in 0..<200 { desk.add(20, "k\(key)") }
        var counts: [String: Int] = [:]
        for _ in 0..<2_000 {
            if let line = desk.begin() { counts[line.key ?? "", default: 0] += 1 }
            desk.end()
        }
        #expect(counts.count == 200)
        #expect(counts.values.allSatisfy { $0 == 10 })
    }
}
