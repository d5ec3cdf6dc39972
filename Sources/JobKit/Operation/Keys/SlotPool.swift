internal import Synchronization

/// The slots of a queue: at most `capacity` are taken at once, assigned by priority and then first come first served. A
/// reserved slot is assigned only to its owner.
final class SlotPool: Sendable {
    /// The answer to a request for a slot.
    enum Answer {
        case taken
        /// The task was cancelled; no slot is held.
        case cancelled
        /// No slot was free and the operation does not wait for one, or `besides` failed; no slot is held.
        case busy
    }

    private struct Waiter {
        let owner: ObjectIdentifier
        let besides: (@Sendable () -> Bool)?
        /// Nil for a kept place, whose owner has not come yet.
        var continuation: CheckedContinuation<Answer, Never>?
    }

    /// A waiter whose turn has come, and its answer.
    private struct Turn {
        let waiter: Waiter
        let answer: Answer

        func tell() { waiter.continuation?.resume(returning: answer) }
    }

    private struct Slots {
        var capacity: Int?
        var taken = 0
        /// The owners of reserved slots, which count besides those that are taken.
        var reserved: Set<ObjectIdentifier> = []
        /// The tickets of kept places.
        var places: [ObjectIdentifier: UInt64] = [:]
        var isSuspended = false
        var nextTicket: UInt64 = 0
        /// Tickets in line, by priority, made when first needed; a cancelled one is no longer in `waiters`.
        var lines: [[UInt64]] = []
        var heads: [Int] = []
        var waiters: [UInt64: Waiter] = [:]
        /// Tickets that were cancelled before they came into line.
        var cancelled: Set<UInt64> = []
        var hasFree: Bool { !isSuspended && hasRoom }
        var hasRoom: Bool { hasRoom(capacity) }

        mutating func stand(in line: Int, _ ticket: UInt64, _ waiter: Waiter) {
            if lines.isEmpty {
                lines = [[UInt64]](repeating: [], count: SlotPool.reservedLine + 1)
                heads = [Int](repeating: 0, count: SlotPool.reservedLine + 1)
            }
            waiters[ticket] = waiter
            lines[line].append(ticket)
        }

        /// Whether one that is being executed may go on: a capacity of 0 lets none begin.
        var hasRoomToReturn: Bool { hasRoom(capacity.map { max(1, $0) }) }

        private func hasRoom(_ capacity: Int?) -> Bool {
            capacity.map { taken + reserved.count < $0 } ?? true
        }
    }

    /// The line of those that lent their slot and take it again, after those of the priorities.
    private static let returningLine = 10
    /// The line of those with a reserved slot.
    private static let reservedLine = 11

    private let slots: Mutex<Slots>

    /// - Parameter capacity: how many may run at once, 0 is none; nil is no limit.
    init(capacity: Int?) { slots = Mutex(Slots(capacity: capacity.map { max(0, $0) })) }

    /// The limit of taken slots, 0 is none; nil is no limit.
    var capacity: Int? {
        get { slots.withLock { $0.capacity } }
        set {
            change { $0.capacity = newValue.map { max(0, $0) } }
        }
    }

    /// Reserves a slot for `owner` until it takes that or `cancelReservation` is called, beyond the capacity, too.
    func reserve(for owner: AnyObject) {
        _ = slots.withLock { $0.reserved.insert(ObjectIdentifier(owner)) }
    }

    /// Keeps a place in line for `owner`, who has no other way to go before it, until it takes a slot or
    /// `cancelReservation` is called: a slot that is free at once, or a slot when its turn comes, is reserved for it.
    func keepPlace(for owner: AnyObject, priority: Int) {
        let id = ObjectIdentifier(owner)
        slots.withLock { slots in
            if slots.hasFree {
                slots.reserved.insert(id)
            } else {
                slots.nextTicket += 1
                slots.places[id] = slots.nextTicket
                slots.stand(in: Self.line(priority), slots.nextTicket, Waiter(owner: id, besides: nil))
            }
        }
    }

    /// Gives up what `reserve` or `keepPlace` keeps for `owner`.
    func cancelReservation(of owner: AnyObject) {
        let id = ObjectIdentifier(owner)
        change { slots in
            slots.reserved.remove(id)
            if let place = slots.places.removeValue(forKey: id) { slots.waiters[place] = nil }
        }
    }

    private static func line(_ priority: Int) -> Int { min(9, max(0, priority)) }

    /// Takes a slot, or waits for one.
    /// - Parameters:
    ///   - owner: the requesting operation, for `ahead(of:)`.
    ///   - waits: whether it waits in line when no slot is free.
    ///   - besides: takes further resources together with a slot, when its turn has come; false when they are not free.
    ///     Then the slot goes to the next in line. Called with the pool locked.
    func take(
        priority: Int, owner: AnyObject, waits: Bool, with besides: (@Sendable () -> Bool)? = nil
    ) async -> Answer {
        let id = ObjectIdentifier(owner)
        let (ticket, answer) = slots.withLock { slots -> (UInt64, Answer?) in
            if slots.hasFree || (slots.reserved.contains(id) && !slots.isSuspended) {
                guard besides?() != false else { return (0, .busy) }
                slots.reserved.remove(id)
                slots.taken += 1
                return (0, .taken)
            }
            if !waits { return (0, .busy) }
            if let place = slots.places[id] { return (place, nil) }
            slots.nextTicket += 1
            return (slots.nextTicket, nil)
        }
        if let answer { return answer }
        return await stand(in: Self.line(priority), ticket, Waiter(owner: id, besides: besides))
    }

