import Testing

@testable import CurlHTTP

/// Numbers that are the same in each run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The line as one would write it without a thought for time: lists that are searched.
private struct NaiveLine {
    struct Waiter: Equatable {
        let number: Int
        let place: Int
        let caller: Int
    }

    let limits: TransferLine<Int>.Limits
    var inFlight: [Int: Int] = [:]
    var multiplexed: Set<Int> = []
    var waiters: [Waiter] = []
    /// The callers of each place, and the places with room, in the order of their turns.
    var callers: [Int: [Int]] = [:]
    var open: [Int] = []

    func count(_ place: Int) -> Int { inFlight[place, default: 0] }

    func hasRoom(_ place: Int) -> Bool {
        count(place) < limits.connectionsPerPlace * (multiplexed.contains(place) ? limits.streams : 1)
    }

    func connections(_ place: Int, more: Int = 0) -> Int {
        let calls = count(place) + more
        return multiplexed.contains(place) ? (calls + limits.streams - 1) / limits.streams : calls
    }

    var connections: Int { inFlight.keys.reduce(0) { $0 + connections($1) } }

    func needsConnection(_ place: Int) -> Bool { connections(place, more: 1) > connections(place) }

    mutating func order() {
        for place in Set(waiters.map(\.place)).union(open).sorted() {
            let isOpen = hasRoom(place) && waiters.contains { $0.place == place }
            if !isOpen { open.removeAll { $0 == place } }
            if isOpen, !open.contains(place) { open.append(place) }
            callers[place, default: []].removeAll { caller in
                !waiters.contains { $0.place == place && $0.caller == caller }
            }
        }
    }

    mutating func begin(_ place: Int) -> Bool {
        guard !waiters.contains(where: { $0.place == place }), hasRoom(place) else { return false }
        if needsConnection(place), !open.isEmpty || connections >= limits.connections { return false }
        inFlight[place, default: 0] += 1
        return true
    }

    mutating func wait(_ waiter: Waiter) {
        waiters.append(waiter)
        if !callers[waiter.place, default: []].contains(waiter.caller) {
            callers[waiter.place, default: []].append(waiter.caller)
        }
        order()
    }

    mutating func withdraw(_ number: Int) {
        waiters.removeAll { $0.number == number }
        order()
    }

    mutating func next() -> Waiter? {
        guard let place = open.first, !needsConnection(place) || connections < limits.connections,
            let caller = callers[place]?.first,
            let index = waiters.firstIndex(where: { $0.place == place && $0.caller == caller })
        else { return nil }
        open.append(open.removeFirst())
        callers[place]?.removeFirst()
        callers[place]?.append(caller)
        inFlight[place, default: 0] += 1
        defer { order() }
        return waiters.remove(at: index)
    }

    mutating func leave(_ place: Int) {
        inFlight[place, default: 0] -= 1
        order()
    }

    mutating func note(_ isMultiplexed: Bool, _ place: Int) {
        if isMultiplexed { multiplexed.insert(place) } else { multiplexed.remove(place) }
        order()
    }
}

/// A line behind a reference, since expectations do not change values.
private final class Line {
    var line: TransferLine<Int>

    init(_ limits: TransferLine<Int>.Limits) { line = TransferLine(limits) }

    func place(_ number: Int) -> Int {
        line.place(of: TransferLine.Key(route: number % 2, host: "host-\(number)", port: 80))
    }

    func begin(at place: Int) -> Bool { line.begin(at: place) }
    func wait(_ number: Int, at place: Int, by caller: Int = 0) -> Int {
        line.wait(number, at: place, by: caller)
    }
    func next() -> (element: Int, place: Int)? { line.next() }
    func leave(_ place: Int) { line.leave(place) }
    func note(isMultiplexed: Bool, at place: Int) { line.note(isMultiplexed: isMultiplexed, at: place) }
    func inFlight(at place: Int) -> Int { line.inFlight(at: place) }
    var waitingCount: Int { line.waitingCount }
    var connections: Int { line.connections }
}

@Suite struct `The line for connections` {
    private func line(_ perPlace: Int, _ all: Int, streams: Int = 100) -> Line {
        Line(
            TransferLine.Limits(connectionsPerPlace: perPlace, connections: all, streams: streams))
    }

