internal import Synchronization

/// Places to run in: at most `capacity` are taken at once, handed out by priority and then first come first served. A
/// place that is kept for somebody goes to nobody else.
final class SlotPool: Sendable {
    /// How asking for a place ended.
    enum Answer {
        case taken
        /// The task was cancelled; no place is held.
        case cancelled
        /// There was none and the asker did not want to wait for one, or what it takes besides was not there; no place
        /// is held.
        case busy
    }

    private struct Waiter {
        let who: ObjectIdentifier
        let besides: (@Sendable () -> Bool)?
        let continuation: CheckedContinuation<Answer, Never>
    }

    /// Somebody whose turn has come, and with what answer.
    private struct Turn {
        let waiter: Waiter
        let answer: Answer

        func tell() { waiter.continuation.resume(returning: answer) }
    }

    /// An offer to lend the place of `lender`, to one at a time.
    private struct Loan {
        let lender: ObjectIdentifier
        /// To whom, as it is just now.
        let needed: @Sendable () -> Set<ObjectIdentifier>
    }

    private struct Room {
        var capacity: Int?
        var taken = 0
        /// For whom places are kept, besides those that are taken.
        var kept: Set<ObjectIdentifier> = []
        var isSuspended = false
        var nextTicket: UInt64 = 0
        /// Tickets in line, by priority, made when first needed; one that gave up is no longer in `waiters`.
        var lines: [[UInt64]] = []
        var heads: [Int] = []
        var waiters: [UInt64: Waiter] = [:]
        var gaveUp: Set<UInt64> = []
        /// The tickets of those who stand in line, by who they are.
        var tickets: [ObjectIdentifier: UInt64] = [:]
        /// The offers to lend a place, by number.
        var loans: [UInt64: Loan] = [:]
        /// In whose place somebody runs that holds none of its own.
        var lenders: [ObjectIdentifier: ObjectIdentifier] = [:]