    /// Waits for its turn in a line.
    private func stand(in line: Int, _ ticket: UInt64, _ waiter: Waiter) async -> Answer {
        let granted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                var waiter = waiter
                waiter.continuation = continuation
                enterLine(ticket, line, waiter)
            }
        } onCancel: {
            let waiter = slots.withLock { slots -> Waiter? in
                guard slots.waiters[ticket]?.continuation != nil else {
                    slots.cancelled.insert(ticket)
                    return nil
                }
                return slots.waiters.removeValue(forKey: ticket)
            }
            waiter?.continuation?.resume(returning: .cancelled)
        }
        slots.withLock { _ = $0.cancelled.remove(ticket) }
        return granted
    }

    /// Takes the slot again that `owner` released for a wait, before all others in line, also while the pool is
    /// suspended: it is being executed. When the task is cancelled it has a slot at once, beyond the capacity if need
    /// be.
    /// - Parameter takes: whether it needs the slot when its turn has come. Called with the pool locked.
    func takeAgain(owner: AnyObject, if takes: @escaping @Sendable () -> Bool) async {
        let ticket = slots.withLock { slots -> UInt64? in
            if slots.hasRoomToReturn {
                if takes() { slots.taken += 1 }
                return nil
            }
            slots.nextTicket += 1
            return slots.nextTicket
        }
        guard let ticket else { return }
        let waiter = Waiter(owner: ObjectIdentifier(owner), besides: takes)
        guard await stand(in: Self.returningLine, ticket, waiter) == .cancelled else { return }
        slots.withLock { if takes() { $0.taken += 1 } }
    }

    /// Releases the slot of `owner`.
    /// - Parameter isReserved: whether it is reserved for `owner` from then on.
    func release(by owner: AnyObject, isReserved: Bool = false) {
        let id = ObjectIdentifier(owner)
        change { slots in
            if isReserved { slots.reserved.insert(id) }
            slots.taken -= 1
        }
    }

    /// Whether the assignment of slots is stopped.
    var isSuspended: Bool { slots.withLock { $0.isSuspended } }

    /// Stops or resumes the assignment of slots.
    /// - Parameter isSuspended: says which. Called with the pool locked, so that the last of two concurrent calls wins.
    func setSuspended(by isSuspended: () -> Bool) { change { $0.isSuspended = isSuspended() } }

    /// Whether no slot is taken.
    var isUnused: Bool { slots.withLock { $0.taken == 0 } }

    /// The number of operations that get a slot before `owner`; nil when it does not wait in line.
    func ahead(of owner: AnyObject) -> Int? {
        let id = ObjectIdentifier(owner)
        return slots.withLock { slots in
            var count = 0
            for (line, head) in zip(slots.lines, slots.heads).reversed() {
                for ticket in line[min(head, line.count)...] {
                    guard let waiter = slots.waiters[ticket] else { continue }
                    if waiter.owner == id { return count }
                    count += 1
                }
            }
            return nil
        }
    }

    /// Changes the slots and then lets in those that fit.
    private func change(_ change: (inout Slots) -> Void) {
        // The line is nearly always empty, and a released slot lets in one waiter at most.
        let (first, mayMore) = slots.withLock { slots -> (Turn?, Bool) in
            change(&slots)
            let first = Self.admitNext(&slots)
            let mayFit = slots.hasRoomToReturn || !slots.reserved.isEmpty
            return (first, first != nil && !slots.waiters.isEmpty && mayFit)
        }
        first?.tell()
        guard mayMore else { return }
        while let next = slots.withLock({ Self.admitNext(&$0) }) { next.tell() }
    }

    private func enterLine(_ ticket: UInt64, _ line: Int, _ waiter: Waiter) {
        let turn = slots.withLock { slots -> Turn? in
            if slots.cancelled.remove(ticket) != nil { return Turn(waiter: waiter, answer: .cancelled) }
            if slots.places[waiter.owner] == ticket {
                slots.places[waiter.owner] = nil
                slots.waiters[ticket] = waiter
            } else {
                let isReserved = line != Self.returningLine && slots.reserved.contains(waiter.owner)
                slots.stand(in: isReserved ? Self.reservedLine : line, ticket, waiter)
            }
            return Self.admitNext(&slots)
        }
        turn?.tell()
    }

    private static func admitNext(_ slots: inout Slots) -> Turn? {
        guard !slots.waiters.isEmpty else { return nil }
        for line in slots.lines.indices.reversed() {
            if slots.isSuspended, line != returningLine { continue }
            guard line == reservedLine || (line == returningLine ? slots.hasRoomToReturn : slots.hasRoom)
            else { continue }
            while slots.heads[line] < slots.lines[line].count {
                let ticket = slots.lines[line][slots.heads[line]]
                slots.heads[line] += 1
                if slots.heads[line] == slots.lines[line].count {
                    slots.lines[line].removeAll(keepingCapacity: true)
                    slots.heads[line] = 0
                } else if slots.heads[line] > 1_024, slots.heads[line] * 2 > slots.lines[line].count {
                    slots.lines[line].removeFirst(slots.heads[line])
                    slots.heads[line] = 0
                }
                guard let waiter = slots.waiters.removeValue(forKey: ticket) else { continue }
                if waiter.continuation == nil {
                    slots.places[waiter.owner] = nil
                    slots.reserved.insert(waiter.owner)
                    return Turn(waiter: waiter, answer: .taken)
                }
                guard waiter.besides?() != false else { return Turn(waiter: waiter, answer: .busy) }
                slots.reserved.remove(waiter.owner)
                slots.taken += 1
                return Turn(waiter: waiter, answer: .taken)
            }
        }
        return nil
    }
}