    @Test(arguments: 0..<60)
    func `does what a naive one does`(seed: UInt64) {
        var numbers = Numbers(state: seed)
        let limits = TransferLine<Int>.Limits(
            connectionsPerPlace: .random(in: 1...4, using: &numbers),
            connections: .random(in: 1...12, using: &numbers), streams: .random(in: 1...3, using: &numbers))
        let placeCount = Int.random(in: 1...6, using: &numbers)
        let line = Line(limits)
        var naive = NaiveLine(limits: limits)
        var tickets: [Int: Int] = [:]
        var running: [(number: Int, place: Int, index: Int)] = []
        for number in 0..<600 {
            let place = Int.random(in: 0..<placeCount, using: &numbers)
            let index = line.place(place)
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<4:
                let begins = line.begin(at: index)
                #expect(begins == naive.begin(place))
                if begins {
                    running.append((number, place, index))
                } else {
                    let caller = Int.random(in: 0..<3, using: &numbers)
                    tickets[number] = line.wait(number, at: index, by: caller)
                    naive.wait(NaiveLine.Waiter(number: number, place: place, caller: caller))
                }
            case 4..<8 where !running.isEmpty:
                let ended = running.remove(at: .random(in: running.indices, using: &numbers))
                line.leave(ended.index)
                naive.leave(ended.place)
            case 8 where !tickets.isEmpty:
                let gone = tickets.keys.sorted()[.random(in: 0..<tickets.count, using: &numbers)]
                if let ticket = tickets.removeValue(forKey: gone) { line.line.withdraw(ticket) }
                naive.withdraw(gone)
            default:
                let isMultiplexed = Bool.random(using: &numbers)
                line.note(isMultiplexed: isMultiplexed, at: index)
                naive.note(isMultiplexed, place)
            }
            while true {
                let (real, expected) = (line.next(), naive.next())
                #expect(real?.element == expected?.number)
                guard let real, let expected else { break }
                tickets[real.element] = nil
                running.append((expected.number, expected.place, real.place))
            }
            #expect(line.waitingCount == naive.waiters.count)
            #expect(line.connections == naive.connections)
            #expect(Set(line.line.waiting) == Set(naive.waiters.map(\.number)))
        }
    }

    @Test func `has room for as many as the limit, then each end is a turn`() {
        let line = line(2, 100)
        let place = line.place(0)
        #expect(line.begin(at: place))
        #expect(line.begin(at: place))
        #expect(!line.begin(at: place))
        for number in 0..<500 { _ = line.wait(number, at: place) }
        #expect(line.next() == nil)
        for number in 0..<500 {
            line.leave(place)
            #expect(line.next()?.element == number)
            #expect(line.next() == nil)
            #expect(line.inFlight(at: place) == 2)
        }
        #expect(line.waitingCount == 0)
    }

    @Test func `lets callers take turns, each in its order`() {
        let line = line(1, 100)
        let place = line.place(0)
        #expect(line.begin(at: place))
        for number in 0..<100 { _ = line.wait(number, at: place, by: 7) }
        for number in 100..<103 { _ = line.wait(number, at: place, by: 8) }
        var order: [Int] = []
        for _ in 0..<103 {
            line.leave(place)
            if let next = line.next() { order.append(next.element) }
        }
        #expect(order.prefix(7) == [0, 100, 1, 101, 2, 102, 3])
        #expect(order.filter { $0 < 100 } == Array(0..<100))
    }

    @Test func `lets places take turns when all connections are in use`() {
        let line = line(10, 2)
        let (full, other) = (line.place(0), line.place(1))
        #expect(line.begin(at: full))
        #expect(line.begin(at: full))
        for number in 0..<4 { _ = line.wait(number, at: full) }
        #expect(!line.begin(at: other))
        _ = line.wait(10, at: other)
        line.leave(full)
        // A new one does not overtake those that wait elsewhere.
        #expect(!line.begin(at: line.place(2)))
        #expect(line.next()?.element == 0)
        line.leave(full)
        #expect(line.next()?.element == 10)
        #expect(line.next() == nil)
    }

    @Test func `counts streams once connections are multiplexed`() {
        let line = line(2, 3, streams: 10)
        let place = line.place(0)
        #expect(line.begin(at: place))
        #expect(line.begin(at: place))
        for number in 0..<30 { _ = line.wait(number, at: place) }
        #expect(line.next() == nil)
        line.note(isMultiplexed: true, at: place)
        #expect(line.connections == 1)
        for number in 0..<18 { #expect(line.next()?.element == number) }
        #expect(line.next() == nil)
        #expect(line.connections == 2)
        // One of another place has the last connection.
        #expect(line.begin(at: line.place(1)))
        line.note(isMultiplexed: false, at: place)
        for _ in 0..<18 { line.leave(place) }
        #expect(line.next() == nil)
        line.leave(place)
        #expect(line.next()?.element == 18)
        #expect(line.connections == 3)
    }

    @Test func `forgets places that are not in use, and no others`() {
        let line = line(4, 100)
        let busy = line.place(-2)
        #expect(line.begin(at: busy))
        var places: Set<Int> = [busy]
        for number in 0..<5_000 {
            let place = line.place(number)
            #expect(place != busy)
            places.insert(place)
            #expect(line.begin(at: place))
            line.leave(place)
        }
        #expect(places.count <= 512)
        #expect(line.place(-2) == busy)
        #expect(line.inFlight(at: busy) == 1)
        #expect(line.connections == 1)
    }

    @Test func `remembers that connections are multiplexed while nothing is in flight`() {
        let line = line(1, 1, streams: 2)
        let place = line.place(0)
        #expect(line.begin(at: place))
        line.note(isMultiplexed: true, at: place)
        line.leave(place)
        #expect(line.begin(at: line.place(0)))
        #expect(line.begin(at: line.place(0)))
        #expect(!line.begin(at: line.place(0)))
    }

    @Test func `has at least one connection, whatever its limits say`() {
        let line = line(0, -1, streams: 0)
        let place = line.place(0)
        #expect(line.begin(at: place))
        #expect(!line.begin(at: place))
        #expect(
            TransferLine<Int>.Limits(connectionsPerPlace: .max, connections: .max, streams: .max)
                .streamsPerPlace == .max)
    }
}
