internal import Synchronization

/// The exclusive keys of an operation.
struct ExclusiveKeys {
    let core: OperationCore

    /// Who this operation is to those who hand out exclusive keys: the same after a restart.
    var owner: ExclusionOwner {
        core.environment.journal == nil
            ? ExclusionOwner(job: "\(core.name)#\(ObjectIdentifier(core).hashValue)", path: core.path)
            : ExclusionOwner(job: core.environment.seed, path: core.path)
    }

    /// Takes them, all at once, and waits for them; false when it ended meanwhile. Where there is a journal they are
    /// known to be its own, durably, before it goes on.
    func take() async -> Bool {
        let keys = Set(core.settings.conditions.flatMap(\.exclusionKeys)).subtracting(core.inheritedKeys)
        guard !keys.isEmpty else { return true }
        let exclusion = core.environment.exclusion
        let owner = owner
        if !exclusion.takeNow(keys, owner) {
            let wait = OperationWait(reason: .exclusion, key: keys.sorted().joined(separator: " "))
            let ticket = core.beginWait(wait)
            defer { core.endWait(ticket) }
            core.environment.supervisor?.waitBegan(until: .never)
            // A suspended run keeps its place in the line.
            guard await exclusion.take(keys, owner, staysInLine: { core.isSuspended }) else { return false }
        }
        return await keep(keys)
    }

    /// Takes keys that are free.
    func taking(_ keys: Set<String>) -> @Sendable () -> Bool {
        let (exclusion, owner) = (core.environment.exclusion, owner)
        return { exclusion.takeNow(keys, owner) }
    }

    /// Takes note of keys that it was just given; false when it ended meanwhile or the run was suspended.
    func keep(_ keys: Set<String>) async -> Bool {
        let (isKept, isSuspended) = core.parts.withLock { parts -> (Bool, Bool) in
            if parts.life.isSuspended { return (false, true) }
            guard parts.life.state == .ready else { return (false, false) }
            parts.keys = keys
            return (true, false)
        }
        guard isKept else {
            // Granted while its tree was leaving memory: they are its own, and bring the tree back.
            if isSuspended { core.environment.exclusion.awaken(owner) } else { giveBackAll([]) }
            return false
        }
        guard let journal = core.environment.journal else { return true }
        journal.note(taken: keys, freed: [], by: core.path)
        do { try await journal.flush() } catch { return false }
        return true
    }

    /// Gives them back before it is executed, unless its run is suspended: then they stay its own.
    func giveBackEarly() {
        let keys = core.parts.withLock { parts -> Set<String> in
            if parts.life.isSuspended { return [] }
            defer { parts.keys = [] }
            return parts.keys
        }
        if !keys.isEmpty { giveBack(keys) }
    }

    /// Gives them back.
    func giveBack(_ keys: Set<String>) {
        guard core.settings.conditions.contains(where: { !$0.exclusionKeys.isEmpty }) else { return }
        giveBackAll(keys)
    }

    /// An operation that began in an earlier run may be over before those inside of it are there again to give back
    /// what they have.
    func giveBackInside() {
        guard core.begunAt != nil, !core.environment.exclusion.isIdle else { return }
        note(freed: core.environment.exclusion.giveBackInside(of: owner))
    }

    /// Gives back what it holds, from before this run or a restart, too.
    private func giveBackAll(_ keys: Set<String>) {
        note(freed: core.environment.exclusion.giveBack(owner).union(keys))
    }

    private func note(freed keys: Set<String>) {
        if !keys.isEmpty { core.environment.journal?.note(taken: [], freed: keys, by: core.path) }
    }
}

extension OperationCore {
    var keys: ExclusiveKeys { ExclusiveKeys(core: self) }
}
