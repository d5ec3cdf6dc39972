internal import Synchronization

/// The waits of operations for each other, which must not form a cycle.
enum WaitGraph {
    /// Two waits that begin at once and complete a cycle together: one of them is refused.
    private static let oneAtATime = Mutex(())

    /// Begins the wait of an operation's work for another operation.
    /// - Throws: `dependency.cycle` when the other one cannot end before the work does.
    static func begin(_ waiting: OperationCore, for other: OperationCore) throws(AOperationError) -> UInt64 {
        let ticket = waiting.parts.withLock { $0.waits.begin(awaiting: other) }
        other.parts.withLock { $0.links.awaiterCount += 1 }
        guard mayBeNeeded(waiting) || waiting === other else { return ticket }
        let path = oneAtATime.withLock { _ -> [OperationCore]? in
            guard let path = Self.path(from: other, toWorkOf: waiting) else { return nil }
            end(waiting, ticket, for: other)
            return path
        }
        if let path { throw refusal(waiting, path) }
        return ticket
    }

    static func end(_ waiting: OperationCore, _ ticket: UInt64, for other: OperationCore) {
        waiting.parts.withLock { $0.waits.end(ticket) }
        other.parts.withLock { $0.links.awaiterCount -= 1 }
    }

    /// The error of an operation that has to wait for one around it before it begins; nil when it may.
    static func refusal(of core: OperationCore) -> AOperationError? {
        guard let outer = core.queue.parent else { return nil }
        for need in needs(ofBeginning: core) where need.queue !== core.queue {
            if let path = Self.path(from: need, toWorkOf: outer) { return refusal(core, path) }
        }
        return nil
    }

    /// Whether something may wait for the end of `core`.
    private static func mayBeNeeded(_ core: OperationCore) -> Bool {
        if core.queue.parent != nil || core.settings.unique != nil { return true }
        return core.parts.withLock { !$0.links.dependants.isEmpty || $0.links.awaiterCount > 0 }
    }

    /// Whether `core` begins after something outside of its queue.
    static func beginsAfterOthers(_ core: OperationCore, _ edges: [OperationSettings.Edge]) -> Bool {
        if let unique = core.settings.unique,
            core.environment.uniqueness.wait(of: core, for: unique.key) != nil
        {
            return true
        }
        return edges.contains { $0.core.queue !== core.queue && $0.core.ending == nil }
    }

    private static func refusal(_ waiting: OperationCore, _ path: [OperationCore]) -> AOperationError {
        var names = path.prefix(20).map(\.name)
        if path.count > names.count { names.append("… (\(path.count - names.count) more)") }
        // The work is that of an inner operation, or of the last one itself.
        if path.last !== waiting { names.append(waiting.name) }
        return AOperationError(
            .dependencyCycle,
            detail: "\(waiting.name) would wait for itself: "
                + ([waiting.name] + names).joined(separator: " → ")
                + ". Wait after \(waiting.name) has ended, or let the others not wait for it.")
    }

    // MARK: The search

    /// The way from `start` to `waiting`, or one around it: each needs the end of the next one; nil without one.
    private static func path(from start: OperationCore, toWorkOf waiting: OperationCore) -> [OperationCore]? {
        var goals: Set<ObjectIdentifier> = []
        var next: OperationCore? = waiting
        while let core = next {
            goals.insert(ObjectIdentifier(core))
            next = core.queue.parent
        }
        var cameFrom: [ObjectIdentifier: OperationCore] = [:]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(start)]
        var open = [start]
        while let core = open.popLast() {
            if goals.contains(ObjectIdentifier(core)) {
                var path = [core]
                while let first = path.last, let before = cameFrom[ObjectIdentifier(first)] {
                    path.append(before)
                }
                return path.reversed()
            }
            for need in needs(of: core) where seen.insert(ObjectIdentifier(need)).inserted {
                cameFrom[ObjectIdentifier(need)] = core
                open.append(need)
            }
        }
        return nil
    }

    /// The operations that must end before `core` can.
    private static func needs(of core: OperationCore) -> [OperationCore] {
        let own = core.parts.withLock { parts -> [OperationCore]? in
            guard parts.life.state != .finished else { return nil }
            return parts.links.children + parts.waits.awaited.values
        }
        guard let own else { return [] }
        return own + needs(ofBeginning: core)
    }

    /// The operations that must end before `core` begins; of a member of a group that has not begun, also those of the
    /// group.
    private static func needs(ofBeginning core: OperationCore) -> [OperationCore] {
        var needs: [OperationCore] = []
        var next: OperationCore? = core
        while let core = next {
            needs += core.edges.map(\.core)
            if let unique = core.settings.unique,
                let wait = core.environment.uniqueness.wait(of: core, for: unique.key)
            {
                needs.append(wait.holder)
            }
            next = core.queue.isSuspended(for: .notStarted) ? core.queue.parent : nil
        }
        return needs
    }
}
