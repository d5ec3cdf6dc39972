internal import Synchronization

extension OperationCore {
    /// How many names of members are listed.
    private static let membersShown = 20

    /// Why it is where it is.
    func explanation() -> OperationExplanation {
        let (state, since, isStopping) = standing.withLock { ($0.lifecycle.state, $0.since, $0.stop != nil) }
        let causes: [OperationExplanation.Cause] =
            switch state {
            case .initialized, .finishing, .finished: []
            case .pending: causesOfPending() + lastingCauses()
            case .evaluatingConditions: [.conditions(settings.conditions.map(\.name))] + lastingCauses()
            case .ready:
                causesOfReady() + lastingCauses().filter { $0 == .lasting(OperationWait(reason: .hold)) }
            case .executing:
                isStopping && openChildren.isEmpty ? [.stopping] : causesOfExecuting()
            }
        return OperationExplanation(
            name: name, path: publisherPath, state: state, since: since, causes: causes)
    }

    private func causesOfPending() -> [OperationExplanation.Cause] {
        var causes = edges.compactMap { edge -> OperationExplanation.Cause? in
            let state = edge.core.state
            return state == .finished ? nil : .dependency(name: edge.core.name, state: state)
        }
        if let unique = settings.unique, let wait = environment.uniqueness.wait(of: self, for: unique.key) {
            causes.append(.uniqueKey(unique.key, holder: wait.holder.name, ahead: wait.position))
        }
        return causes + causesOfStanding()
    }

    private func causesOfStanding() -> [OperationExplanation.Cause] {
        var causes: [OperationExplanation.Cause] = []
        if standing.withLock({ $0.isHeld }) { causes.append(.hold) }
        if let suspension = queue.suspension {
            let group = queue.parent?.name
            causes.append(
                suspension.isAsked
                    ? .suspendedQueue(name: group ?? queue.name) : .group(name: group ?? queue.name))
        }
        return causes
    }

    private func causesOfReady() -> [OperationExplanation.Cause] {
        var causes = causesOfStanding()
        let keys = settings.conditions.flatMap(\.exclusionKeys)
        if !keys.isEmpty, standing.withLock({ $0.heldKeys.isEmpty }) {
            // Not lazily: that asks twice, and the holder may give the key back between.
            let holder = keys.compactMap { environment.exclusion.holder(of: $0) }.first
            let ahead = environment.exclusion.position(of: exclusionOwner) ?? 0
            let name = holder.map { owner in
                owner.path.isEmpty
                    ? String(owner.job.prefix { $0 != "#" }) : owner.path.joined(separator: "/")
            }
            causes.append(.exclusiveKeys(keys, holder: name, ahead: ahead))
        }
        if let ahead = queue.slots.ahead(of: self), let capacity = queue.slots.capacity {
            causes.append(.capacity(capacity, ahead: ahead))
        }
        return causes
    }

    private var openChildren: [OperationCore] {
        standing.withLock { $0.children }.filter { $0.ending == nil }
    }

    private func causesOfExecuting() -> [OperationExplanation.Cause] {
        let lasting = lastingCauses()
        if !lasting.isEmpty { return lasting }
        let open = openChildren
        let others = awaitedNow.filter { other in !open.contains { $0 === other } }
        if !others.isEmpty { return others.map { .dependency(name: $0.name, state: $0.state) } }
        if open.isEmpty { return [.itself] }
        let names = open.prefix(Self.membersShown).map { $0.path.last ?? $0.name }
        return [.members(names, more: open.count - names.count)]
    }

    private func lastingCauses() -> [OperationExplanation.Cause] {
        standing.withLock { Array($0.waits.values) }.map { .lasting($0) }
    }
}
