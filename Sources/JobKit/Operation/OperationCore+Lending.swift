internal import Synchronization

// DESIGN
// Work that waits for another operation would keep the place in which it runs from the very operation that it waits
// for. So it lends its place: to that one, or to whatever that one waits for in turn, one at a time. When the wait is
// over the place is its own again, and it never has to stand in line for it: others might wait for it meanwhile.

/// Waiting for another operation inside of an operation's work.
extension OperationCore {
    /// The operation whose work the current task does; nil outside of operations.
    @TaskLocal static var current: OperationCore?

    /// A wait of an operation for another one, with what was lent for as long.
    struct Awaiting {
        fileprivate let ticket: UInt64
        fileprivate let loans: [(pool: SlotPool, number: UInt64)]
    }

    /// Does `body`, which returns when this one is over. Whoever waits shows it, and lends its place meanwhile.
    func whileAwaited<Value>(_ body: () async -> Value) async -> Value {
        guard let waiting = Self.current, waiting !== self, ending == nil else { return await body() }
        let wait = waiting.beginAwaiting(self)
        defer { waiting.endAwaiting(wait) }
        return await body()
    }

    private func beginAwaiting(_ other: OperationCore) -> Awaiting {
        let ticket = standing.withLock { standing in
            let ticket = standing.newTicket()
            standing.awaited[ticket] = other
            return ticket
        }
        let loans = placeHolders.map { holder in
            let pool = holder.queue.slots
            return (pool, pool.lend(placeOf: holder) { Set(other.needed.map { ObjectIdentifier($0) }) })
        }
        // Somebody who stands in line may be needed by this wait alone, and by one that began before.
        for pool in Self.pools(of: other.needed) { pool.offerLoans() }
        return Awaiting(ticket: ticket, loans: loans)
    }

    private func endAwaiting(_ wait: Awaiting) {
        standing.withLock { _ = $0.awaited.removeValue(forKey: wait.ticket) }
        for loan in wait.loans { loan.pool.endLoan(loan.number) }
    }

    /// Those in whose places its work runs: itself and those around it, as far as their places are counted.
    private var placeHolders: [OperationCore] {
        var holders: [OperationCore] = []
        var next: OperationCore? = self
        while let core = next {
            if core.queue.slots.capacity != nil, core.standing.withLock({ $0.holdsSlot }) {
                holders.append(core)
            }
            next = core.queue.parent
        }
        return holders
    }

    /// What has to go on so that this one ends: itself, what it waits for, what that waits for, and so on.
    private var needed: [OperationCore] {
        var found: [OperationCore] = []
        var seen: Set<ObjectIdentifier> = []
        var open = [self]
        while let core = open.popLast() {
            guard seen.insert(ObjectIdentifier(core)).inserted else { continue }
            let more = core.standing.withLock { standing -> [OperationCore]? in
                guard standing.ending == nil else { return nil }
                return standing.edges.map(\.core) + standing.children + standing.awaited.values
            }
            guard let more else { continue }
            found.append(core)
            open += more
            if let parent = core.queue.parent, core.queue.beginsNothing { open.append(parent) }
            if let unique = core.settings.unique,
                let wait = core.environment.uniqueness.wait(of: core, for: unique.key)
            {
                open.append(wait.holder)
            }
        }
        return found
    }

    private static func pools(of cores: [OperationCore]) -> [SlotPool] {
        var pools: [SlotPool] = []
        for core in cores where core.standing.withLock({ $0.waitsForSlot }) {
            let pool = core.queue.slots
            if !pools.contains(where: { $0 === pool }) { pools.append(pool) }
        }
        return pools
    }

    /// What its work waits for and is not over.
    var awaitedNow: [OperationCore] {
        standing.withLock { Array($0.awaited.values) }.filter { $0.ending == nil }
    }
}
