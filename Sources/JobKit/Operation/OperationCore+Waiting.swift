internal import StrictJSON
internal import Synchronization

/// Waits that need no memory: where there is a journal, the tree may leave memory meanwhile and come back.
extension OperationCore {
    /// Waits until `end`, durably where there is a journal: a run that comes back waits for the date.
    func wait(until end: WaitEnd, reason: OperationWait.Reason, key: String? = nil) async throws {
        let clock = environment.clock
        if end.hasCome(by: clock) { return }
        try await lasting(OperationWait(until: end.date, reason: reason, key: key)) { _ in
            try await end.sleep(by: clock)
        }
    }

    /// Waits for the first message that matches.
    /// - Parameters:
    ///   - wait: what is waited for; when its date passes first, the answer is nil.
    ///   - takes: whether the message must not have been taken, and is taken by this operation, for good.
    func message(
        _ wait: OperationWait, takes: Bool, where matches: @escaping @Sendable (JobMessage) -> Bool
    ) async throws -> JobMessage? {
        let inbox = environment.inbox
        if takes, let number = environment.journal?.history(of: path)?.took.last, let message = inbox[number],
            matches(message)
        {
            return message
        }
        if let number = inbox.first(takes: takes, where: matches) { return note(number, takes: takes) }
        if let until = wait.until, until <= environment.clock.now { return nil }
        let clock = environment.clock
        let number = try await lasting(wait) { ticket in
            await withTaskGroup(of: Int?.self) { group in
                group.addTask {
                    // The run must not be suspended between the message and the task that it wakes.
                    await inbox.next(takes: takes, where: matches) { self.endWait(ticket) }
                }
                if let until = wait.until {
                    group.addTask {
                        try? await clock.sleep(until: until)
                        return nil
                    }
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                // A message that came while the clock struck was taken all the same.
                var late: Int?
                for await other in group { late = late ?? other }
                return first ?? late
            }
        }
        try Task.checkCancellation()
        return number.flatMap { note($0, takes: takes) }
    }

    private func note(_ number: Int, takes: Bool) -> JobMessage? {
        if takes {
            environment.journal?.record(
                JournalEntry(at: environment.clock.now, path: path, event: .took(message: number)))
        }
        return environment.inbox[number]
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

    /// Notes that it waits, here and in the journal.
    func beginWait(_ wait: OperationWait) -> UInt64 {
        let ticket = standing.withLock { $0.begin(wait) }
        if let journal = environment.journal, journal.history(of: path)?.wait != wait {
            journal.record(JournalEntry(at: environment.clock.now, path: path, event: .waiting(wait)))
        }
        raise(.waiting(.wait(wait)))
        return ticket
    }

    /// Waits for the date before which nothing begins; false when it ended meanwhile or the run was suspended.
    /// Nothing is noted in the journal: this is no more than the rest of the wait in the store.
    func passDate() async -> Bool {
        guard path.isEmpty, let date = environment.notBefore, date > environment.clock.now else {
            return true
        }
        let ticket = standing.withLock { $0.begin(OperationWait(until: date, reason: .delay)) }
        defer { endWait(ticket) }
        environment.supervisor?.waitBegan(until: date)
        try? await environment.clock.sleep(until: date)
        return !Task.isCancelled
    }

    func endWait(_ ticket: UInt64) { standing.withLock { _ = $0.waits.removeValue(forKey: ticket) } }

    /// Since when it has waited for this, restarts included.
    func waitingSince(_ wait: OperationWait) -> Timestamp? {
        environment.journal?.history(of: path)?.waitingSince[wait.name]
    }

    // MARK: Exclusive keys

    /// Who this operation is to those who hand out exclusive keys: the same after a restart.
    var exclusionOwner: ExclusionOwner {
        environment.journal == nil
            ? ExclusionOwner(job: "\(name)#\(ObjectIdentifier(self).hashValue)", path: path)
            : ExclusionOwner(job: environment.seed, path: path)
    }

    /// Takes its exclusive keys, all at once, and waits for them; false when it ended meanwhile. Where there is a
    /// journal they are known to be its own, durably, before it goes on.
    func takeKeys() async -> Bool {
        let keys = Set(settings.conditions.flatMap(\.exclusionKeys)).subtracting(inheritedKeys)
        guard !keys.isEmpty else { return true }
        let exclusion = environment.exclusion
        let owner = exclusionOwner
        if !exclusion.takeNow(keys, owner) {
            let wait = OperationWait(reason: .exclusion, key: keys.sorted().joined(separator: " "))
            let ticket = beginWait(wait)
            defer { endWait(ticket) }
            environment.supervisor?.waitBegan(until: .never)
            // A suspended run keeps its place in the line.
            guard await exclusion.take(keys, owner, staysInLine: { self.isSuspended }) else { return false }
        }
        return await keepKeys(keys)
    }

    /// Takes keys that are free.
    func taking(_ keys: Set<String>) -> @Sendable () -> Bool {
        let (exclusion, owner) = (environment.exclusion, exclusionOwner)
        return { exclusion.takeNow(keys, owner) }
    }

    /// Takes note of keys that it was just given; false when it ended meanwhile or the run was suspended.
    func keepKeys(_ keys: Set<String>) async -> Bool {
        let (isKept, isSuspended) = standing.withLock { standing -> (Bool, Bool) in
            if standing.lifecycle.isSuspended { return (false, true) }
            guard standing.lifecycle.state == .ready else { return (false, false) }
            standing.heldKeys = keys
            return (true, false)
        }
        guard isKept else {
            // Granted while its tree was leaving memory: they are its own, and bring the tree back.
            if isSuspended { environment.exclusion.awaken(exclusionOwner) } else { giveBackAll([]) }
            return false
        }
        guard let journal = environment.journal else { return true }
        journal.note(taken: keys, freed: [], by: path)
        do { try await journal.flush() } catch { return false }
        return true
    }

    /// Gives its keys back.
    func giveBackKeys(_ keys: Set<String>) {
        guard settings.conditions.contains(where: { !$0.exclusionKeys.isEmpty }) else { return }
        giveBackAll(keys)
    }

    /// An operation that began in an earlier run may be over before those inside of it are there again to give back
    /// what they have.
    func giveBackKeysInside() {
        guard let journal = environment.journal,
            journal.history(of: path)?.startedAt != nil, !environment.exclusion.isIdle
        else { return }
        note(freed: environment.exclusion.giveBackInside(of: exclusionOwner))
    }

    /// Gives back what it holds, from before this run or a restart, too.
    private func giveBackAll(_ keys: Set<String>) {
        note(freed: environment.exclusion.giveBack(exclusionOwner).union(keys))
    }

    private func note(freed keys: Set<String>) {
        if !keys.isEmpty { environment.journal?.note(taken: [], freed: keys, by: path) }
    }
}
