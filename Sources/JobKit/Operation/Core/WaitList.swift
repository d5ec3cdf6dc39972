/// The current waits of an operation, by ticket: an executing one has one, conditions may have several.
struct WaitList {
    private(set) var waits: [UInt64: OperationWait] = [:]
    /// The operations whose end its work waits for.
    private(set) var awaited: [UInt64: OperationCore] = [:]
    private var lastTicket: UInt64 = 0

    var isEmpty: Bool { waits.isEmpty }
    var count: Int { waits.count }

    /// The first date that ends a wait; `never` when none does.
    var earliest: Timestamp { waits.values.reduce(.never) { min($0, $1.until ?? .never) } }

    /// Whether a person's release ends a wait.
    var isForRelease: Bool { waits.values.contains { $0.reason == .hold } }

    /// A unique ticket.
    mutating func newTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    mutating func begin(_ wait: OperationWait) -> UInt64 {
        let ticket = newTicket()
        waits[ticket] = wait
        return ticket
    }

    mutating func begin(awaiting other: OperationCore) -> UInt64 {
        let ticket = newTicket()
        awaited[ticket] = other
        return ticket
    }

    mutating func end(_ ticket: UInt64) {
        if waits.removeValue(forKey: ticket) == nil { awaited[ticket] = nil }
    }

    mutating func endAll() {
        waits = [:]
        awaited = [:]
    }
}
