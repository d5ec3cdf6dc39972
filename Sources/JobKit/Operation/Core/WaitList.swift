/// The current waits of an operation, by ticket: an executing one has one, conditions may have several.
struct WaitList {
    private var entries: [(ticket: UInt64, wait: OperationWait)] = []
    /// The operations whose end its work waits for.
    private(set) var awaited: [UInt64: OperationCore] = [:]
    /// The number of waits of its work for what is no operation here.
    var outside = 0
    private var lastTicket: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    var waits: [OperationWait] { entries.map(\.wait) }
    /// Whether its work waits for others.
    var isAwaiting: Bool { !awaited.isEmpty || outside > 0 }

    /// The first date that ends a wait; `never` when none does.
    var earliest: Timestamp { entries.reduce(.never) { min($0, $1.wait.until ?? .never) } }

    /// Whether a person's release ends a wait.
    var isForRelease: Bool { entries.contains { $0.wait.reason == .hold } }

    mutating func newTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    mutating func begin(_ wait: OperationWait) -> UInt64 {
        let ticket = newTicket()
        entries.append((ticket, wait))
        return ticket
    }

    mutating func begin(awaiting other: OperationCore) -> UInt64 {
        let ticket = newTicket()
        awaited[ticket] = other
        return ticket
    }

    mutating func end(_ ticket: UInt64) {
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else {
            awaited[ticket] = nil
            return
        }
        entries.remove(at: index)
        if entries.isEmpty { entries = [] }
    }

    mutating func endAll() {
        entries = []
        awaited = [:]
    }
}
