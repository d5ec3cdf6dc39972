internal import Synchronization

// DESIGN
// Work that waits for another operation would keep its slot from the very operation that it waits for. So it lends its
// slot: to that one, or to a dependency of that one, one at a time. After the wait it has its slot back without
// queueing for it: others might wait for it meanwhile.

/// The slots that an operation lends while its work waits for another one.
struct SlotLoan {
    private let lender: OperationCore
    private let ticket: UInt64
    private let loans: [(pool: SlotPool, number: UInt64)]

    /// Begins the wait of `lender` for `borrower`.
    init(from lender: OperationCore, to borrower: OperationCore) {
        self.lender = lender
        ticket = lender.parts.withLock { $0.waits.begin(awaiting: borrower) }
        loans = Self.slotHolders(around: lender).map { holder in
            let pool = holder.queue.slots
            let number = pool.lend(slotOf: holder) {
                Set(Self.needed(by: borrower).map { ObjectIdentifier($0) })
            }
            return (pool, number)
        }
        // A queued operation may be needed by this wait alone, or by an earlier one.
        for pool in Self.pools(of: Self.needed(by: borrower)) { pool.offerLoans() }
    }

    /// The wait is over.
    func end() {
        lender.parts.withLock { $0.waits.end(ticket) }
        for loan in loans { loan.pool.endLoan(loan.number) }
    }

    /// The operations whose slots the work of `core` occupies: itself and the outer ones, as far as their slots are
    /// counted.
    private static func slotHolders(around core: OperationCore) -> [OperationCore] {
        var holders: [OperationCore] = []
        var next: OperationCore? = core
        while let core = next {
            if core.queue.slots.capacity != nil, core.parts.withLock({ $0.slot.isHeld }) {
                holders.append(core)
            }
            next = core.queue.parent
        }
        return holders
    }

    /// All operations that must proceed before `core` can end: itself, its dependencies, and so on, transitively.
    private static func needed(by core: OperationCore) -> [OperationCore] {
        var found: [OperationCore] = []
        var seen: Set<ObjectIdentifier> = []
        var open = [core]
        while let core = open.popLast() {
            guard seen.insert(ObjectIdentifier(core)).inserted else { continue }
            let more = core.parts.withLock { parts -> [OperationCore]? in
                guard parts.life.state != .finished else { return nil }
                return parts.links.edges.map(\.core) + parts.links.children + parts.waits.awaited.values
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
        for core in cores where core.parts.withLock({ $0.slot.isWaiting }) {
            let pool = core.queue.slots
            if !pools.contains(where: { $0 === pool }) { pools.append(pool) }
        }
        return pools
    }
}

extension OperationCore {
    /// The operation whose work the current task does; nil outside of operations.
    @TaskLocal static var current: OperationCore?

    /// Runs `body`, which returns when this operation is over. The waiting operation shows the wait, and lends its slot
    /// meanwhile.
    func whileAwaited<Value>(_ body: () async -> Value) async -> Value {
        guard let waiting = Self.current, waiting !== self, ending == nil else { return await body() }
        let loan = SlotLoan(from: waiting, to: self)
        defer { loan.end() }
        return await body()
    }

    /// The unfinished operations that its work waits for.
    var awaitedNow: [OperationCore] {
        parts.withLock { Array($0.waits.awaited.values) }.filter { $0.ending == nil }
    }
}
