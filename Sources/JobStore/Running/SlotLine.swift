/// The runs that wait to take a slot again, in the order of their waits.
struct SlotLine: Sendable {
    typealias Waiter = CheckedContinuation<Void, Never>

    private var waiters: [(ticket: UInt64, waiter: Waiter)] = []
    private var lastTicket: UInt64 = 0
    /// Tickets that were cancelled before they came into line.
    private var cancelled: Set<UInt64> = []

    var count: Int { waiters.count }

    mutating func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// - Returns: false when the ticket was cancelled before.
    mutating func enter(_ ticket: UInt64, _ waiter: Waiter) -> Bool {
        if cancelled.remove(ticket) != nil { return false }
        waiters.append((ticket, waiter))
        return true
    }

    /// - Returns: the waiter, unless it is not in line yet or left it already.
    mutating func cancel(_ ticket: UInt64) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else {
            cancelled.insert(ticket)
            return nil
        }
        return waiters.remove(at: index).waiter
    }

    mutating func removeFirst(_ count: Int) -> [Waiter] {
        defer { waiters.removeFirst(count) }
        return waiters.prefix(count).map(\.waiter)
    }

    mutating func forget(_ ticket: UInt64) { cancelled.remove(ticket) }
}
