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
        let continuation: CheckedContinuation<Answer, Never>
    }

    /// A waiter whose turn has come, and its answer.
    private struct Turn {
        let waiter: Waiter
        let answer: Answer

        func tell() { waiter.continuation.resume(returning: answer) }
    }

    /// An offer to lend the slot of `lender`, to one operation at a time.
    private struct Loan {
        let lender: ObjectIdentifier
        /// The operations that may borrow it at the time of the call.
        let needed: @Sendable () -> Set<ObjectIdentifier>
    }

    private struct Slots {
        var capacity: Int?
        var taken = 0
        /// The owners of reserved slots, which count besides those that are taken.
        var reserved: Set<ObjectIdentifier> = []
        var isSuspended = false
        var nextTicket: UInt64 = 0
        /// Tickets in line, by priority, made when first needed; a cancelled one is no longer in `waiters`.
        var lines: [[UInt64]] = []
        var heads: [Int] = []
        var waiters: [UInt64: Waiter] = [:]
        /// Tickets that were cancelled before they came into line.
        var cancelled: Set<UInt64> = []
        /// The tickets in line, by operation.
        var tickets: [ObjectIdentifier: UInt64] = [:]
        /// The offers to lend a slot, by number.
        var loans: [UInt64: Loan] = [:]
        /// The lender of each operation that runs in a borrowed slot.
        var lenders: [ObjectIdentifier: ObjectIdentifier] = [:]

        /// Takes a waiter out of the line.
        mutating func leave(_ ticket: UInt64) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: ticket) else { return nil }
            tickets[waiter.owner] = nil
            return waiter
        }

        /// The operation that runs in the slot of `lender`.
        func borrower(of lender: ObjectIdentifier) -> ObjectIdentifier? {
            lenders.first { $0.value == lender }?.key
        }

        /// Whether an operation waits in line and another one has offered its slot.
        var mayLend: Bool { !loans.isEmpty && !tickets.isEmpty && !isSuspended }

        var hasFree: Bool { !isSuspended && hasRoom }
        var hasRoom: Bool { capacity.map { taken + reserved.count < $0 } ?? true }
    }

    /// The line of those with a reserved slot, after those of the priorities.
    private static let reservedLine = 10

    private let slots: Mutex<Slots>

    /// - Parameter capacity: how many may run at once, at least 1; nil is no limit.
    init(capacity: Int?) { slots = Mutex(Slots(capacity: capacity.map { max(1, $0) })) }

    /// The limit of taken slots, at least 1; nil is no limit.
    var capacity: Int? {
        get { slots.withLock { $0.capacity } }
        set {
            change { $0.capacity = newValue.map { max(1, $0) } }
        }
    }

    /// Reserves a slot for `owner` until it takes that or `cancelReservation` is called, beyond the capacity, too.
    func reserve(for owner: AnyObject) {
        _ = slots.withLock { $0.reserved.insert(ObjectIdentifier(owner)) }
    }

    func cancelReservation(of owner: AnyObject) {
        let id = ObjectIdentifier(owner)
        change { $0.reserved.remove(id) }
    }

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
        let (ticket, isReserved, answer) = slots.withLock { slots -> (UInt64, Bool, Answer?) in
            let isReserved = slots.reserved.contains(id)
            if slots.hasFree || (isReserved && !slots.isSuspended) {
                guard besides?() != false else { return (0, isReserved, .busy) }
                slots.reserved.remove(id)
                slots.taken += 1
                return (0, isReserved, .taken)
            }
            if !waits { return (0, isReserved, .busy) }
            slots.nextTicket += 1
            return (slots.nextTicket, isReserved, nil)
        }
        if let answer { return answer }
        let line = isReserved ? Self.reservedLine : min(9, max(0, priority))
        let granted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enterLine(ticket, line, Waiter(owner: id, besides: besides, continuation: continuation))
            }
        } onCancel: {
            let waiter = slots.withLock { slots -> Waiter? in
                if let waiter = slots.leave(ticket) { return waiter }
                slots.cancelled.insert(ticket)
                return nil
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
        slots.withLock { _ = $0.cancelled.remove(ticket) }
        return granted
    }

    /// Releases the slot of `owner`; a borrowed one goes back to its lender.
    /// - Parameter isReserved: whether it is reserved for `owner` from then on.
    func release(by owner: AnyObject, isReserved: Bool = false) {
        let id = ObjectIdentifier(owner)
        change { slots in
            if isReserved { slots.reserved.insert(id) }
            if !slots.loans.isEmpty { slots.loans = slots.loans.filter { $0.value.lender != id } }
            let lender = slots.lenders.removeValue(forKey: id)
            if let borrower = slots.borrower(of: id) {
                // The operation that runs in it goes on.
                slots.lenders[borrower] = lender
            } else if lender == nil {
                slots.taken -= 1
            }
        }
    }

    // MARK: Lending

    /// Offers the slot of `lender` to those in line that it waits for, until `endLoan`.
    /// - Parameter needed: the operations that it waits for at the time of the call. Called with nothing locked.
    func lend(slotOf lender: AnyObject, to needed: @escaping @Sendable () -> Set<ObjectIdentifier>) -> UInt64
    {
        slots.withLock { slots in
            slots.nextTicket += 1
            slots.loans[slots.nextTicket] = Loan(lender: ObjectIdentifier(lender), needed: needed)
            return slots.nextTicket
        }
    }

    /// Withdraws an offer. An operation that still runs in the slot has a separate one from then on, beyond the
    /// capacity when need be: the lender does not wait for its slot.
    func endLoan(_ number: UInt64) {
        slots.withLock { slots in
            guard let loan = slots.loans.removeValue(forKey: number) else { return }
            if slots.loans.values.contains(where: { $0.lender == loan.lender }) { return }
            guard let borrower = slots.borrower(of: loan.lender) else { return }
            slots.lenders[borrower] = nil
            slots.taken += 1
        }
    }

    /// Lets waiting operations that a lender depends on run in its slot.
    func offerLoans() {
        let loans = slots.withLock { slots -> [Loan] in
            guard slots.mayLend else { return [] }
            let lent = Set(slots.lenders.values)
            return slots.loans.values.filter { !lent.contains($0.lender) }
        }
        for loan in loans {
            let needed = loan.needed()
            slots.withLock { Self.lend(loan, to: needed, &$0) }?.tell()
        }
    }

    private static func lend(_ loan: Loan, to needed: Set<ObjectIdentifier>, _ slots: inout Slots) -> Turn? {
        guard !slots.isSuspended, slots.borrower(of: loan.lender) == nil,
            slots.loans.values.contains(where: { $0.lender == loan.lender })
        else { return nil }
        let first = needed.compactMap { slots.tickets[$0] }.min()
        guard let first, let waiter = slots.leave(first) else { return nil }
        guard waiter.besides?() != false else { return Turn(waiter: waiter, answer: .busy) }
        slots.lenders[waiter.owner] = loan.lender
        return Turn(waiter: waiter, answer: .taken)
    }

    /// Whether the assignment of slots is stopped.
    var isSuspended: Bool { slots.withLock { $0.isSuspended } }

    /// Stops or resumes the assignment of slots.
    /// - Parameter isSuspended: says which. Called with the pool locked, so that of two calls at once the later counts.
    func setSuspended(by isSuspended: () -> Bool) { change { $0.isSuspended = isSuspended() } }

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
        let (first, mayMore, mayLend) = slots.withLock { slots -> (Turn?, Bool, Bool) in
            change(&slots)
            let first = Self.admitNext(&slots)
            let mayFit = slots.hasRoom || !slots.reserved.isEmpty
            let mayMore = first != nil && !slots.waiters.isEmpty && mayFit && !slots.isSuspended
            return (first, mayMore, slots.mayLend)
        }
        first?.tell()
        defer { if mayLend { offerLoans() } }
        guard mayMore else { return }
        while let next = slots.withLock({ Self.admitNext(&$0) }) { next.tell() }
    }

    private func enterLine(_ ticket: UInt64, _ line: Int, _ waiter: Waiter) {
        let (turn, mayLend) = slots.withLock { slots -> (Turn?, Bool) in
            if slots.cancelled.remove(ticket) != nil {
                return (Turn(waiter: waiter, answer: .cancelled), false)
            }
            if slots.lines.isEmpty {
                slots.lines = [[UInt64]](repeating: [], count: Self.reservedLine + 1)
                slots.heads = [Int](repeating: 0, count: Self.reservedLine + 1)
            }
            slots.waiters[ticket] = waiter
            slots.tickets[waiter.owner] = ticket
            slots.lines[line].append(ticket)
            return (Self.admitNext(&slots), slots.mayLend)
        }
        turn?.tell()
        if mayLend { offerLoans() }
    }

    private static func admitNext(_ slots: inout Slots) -> Turn? {
        guard !slots.isSuspended, !slots.waiters.isEmpty else { return nil }
        for line in slots.lines.indices.reversed() {
            guard line == reservedLine || slots.hasRoom else { return nil }
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
                guard let waiter = slots.leave(ticket) else { continue }
                guard waiter.besides?() != false else { return Turn(waiter: waiter, answer: .busy) }
                slots.reserved.remove(waiter.owner)
                slots.taken += 1
                return Turn(waiter: waiter, answer: .taken)
            }
        }
        return nil
    }
}