        /// Takes somebody out of the line.
        mutating func leave(_ ticket: UInt64) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: ticket) else { return nil }
            tickets[waiter.who] = nil
            return waiter
        }

        /// Who runs in the place of `lender`.
        func borrower(of lender: ObjectIdentifier) -> ObjectIdentifier? {
            lenders.first { $0.value == lender }?.key
        }

        /// Whether somebody stands in line and somebody has offered a place.
        var mayLend: Bool { !loans.isEmpty && !tickets.isEmpty && !isSuspended }

        var hasPlace: Bool { !isSuspended && hasRoom }
        var hasRoom: Bool { capacity.map { taken + kept.count < $0 } ?? true }
    }

    /// The line of those for whom places are kept, behind those of the priorities.
    private static let keptLine = 10

    private let room: Mutex<Room>

    /// - Parameter capacity: how many may run at once, at least 1; nil is no limit.
    init(capacity: Int?) { room = Mutex(Room(capacity: capacity.map { max(1, $0) })) }

    /// How many may run at once, at least 1; nil is no limit.
    var capacity: Int? {
        get { room.withLock { $0.capacity } }
        set {
            change { $0.capacity = newValue.map { max(1, $0) } }
        }
    }

    /// Keeps a place for `who` until it takes that or `letGo(of:)` is called, also when there are fewer places.
    func keep(for who: AnyObject) {
        _ = room.withLock { $0.kept.insert(ObjectIdentifier(who)) }
    }

    /// Keeps no place for `who` any more.
    func letGo(of who: AnyObject) {
        let id = ObjectIdentifier(who)
        change { $0.kept.remove(id) }
    }

    /// Waits for a place.
    /// - Parameters:
    ///   - who: whoever asks, for `ahead(of:)`.
    ///   - waits: whether it stands in line when there is no place at once.
    ///   - besides: takes what it needs together with a place, when its turn has come; false when that is not there.
    ///     Then the place goes to who is next. Called with the pool locked.
    func take(
        priority: Int, who: AnyObject, waits: Bool, with besides: (@Sendable () -> Bool)? = nil
    ) async -> Answer {
        let id = ObjectIdentifier(who)
        let (ticket, isKept, answer) = room.withLock { room -> (UInt64, Bool, Answer?) in
            let isKept = room.kept.contains(id)
            if room.hasPlace || (isKept && !room.isSuspended) {
                guard besides?() != false else { return (0, isKept, .busy) }
                room.kept.remove(id)
                room.taken += 1
                return (0, isKept, .taken)
            }
            if !waits { return (0, isKept, .busy) }
            room.nextTicket += 1
            return (room.nextTicket, isKept, nil)
        }
        if let answer { return answer }
        let line = isKept ? Self.keptLine : min(9, max(0, priority))
        let granted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                standInLine(ticket, line, Waiter(who: id, besides: besides, continuation: continuation))
            }
        } onCancel: {
            let waiter = room.withLock { room -> Waiter? in
                if let waiter = room.leave(ticket) { return waiter }
                room.gaveUp.insert(ticket)
                return nil
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
        room.withLock { _ = $0.gaveUp.remove(ticket) }
        return granted
    }

    /// Gives the place of `who` back; one that was lent goes back to its lender.
    /// - Parameter isKept: whether it is kept for `who` from then on.
    func giveBack(from who: AnyObject, isKept: Bool = false) {
        let id = ObjectIdentifier(who)
        change { room in
            if isKept { room.kept.insert(id) }
            if !room.loans.isEmpty { room.loans = room.loans.filter { $0.value.lender != id } }
            let lender = room.lenders.removeValue(forKey: id)
            if let borrower = room.borrower(of: id) {
                // Whoever runs in its place goes on in it.
                room.lenders[borrower] = lender
            } else if lender == nil {
                room.taken -= 1
            }
        }
    }

    // MARK: Lending

    /// Offers the place that `lender` has to those in line whom it waits for, until `endLoan`.
    /// - Parameter needed: whom it waits for, as it is at the time of asking. Called with nothing locked.
    func lend(placeOf lender: AnyObject, to needed: @escaping @Sendable () -> Set<ObjectIdentifier>) -> UInt64
    {
        room.withLock { room in
            room.nextTicket += 1
            room.loans[room.nextTicket] = Loan(lender: ObjectIdentifier(lender), needed: needed)
            return room.nextTicket
        }
    }

    /// Withdraws an offer. Whoever still runs in the place has one of its own from then on, beyond the capacity when
    /// need be: the lender does not wait for its place.
    func endLoan(_ number: UInt64) {
        room.withLock { room in
            guard let loan = room.loans.removeValue(forKey: number) else { return }
            if room.loans.values.contains(where: { $0.lender == loan.lender }) { return }
            guard let borrower = room.borrower(of: loan.lender) else { return }
            room.lenders[borrower] = nil
            room.taken += 1
        }
    }

    /// Lets those in line whom a lender waits for run in its place.
    func offerLoans() {
        let loans = room.withLock { room -> [Loan] in
            guard room.mayLend else { return [] }
            let lent = Set(room.lenders.values)
            return room.loans.values.filter { !lent.contains($0.lender) }
        }
        for loan in loans {
            let needed = loan.needed()
            room.withLock { Self.lend(loan, to: needed, &$0) }?.tell()
        }
    }

    private static func lend(_ loan: Loan, to needed: Set<ObjectIdentifier>, _ room: inout Room) -> Turn? {
        guard !room.isSuspended, room.borrower(of: loan.lender) == nil,
            room.loans.values.contains(where: { $0.lender == loan.lender })
        else { return nil }
        let first = needed.compactMap { room.tickets[$0] }.min()
        guard let first, let waiter = room.leave(first) else { return nil }
        guard waiter.besides?() != false else { return Turn(waiter: waiter, answer: .busy) }
        room.lenders[waiter.who] = loan.lender
        return Turn(waiter: waiter, answer: .taken)
    }

    /// Whether it hands out no places.
    var isSuspended: Bool { room.withLock { $0.isSuspended } }

    /// Stops or resumes handing out places.
    func setSuspended(_ isSuspended: Bool) { change { $0.isSuspended = isSuspended } }

    /// How many get a place before `who`; nil when it does not stand in line.
    func ahead(of who: AnyObject) -> Int? {
        let id = ObjectIdentifier(who)
        return room.withLock { room in
            var count = 0
            for (line, head) in zip(room.lines, room.heads).reversed() {
                for ticket in line[min(head, line.count)...] {
                    guard let waiter = room.waiters[ticket] else { continue }
                    if waiter.who == id { return count }
                    count += 1
                }
            }
            return nil
        }
    }

    /// Changes the room and then lets in whoever fits.
    private func change(_ change: (inout Room) -> Void) {
        // Nearly always nobody waits, and one that gives its place back lets in one at most.
        let (first, mayMore, mayLend) = room.withLock { room -> (Turn?, Bool, Bool) in
            change(&room)
            let first = Self.admitNext(&room)
            let mayFit = room.hasRoom || !room.kept.isEmpty
            let mayMore = first != nil && !room.waiters.isEmpty && mayFit && !room.isSuspended
            return (first, mayMore, room.mayLend)
        }
        first?.tell()
        defer { if mayLend { offerLoans() } }
        guard mayMore else { return }
        while let next = room.withLock({ Self.admitNext(&$0) }) { next.tell() }
    }

    private func standInLine(_ ticket: UInt64, _ line: Int, _ waiter: Waiter) {
        let (turn, mayLend) = room.withLock { room -> (Turn?, Bool) in
            if room.gaveUp.remove(ticket) != nil { return (Turn(waiter: waiter, answer: .cancelled), false) }
            if room.lines.isEmpty {
                room.lines = [[UInt64]](repeating: [], count: Self.keptLine + 1)
                room.heads = [Int](repeating: 0, count: Self.keptLine + 1)
            }
            room.waiters[ticket] = waiter
            room.tickets[waiter.who] = ticket
            room.lines[line].append(ticket)
            return (Self.admitNext(&room), room.mayLend)
        }
        turn?.tell()
        if mayLend { offerLoans() }
    }

    private static func admitNext(_ room: inout Room) -> Turn? {
        guard !room.isSuspended, !room.waiters.isEmpty else { return nil }
        for line in room.lines.indices.reversed() {
            guard line == keptLine || room.hasRoom else { return nil }
            while room.heads[line] < room.lines[line].count {
                let ticket = room.lines[line][room.heads[line]]
                room.heads[line] += 1
                if room.heads[line] == room.lines[line].count {
                    room.lines[line].removeAll(keepingCapacity: true)
                    room.heads[line] = 0
                } else if room.heads[line] > 1_024, room.heads[line] * 2 > room.lines[line].count {
                    room.lines[line].removeFirst(room.heads[line])
                    room.heads[line] = 0
                }
                guard let waiter = room.leave(ticket) else { continue }
                guard waiter.besides?() != false else { return Turn(waiter: waiter, answer: .busy) }
                room.kept.remove(waiter.who)
                room.taken += 1
                return Turn(waiter: waiter, answer: .taken)
            }
        }
        return nil
    }
}
