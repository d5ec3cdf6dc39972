internal import StrictJSON
internal import Synchronization

// DESIGN
// A group that holds a key excludes the operations outside of it. Inside, those that name the key themselves exclude
// each other: they take a key of their own, which is the key's name and the innermost operation around them that names
// it. So a key has one holder on each level, which excludes the others of that level alone.

/// The exclusive keys of an operation.
struct ExclusiveKeys {
    let core: OperationCore

    /// The operation as an owner of exclusive keys, the same after a restart.
    var owner: ExclusionOwner {
        core.environment.journal == nil
            ? ExclusionOwner(job: "\(core.name)#\(ObjectIdentifier(core).hashValue)", path: core.path)
            : ExclusionOwner(job: core.environment.seed, path: core.path)
    }

    // MARK: Which

    /// The keys that its conditions name, as they are kept.
    private var named: Set<ByteKey> {
        let owner = core.environment.keyOwner
        let names = core.conditions.flatMap(\.exclusionKeys)
        return Set(names.map { ByteKey(OwnedText.stored($0, of: owner)) })
    }

    /// The keys that it has to take.
    var wanted: Set<ByteKey> {
        var open = named
        var keys: Set<ByteKey> = []
        var next: OperationCore? = core
        while let inner = next, !open.isEmpty {
            let outer = inner.queue.parent
            for (key, group) in inner.outerKeys where open.remove(key) != nil {
                keys.insert(ByteKey(OwnedText.inside(key.text, of: group)))
            }
            if let outer, outer.settings.hasBaggage {
                for key in outer.keys.named where open.remove(key) != nil {
                    keys.insert(ByteKey(OwnedText.inside(key.text, of: outer.keys.owner)))
                }
            }
            next = outer
        }
        return keys.union(open)
    }

    /// Whether one of its conditions names keys and has an evaluation, perhaps with prerequisites: then the keys are
    /// taken before, so that two operations do not find at the same time that something is still to be done.
    var comeFirst: Bool { core.conditions.contains { $0.isExclusiveItself } }

    /// The keys that it holds while its prerequisites run.
    var ofPrerequisites: [ByteKey: ExclusionOwner] {
        guard core.parts.withLock({ !$0.keys.isEmpty }) else { return [:] }
        let owner = owner
        return Dictionary(uniqueKeysWithValues: named.map { ($0, owner) })
    }

    /// The operations with keys that cannot end before it does: those around it, and those with a condition that needs
    /// one of them.
    private var holdersAround: [ExclusionOwner] {
        var holders: [ExclusionOwner] = []
        var next: OperationCore? = core
        while let inner = next {
            for holder in inner.outerKeys.values where !holders.contains(holder) { holders.append(holder) }
            next = inner.queue.parent
            if let outer = next, outer.settings.hasBaggage { holders.append(outer.keys.owner) }
        }
        return holders
    }

    // MARK: Taking

    /// Waits for all keys together; false when the operation ended meanwhile. Where there is a journal the ownership is
    /// durable before the operation goes on.
    func take() async -> Bool {
        if core.conditions.isEmpty { return true }
        let keys = wanted
        if keys.isEmpty || core.parts.withLock({ $0.keys == keys }) { return true }
        if let keeper = core.environment.keyKeeper { return await take(keys, from: keeper) }
        let exclusion = core.environment.exclusion
        let owner = owner
        if !exclusion.takeNow(keys, owner) {
            let ticket = core.beginWait(wait)
            defer { core.endWait(ticket) }
            core.environment.supervisor?.waitBegan(until: .never)
            // A suspended run keeps its place in the line.
            guard
                await exclusion.take(
                    keys, owner, around: holdersAround, staysInLine: { core.isSuspended })
            else { return false }
        }
        return await keep(keys)
    }

    private var wait: OperationWait {
        let shown = named.sorted().map { OwnedText.shown($0.text) }
        return OperationWait(reason: .exclusion, key: shown.joined(separator: " "))
    }

    /// Parks the operation until it has all keys; then it goes on with its entry, and has to take them.
    /// - Returns: false when there is nothing to wait for: they can be taken now.
    func parksForThem() -> Bool {
        if core.conditions.isEmpty || core.environment.keyKeeper != nil { return false }
        let (exclusion, keys, owner) = (core.environment.exclusion, wanted, owner)
        if keys.isEmpty || core.parts.withLock({ $0.keys == keys }) || exclusion.takeNow(keys, owner) {
            return false
        }
        let ticket = exclusion.newTicket()
        return Parking.park(
            core, wait, begin: { exclusion.enter(ticket, keys, owner, around: holdersAround, onTurn: $0) },
            callOff: { [core] in core.keys.withdraw(ticket, keys) },
            goOn: { [core] hasThem in await core.enter(afterParking: hasThem) })
    }

