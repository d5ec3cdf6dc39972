internal import StrictJSON
internal import Synchronization

/// Waits that need no memory: where there is a journal, the tree may leave memory meanwhile and come back.
extension OperationCore {
    /// Waits until `end`, durably where there is a journal: a resumed run waits for the date.
    package func wait(until end: WaitEnd, reason: OperationWait.Reason, key: String? = nil) async throws {
        let clock = environment.clock
        if end.hasCome(by: clock) { return }
        try await lasting(OperationWait(until: end.date, reason: reason, key: key)) { _ in
            try await end.sleep(by: clock)
        }
    }

    /// Runs `body`, which does nothing but wait. When nothing else of the tree can go on, the run may be suspended
    /// meanwhile: that cancels the wait. `endWait` with its ticket says that the wait is over before `body` returns.
    func lasting<Value>(_ wait: OperationWait, _ body: (_ ticket: UInt64) async throws -> Value)
        async throws -> Value
    {
        try Task.checkCancellation()
        let ticket = beginWait(wait)
        defer { endWait(ticket) }
        environment.supervisor?.waitBegan(until: wait.until ?? .never)
        return try await body(ticket)
    }

    /// Records a wait, here and in the journal.
    func beginWait(_ wait: OperationWait) -> UInt64 {
        let (ticket, isStored) = parts.withLock { ($0.waits.begin(wait), $0.attempt.stores(wait.name)) }
        if isStored, let journal = environment.journal, journal.history(of: path)?.wait != wait {
            journal.record(JournalEntry(at: environment.clock.now, path: path, event: .waiting(wait)))
        }
        raise(.waiting(.wait(wait)))
        // Those who hold the keys may need the slot of the one around it.
        if wait.reason == .exclusion, queue.parent != nil { loan.lendOuterSlots() }
        return ticket
    }

    func endWait(_ ticket: UInt64) { parts.withLock { $0.waits.end(ticket) } }

    /// The start of this wait, restarts included.
    func waitingSince(_ wait: OperationWait) -> Timestamp? {
        environment.journal?.history(of: path)?.waitingSince[ByteKey(wait.name)]
    }
}
