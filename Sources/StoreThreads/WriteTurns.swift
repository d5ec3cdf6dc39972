// DESIGN
// One thread writes for all tenants. Handed out first come, first served, the writes of one that sends a lot would hold
// up those of all others. So tenants take turns by cost (start-time fair queueing): each write has a start, which is
// the finish of its tenant's write before it, or the start of the write that was taken last when that is later; the
// least start comes first. So the write of a tenant that has little is the next to be taken, and the writes of one
// tenant keep their order. A finish is remembered when no write of its tenant waits any more: a tenant that sends a
// large write at each answer would be first for ever otherwise.
//
// As long as all waiting writes are of one tenant, which is always so on a server without tenants, they are an array in
// the order of their arrival.

/// A write that waits for a writer.
@usableFromInline
package protocol WaitingWrite: Sendable {
    /// The name of the tenant to whom the write belongs; empty for the server, and for jobs without a tenant.
    var owner: String { get }
    /// Its approximate size, in bytes.
    var bytes: Int { get }
    /// Its cost to the writer, in bytes: its size, and `WriteCost.row` for each row.
    var cost: Int { get }
}

/// The waiting writes of tenants, who take turns by cost; those of one tenant keep their order.
@usableFromInline
package struct WriteTurns<Write: WaitingWrite>: Sendable {
    /// The writes while all are of one owner, in order.
    @usableFromInline var alone: [Write] = []
    /// The owner of the last write, as long as all waiting ones are of one.
    @usableFromInline var owner: String?
    /// The writes while they are of several.
    @usableFromInline var lanes = WriteLanes<Write>()
    /// The start of the first of `alone`.
    @usableFromInline var start: Int64 = 0
    @usableFromInline var waitingCost = 0
    @usableFromInline var waitingBytes = 0
    /// Whether writes of several owners have come so far.
    package private(set) var hasSeveralOwners = false

    package init() {}

    @inlinable package var isEmpty: Bool { alone.isEmpty && lanes.isEmpty }

    @inlinable package var count: Int { alone.count + lanes.count }

    /// The cost of all waiting writes.
    @inlinable package var cost: Int { waitingCost }

    /// Adds a write behind those of its owner.
    @inlinable
    package mutating func add(_ write: Write) {
        waitingCost += write.cost
        waitingBytes += write.bytes
        if lanes.isEmpty, owner == write.owner { return alone.append(write) }
        addAnother(write)
    }

    /// Adds the write of another owner than the last one's.
    @usableFromInline
    mutating func addAnother(_ write: Write) {
        if !lanes.isEmpty { return lanes.add(write) }
        if owner != nil { hasSeveralOwners = true }
        if alone.isEmpty {
            if let owner { lanes.remember(owner, start) }
            start = lanes.start(of: write.owner)
            owner = write.owner
            return alone.append(write)
        }
        lanes.begin(alone, start)
        (alone, owner) = ([], nil)
        lanes.add(write)
    }

    /// Takes the writes that come next.
    /// - Parameters:
    ///   - limit: their maximum number.
    ///   - costMax: their maximum total cost.
    ///   - takesOne: whether the first is taken whatever it costs.
    @inlinable
    package mutating func next(_ limit: Int, costMax: Int = .max, takesOne: Bool = true) -> [Write] {
        if !lanes.isEmpty { return nextInTurn(limit, costMax, takesOne: takesOne) }
        if alone.count <= limit, waitingCost <= costMax {
            let taken = alone
            alone = []
            alone.reserveCapacity(64)
            if let last = taken.last { pass(waitingCost, last.cost) }
            (waitingCost, waitingBytes) = (0, 0)
            return taken
        }
        var spent = 0
        let taken = Array(
            alone.prefix(limit).prefix { write in
                defer { spent += write.cost }
                return (takesOne && spent == 0) || spent + write.cost <= costMax
            })
        alone.removeFirst(taken.count)
        if let last = taken.last { pass(taken.reduce(0) { $0 + $1.cost }, last.cost) }
        forget(taken)
        return taken
    }

    /// Goes on to the start behind the writes that were taken from `alone`.
    /// - Parameters:
    ///   - total: their cost.
    ///   - last: the cost of the last.
    @inlinable
    mutating func pass(_ total: Int, _ last: Int) {
        start = max(start, lanes.clock) + Int64(total)
        lanes.clock = start - Int64(last)
    }

    @usableFromInline
    mutating func forget(_ taken: [Write]) {
        for write in taken {
            waitingCost -= write.cost
            waitingBytes -= write.bytes
        }
    }

    @usableFromInline
    mutating func nextInTurn(_ limit: Int, _ costMax: Int, takesOne: Bool) -> [Write] {
        let taken = lanes.next(limit, costMax, takesOne: takesOne)
        forget(taken)
        if let left = lanes.takeLast() { (owner, alone, start) = left }
        return taken
    }

    // MARK: Standing

    /// The first waiting write of an owner, and the number and size of all of them.
    package func standing(of owner: String) -> (first: Write?, count: Int, bytes: Int) {
        if !lanes.isEmpty { return lanes.standing(of: owner) }
        return owner == self.owner ? (alone.first, alone.count, waitingBytes) : (nil, 0, 0)
    }

    /// The first waiting write of each owner, in no order.
    package var firsts: [Write] { lanes.isEmpty ? Array(alone.prefix(1)) : lanes.firsts }

    /// Takes out the writes for which `isGone` holds, in no order.
    package mutating func remove(where isGone: (Write) -> Bool) -> [Write] {
        var gone: [Write] = []
        var kept: [Write] = []
        for write in alone + lanes.takeAll() {
            if isGone(write) { gone.append(write) } else { kept.append(write) }
        }
        (alone, waitingCost, waitingBytes) = ([], 0, 0)
        for write in kept { add(write) }
        return gone
    }
}
