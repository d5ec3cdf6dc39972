internal import StrictJSON
internal import Synchronization

/// Explains the state of an operation.
struct OperationExplainer {
    let core: OperationCore

    /// The number of members that are listed by name.
    private static let membersShown = 20

    func explanation() -> OperationExplanation {
        let (state, since, isStopping) = core.parts.withLock {
            ($0.life.state, $0.life.since, $0.life.stop != nil)
        }
        let causes: [OperationExplanation.Cause] =
            switch state {
            case .initialized, .finishing, .finished: []
            case .pending: causesOfPending() + lastingCauses()
            case .evaluatingConditions: [.conditions(core.conditions.map(\.name))] + lastingCauses()
            case .ready:
                causesOfReady() + lastingCauses().filter { $0 == .lasting(OperationWait(reason: .hold)) }
            case .executing:
                isStopping && openChildren.isEmpty ? [.stopping] : causesOfExecuting()
            }
        return OperationExplanation(
            name: core.name, path: core.publisherPath, state: state, since: since, causes: causes)
    }

    private func causesOfPending() -> [OperationExplanation.Cause] {
        var causes = core.edges.compactMap { edge -> OperationExplanation.Cause? in
            let state = edge.core.state
            return state == .finished ? nil : .dependency(name: edge.core.name, state: state)
        }
        if let unique = core.settings.unique,
            let wait = core.environment.uniqueness.wait(of: core, for: unique.key)
        {
            causes.append(.uniqueKey(unique.key, holder: wait.holder.name, ahead: wait.position))
        }
        return causes + causesOfSuspension()
    }

    private func causesOfSuspension() -> [OperationExplanation.Cause] {
        var causes: [OperationExplanation.Cause] = []
        if core.parts.withLock({ $0.life.isHeld }) { causes.append(.hold) }
        if let suspension = core.queue.suspension {
            let group = core.queue.parent?.name
            causes.append(
                suspension.isAsked
                    ? .suspendedQueue(name: group ?? core.queue.name) : .group(name: group ?? core.queue.name)
            )
        }
        return causes
    }

    private func causesOfReady() -> [OperationExplanation.Cause] {
        var causes = causesOfSuspension()
        let keys = core.conditions.flatMap(\.exclusionKeys)
        if !keys.isEmpty, core.parts.withLock({ $0.keys.isEmpty }) {
            // Not lazily: that would look twice, and the holder may release the key in between.
            let exclusion = core.environment.exclusion
            let holder = core.keys.wanted.sorted().compactMap { exclusion.holder(of: $0.text) }.first
            let ahead = core.environment.exclusion.position(of: core.keys.owner) ?? 0
            let name = holder.map { owner in
                owner.path.isEmpty
                    ? String(owner.job.prefix { $0 != "#" }) : owner.path.joined(separator: "/")
            }
            causes.append(.exclusiveKeys(keys, holder: name, ahead: ahead))
        }
        if let ahead = core.queue.slots.ahead(of: core), let capacity = core.queue.slots.capacity {
            causes.append(.capacity(capacity, ahead: ahead))
        }
        return causes
    }

    private var openChildren: [OperationCore] {
        core.parts.withLock { $0.links.children }.filter { $0.ending == nil }
    }

    private func causesOfExecuting() -> [OperationExplanation.Cause] {
        let lasting = lastingCauses()
        if !lasting.isEmpty { return lasting }
        let open = openChildren
        let others = core.loan.awaitedNow.filter { other in !open.contains { $0 === other } }
        if !others.isEmpty { return others.map { .dependency(name: $0.name, state: $0.state) } }
        if open.isEmpty { return [.itself] }
        let names = open.prefix(Self.membersShown).map { $0.path.last ?? $0.name }
        return [.members(names, more: open.count - names.count)]
    }

    private func lastingCauses() -> [OperationExplanation.Cause] {
        core.parts.withLock { $0.waits.waits }.map { .lasting($0) }
    }
}

extension OperationCore {
    package func explanation() -> OperationExplanation { OperationExplainer(core: self).explanation() }
}
