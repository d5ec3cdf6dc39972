internal import JobStore

/// The waiting writes of several owners, a lane for each. The work of adding and taking one grows with the logarithm of
/// the number of lanes.
@usableFromInline
struct WriteLanes<Write: WaitingWrite>: Sendable {
    private struct Lane {
        var writes = Queue<Write>()
        var bytes = 0
        /// The start of the first write.
        var start: Int64 = 0
    }

    private var lanes: [String: Lane] = [:]
    /// The lanes by the starts of their first writes.
    private var order = TurnHeap()
    @usableFromInline private(set) var count = 0
    /// The start of the write that was taken last.
    @usableFromInline var clock: Int64 = 0
    /// The finishes after `clock` of owners without a lane.
    private var finishes: [String: Int64] = [:]
    /// The number of finishes at which those that the clock has passed are forgotten.
    private var finishesMax = 64
    /// The number of lanes that began so far: of two equal starts the earlier lane's comes first.
    private var begun: Int64 = 0

    @usableFromInline
    init() {}

    @usableFromInline var isEmpty: Bool { count == 0 }

    mutating func add(_ write: Write) { add(write, after: 0) }

    /// Adds the writes of one owner, the first of which has a start.
    mutating func begin(_ writes: [Write], _ start: Int64) {
        for write in writes { add(write, after: start) }
    }

    /// Keeps the finish of the last write of an owner.
    mutating func remember(_ owner: String, _ finish: Int64) {
        guard finish > clock else { return }
        finishes[owner] = finish
        guard finishes.count > finishesMax else { return }
        finishes = finishes.filter { $0.value > clock }
        finishesMax = max(64, 2 * finishes.count)
    }

    /// The start of the next write of an owner without a lane.
    mutating func start(of owner: String) -> Int64 {
        max(clock, finishes.removeValue(forKey: owner) ?? clock)
    }

    private mutating func add(_ write: Write, after finish: Int64) {
        count += 1
        if lanes[write.owner] == nil {
            let start = max(finish, start(of: write.owner))
            lanes[write.owner] = Lane(start: start)
            begun += 1
            order.insert(TurnHeap.Entry(rank: start, second: begun, ticket: begun, key: write.owner))
        }
        lanes[write.owner]?.writes.append(write)
        lanes[write.owner]?.bytes += write.bytes
    }

    /// Takes the writes that come next; see `WriteTurns.next`.
    mutating func next(_ limit: Int, _ costMax: Int, takesOne: Bool) -> [Write] {
        var taken: [Write] = []
        var spent = 0
        while taken.count < limit, let turn = order.first, var lane = lanes.removeValue(forKey: turn.key) {
            // Puts the lane back in any case but the last of its writes.
            defer {
                if lane.writes.isEmpty { remember(turn.key, lane.start) } else { lanes[turn.key] = lane }
            }
            guard let write = lane.writes.first else { break }
            if !(takesOne && taken.isEmpty), spent + write.cost > costMax { break }
            _ = lane.writes.popFirst()
            taken.append(write)
            count -= 1
            spent += write.cost
            clock = lane.start
            lane.bytes -= write.bytes
            lane.start += Int64(write.cost)
            order.removeFirst()
            if !lane.writes.isEmpty {
                order.insert(
                    TurnHeap.Entry(
                        rank: lane.start, second: turn.second, ticket: turn.ticket, key: turn.key))
            }
        }
        return taken
    }

    /// Takes the lane that is left when all others are empty; nil while there are several.
    mutating func takeLast() -> (owner: String, writes: [Write], start: Int64)? {
        guard lanes.count == 1, let (owner, lane) = lanes.first else { return nil }
        forgetLanes()
        return (owner, lane.writes.rest, lane.start)
    }

    /// Takes all writes, those of one owner in order.
    mutating func takeAll() -> [Write] {
        let (all, left) = (lanes.values.flatMap(\.writes.rest), lanes)
        forgetLanes()
        for (owner, lane) in left { remember(owner, lane.start) }
        return all
    }

    private mutating func forgetLanes() { (lanes, order, count) = ([:], TurnHeap(), 0) }

    func standing(of owner: String) -> (first: Write?, count: Int, bytes: Int) {
        guard let lane = lanes[owner] else { return (nil, 0, 0) }
        return (lane.writes.first, lane.writes.count, lane.bytes)
    }

    var firsts: [Write] { lanes.values.compactMap(\.writes.first) }
}
