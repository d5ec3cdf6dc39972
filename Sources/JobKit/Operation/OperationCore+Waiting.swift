internal import StrictJSON
internal import Synchronization

/// Waits that need no memory: where there is a journal, the tree may leave memory meanwhile and come back.
extension OperationCore {
    /// Waits until `end`, durably where there is a journal: a run that comes back waits for the date.
    func wait(until end: WaitEnd, reason: OperationWait.Reason, key: String? = nil) async throws {
        let clock = environment.clock
        if end.hasCome(by: clock) { return }
        try await lasting(OperationWait(until: end.date, reason: reason, key: key)) {
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
        let number = try await lasting(wait) {
            await withTaskGroup(of: Int?.self) { group in
                group.addTask { await inbox.next(takes: takes, where: matches) }
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

    /// Runs `body`, which does nothing but wait. When nothing else of the tree can go on, the run is put down here.
    func lasting<Value>(_ wait: OperationWait, _ body: () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let ticket = beginWait(wait)
        defer { endWait(ticket) }
        if let journal = environment.journal {
            if journal.isPutDownForWait(until: wait.until ?? .never) { throw CancellationError() }
            if wait.until.map({ $0.since(environment.clock.now) > .seconds(1) }) ?? true {
                try await journal.flush()
            }
        }
        return try await body()
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

    /// Waits for the date before which nothing begins; false when it ended meanwhile or the run was put down. Nothing
    /// is noted in the journal: this is no more than the rest of the wait in the store.
    func passDate() async -> Bool {
        guard path.isEmpty, let date = environment.notBefore, date > environment.clock.now else {
            return true
        }
        let ticket = standing.withLock { $0.begin(OperationWait(until: date, reason: .delay)) }
        defer { endWait(ticket) }
        if environment.journal?.isPutDownForWait(until: date) == true { return false }
        try? await environment.clock.sleep(until: date)
        return !Task.isCancelled && environment.journal?.isPutDown != true
    }

    func endWait(_ ticket: UInt64) { standing.withLock { _ = $0.waits.removeValue(forKey: ticket) } }

    /// Since when it has waited for this, restarts included.
    func waitingSince(_ wait: OperationWait) -> Timestamp? {
        environment.journal?.history(of: path)?.waitingSince[wait.name]
    }

    // MARK: Being put down

    /// Whether nothing in this subtree can go on before some date; that date, `never` when no date helps, or nil when
    /// something can go on.
    func quietUntil() -> Timestamp? {
        let (alarm, isStopping) = standing.withLock { ($0.alarm, $0.stop != nil) }
        guard !isStopping, let quiet = quietUntilByState() else { return nil }
        return min(quiet, alarm ?? .never)
    }

    private func quietUntilByState() -> Timestamp? {
        let view = standing.withLock {
            ($0.lifecycle.state, $0.waits, $0.children, $0.unmet, $0.waitsForSlot)
        }
        let (state, waits, children, unmet, waitsForSlot) = view
        switch state {
        case .executing:
            return waits.isEmpty ? Self.quietUntil(children) : Self.earliest(waits)
        case .evaluatingConditions:
            return conditionsQuietUntil()
        case .initialized, .pending:
            if !waits.isEmpty { return Self.earliest(waits) }
            return unmet > 0 || queue.beginsNothing ? .never : nil
        case .ready: return waitsForSlot || !waits.isEmpty ? .never : nil
        case .finishing, .finished: return nil
        }
    }

    /// Its conditions are quiet when each of them waits, itself or for an operation that it needs first.
    private func conditionsQuietUntil() -> Timestamp? {
        let (waits, children, needs, isBusy) = standing.withLock {
            ($0.waits, $0.children, $0.needsOpen, $0.waits.count + $0.needsOpen < $0.conditionsOpen)
        }
        if isBusy || (waits.isEmpty && needs == 0) { return nil }
        guard needs > 0 else { return Self.earliest(waits) }
        return Self.quietUntil(children).map { min($0, Self.earliest(waits)) }
    }

    private static func quietUntil(_ children: [OperationCore]) -> Timestamp? {
        let open = children.filter { $0.state != .finished }
        guard !open.isEmpty else { return nil }
        var earliest = Timestamp.never
        for child in open {
            guard let quiet = child.quietUntil() else { return nil }
            earliest = min(earliest, quiet)
        }
        return earliest
    }

    private static func earliest(_ waits: [UInt64: OperationWait]) -> Timestamp {
        waits.values.reduce(.never) { min($0, $1.until ?? .never) }
    }

    /// All that this subtree waits for just now.
    func allWaits() -> [OperationWait] {
        let (waits, children) = standing.withLock { (Array($0.waits.values), $0.children) }
        return waits + children.flatMap { $0.allWaits() }
    }

    /// Ends every task of the subtree; each then ends in memory, without a word. Only for a run that was put down.
    func putDown() {
        let (task, watches, children) = standing.withLock { ($0.task, $0.watches, $0.children) }
        task?.cancel()
        for watch in watches { watch.cancel() }
        for child in children { child.putDown() }
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
        let journal = environment.journal
        let owner = exclusionOwner
        if !exclusion.takeNow(keys, owner) {
            let wait = OperationWait(reason: .exclusion, key: keys.sorted().joined(separator: " "))
            let ticket = beginWait(wait)
            defer { endWait(ticket) }
            // Stands in line before the run may be put down, so that its place is kept.
            async let isGranted = exclusion.take(keys, owner) { journal?.isPutDown == true }
            _ = journal?.isPutDownForWait(until: .never)
            guard await isGranted else { return false }
        }
        return await keepKeys(keys)
    }

    /// Takes keys that are free.
    func taking(_ keys: Set<String>) -> @Sendable () -> Bool {
        let (exclusion, owner) = (environment.exclusion, exclusionOwner)
        return { exclusion.takeNow(keys, owner) }
    }

    /// Takes note of keys that it was just given; false when it ended meanwhile or the run was put down.
    func keepKeys(_ keys: Set<String>) async -> Bool {
        let (exclusion, journal, owner) = (environment.exclusion, environment.journal, exclusionOwner)
        if journal?.isPutDown == true {
            // Whatever its state is by now: a group that is put down ends its members in memory.
            exclusion.awaken(owner)
            return false
        }
        let isKept = standing.withLock { standing -> Bool in
            guard standing.lifecycle.state == .ready else { return false }
            standing.heldKeys = keys
            return true
        }
        guard isKept else {
            giveBackAll([])
            return false
        }
        guard let journal else { return true }
        journal.note(taken: keys, freed: [], by: path)
        do { try await journal.flush() } catch { return false }
        return true
    }

    /// Gives its keys back, unless the run was put down: then they stay its own until it comes back.
    func giveBackKeys(_ keys: Set<String>) {
        let journal = environment.journal
        if journal?.isPutDown == true { return }
        guard settings.conditions.contains(where: { !$0.exclusionKeys.isEmpty }) else { return }
        giveBackAll(keys)
    }

    /// An operation that began in an earlier run may be over before those inside of it are there again to give back
    /// what they have.
    func giveBackKeysInside() {
        guard let journal = environment.journal, !journal.isPutDown,
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