    /// Ends the wait of a parked operation, which is stopped. A suspended run keeps its place in the line.
    private func withdraw(_ ticket: UInt64, _ keys: Set<ByteKey>) {
        let (exclusion, stays) = (core.environment.exclusion, core.isSuspended)
        guard exclusion.withdraw(ticket, keys, owner, stays: stays) else { return }
        if stays { exclusion.awaken(owner) } else { giveBackAll([]) }
    }

    /// Does the same where several processes share the keys.
    private func take(_ keys: Set<ByteKey>, from keeper: any KeyKeeper) async -> Bool {
        var answer = await keeper.take(keys, by: core.path, waits: true)
        if answer == .busy {
            let ticket = core.beginWait(wait)
            defer { core.endWait(ticket) }
            core.environment.supervisor?.waitBegan(until: .never)
            while answer == .busy {
                guard await keeper.turn(of: core.path) else {
                    // A suspended run keeps its place in the line.
                    if !core.isSuspended { keeper.leave(core.path) }
                    return false
                }
                answer = await keeper.take(keys, by: core.path, waits: true)
            }
        }
        return answer == .held ? await keep(keys, areStored: true) : false
    }

    /// Records the keys that were taken together with a slot, or takes them now where several processes share them.
    /// - Returns: nil when they are not free any more; false when the operation ended or the run was suspended.
    func keepWithSlot(_ keys: Set<ByteKey>) async -> Bool? {
        guard let keeper = core.environment.keyKeeper else { return await keep(keys) }
        switch await keeper.take(keys, by: core.path, waits: false) {
        case .held: return await keep(keys, areStored: true)
        case .busy: return nil
        case .over: return false
        }
    }

    /// Takes keys that are free; nil where `keepWithSlot` takes them.
    func taking(_ keys: Set<ByteKey>) -> (@Sendable () -> Bool)? {
        if keys.isEmpty || core.environment.keyKeeper != nil { return nil }
        let (exclusion, owner) = (core.environment.exclusion, owner)
        return { exclusion.takeNow(keys, owner) }
    }

    /// Records granted keys; false when the operation ended meanwhile or the run was suspended.
    /// - Parameter areStored: whether the ownership is durable already.
    private func keep(_ keys: Set<ByteKey>, areStored: Bool = false) async -> Bool {
        if areStored { for key in keys { core.environment.exclusion.restore(key.text, to: owner) } }
        let (isKept, isSuspended) = core.parts.withLock { parts -> (Bool, Bool) in
            if parts.life.isSuspended { return (false, true) }
            guard [.evaluatingConditions, .ready].contains(parts.life.state) else { return (false, false) }
            parts.keys = keys
            return (true, false)
        }
        guard isKept else {
            // The keys were granted while the tree was being suspended: it keeps them, and is resumed.
            if isSuspended { core.environment.exclusion.awaken(owner) } else { giveBackAll([]) }
            return false
        }
        guard !areStored, let journal = core.environment.journal else { return true }
        journal.note(taken: keys, freed: [], by: core.path)
        do { try await journal.flush() } catch { return false }
        return true
    }

    // MARK: Releasing

    /// Releases them before the execution, unless the run is suspended: then the operation keeps them.
    func giveBackEarly() {
        let keys = core.parts.withLock { parts -> Set<ByteKey> in
            if parts.life.isSuspended { return [] }
            defer { parts.keys = [] }
            return parts.keys
        }
        if !keys.isEmpty { giveBackAll(keys) }
    }

    /// Releases its keys at its end.
    /// - Parameter conditions: its conditions, which it has no more.
    func giveBack(_ keys: Set<ByteKey>, namedBy conditions: [any OperationCondition]) {
        guard conditions.contains(where: { !$0.exclusionKeys.isEmpty }) else { return }
        giveBackAll(keys)
    }

    /// An operation from an earlier run may end before its inner operations exist again to release their keys.
    func giveBackInside() {
        guard core.begunAt != nil, !core.environment.exclusion.isIdle else { return }
        note(freed: core.environment.exclusion.giveBackInside(of: owner))
    }

    /// Releases all its keys, from before this run or a restart, too.
    private func giveBackAll(_ keys: Set<ByteKey>) {
        note(freed: core.environment.exclusion.giveBack(owner).union(keys))
    }

    private func note(freed keys: Set<ByteKey>) {
        if keys.isEmpty { return }
        core.environment.journal?.note(taken: [], freed: keys, by: core.path)
        core.environment.keyKeeper?.freed()
    }
}

extension OperationCore {
    var keys: ExclusiveKeys { ExclusiveKeys(core: self) }
}
