import StrictJSON

extension ModelRun {
    /// Ends one that was not begun, and all inside it.
    mutating func endUnstarted(_ operation: ModelOperation, _ state: String, codes: Set<String> = []) {
        for inner in operation.members + operation.finals {
            settle(inner, state == "skipped" ? "skipped" : "cancelled")
        }
        end(operation, state, nil, codes: codes)
    }

    func settle(_ operation: ModelOperation, _ state: String) {
        if operation.hasSucceeded { return }
        for inner in operation.members + operation.finals { settle(inner, state) }
        operation.phase = .ended
        operation.state = state
        operation.codes = []
        operation.isUnrun = true
    }

    mutating func end(
        _ operation: ModelOperation, _ state: String, _ result: JSONValue? = nil, codes: Set<String> = []
    ) {
        operation.phase = .ended
        operation.state = state
        operation.result = state == "succeeded" ? result : nil
        operation.codes = codes
        guard let parent = operation.parent, parent.phase == .running else { return }
        switch parent.spec.kind {
        case .group(_, _, let rules), .each(_, _, _, let rules):
            if !operation.isFinal { count(operation, in: parent, rules) }
        default: break
        }
    }

    /// Stops the rest of a group when that is its rule.
    mutating func count(_ operation: ModelOperation, in group: ModelOperation, _ rules: GroupRules) {
        if isReached(group, rules), !group.isStopped { stopRest(of: group) }
        if rules.failsFast, !canSucceed(group, rules) { stopRest(of: group) }
    }

    /// The successes of an earlier try may be enough.
    mutating func count(keptBy group: ModelOperation, _ rules: GroupRules) {
        if group.misreading != .keptCountsLate, isReached(group, rules) { stopRest(of: group) }
    }

    /// Whether so many members succeeded that the rest is stopped.
    func isReached(_ group: ModelOperation, _ rules: GroupRules) -> Bool {
        guard rules.cancelsRest else { return false }
        let successes = group.members.count { member in
            let isLate = group.misreading == .keptCountsLate
            return hasSucceeded(member, in: group)
                && (!isLate || member.dependencies.allSatisfy(\.operation.hasEnded))
        }
        switch rules.success {
        case .any: return successes > 0
        case .atLeast(let least): return successes >= least
        case .all, .tolerate: return false
        }
    }

    func hasSucceeded(_ member: ModelOperation, in group: ModelOperation) -> Bool {
        member.hasSucceeded
            || group.misreading == .excusedSucceeds && member.state == "failed" && member.spec.continues
    }

    mutating func stopRest(of group: ModelOperation) {
        for member in group.members where !member.hasEnded { cancel(member) }
    }

    func failures(of group: ModelOperation) -> Int {
        group.members.count { $0.hasEnded && $0.state == "failed" && !$0.spec.continues }
    }

    func canSucceed(_ group: ModelOperation, _ rules: GroupRules) -> Bool {
        let successes = group.members.count { hasSucceeded($0, in: group) }
        let open = group.members.count { !$0.hasEnded }
        switch rules.success {
        case .all: return failures(of: group) == 0
        case .any: return group.members.isEmpty || successes + open > 0
        case .atLeast(let least): return successes + open >= least
        case .tolerate(let count, let percent):
            let failed = failures(of: group)
            return failed <= count ?? Int.max && failed * 100 <= (percent ?? 100) * group.members.count
        }
    }

    mutating func close(_ group: ModelOperation) {
        let rules: GroupRules
        switch group.spec.kind {
        case .group(_, _, let those), .each(_, _, _, let those): rules = those
        case .choice: return closeChoice(group)
        case .repetition(let repetition, let one): return beginRun(repetition, one, of: group)
        default: return
        }
        if group.isStopped { return end(group, "cancelled") }
        let hasFailedFinally = group.finals.contains { $0.state == "failed" && !$0.spec.continues }
        guard !group.isBroken, !hasFailedFinally, canSucceed(group, rules) else {
            return end(group, "failed")
        }
        if case .each = group.spec.kind {
            return end(group, "succeeded", .array(group.members.map(\.listed)))
        }
        let members = group.members.filter(\.hasSucceeded).map { ($0.spec.name, $0.listed) }
        end(group, "succeeded", .object(JSONObject(members)))
    }

    /// Ends a choice as what is inside of it.
    mutating func closeChoice(_ choice: ModelOperation) {
        let inner = choice.current
        if inner.state == "skipped" { choice.isSkippedByItself = true }
        if choice.misreading == .continueCoversInner, inner.spec.continues, inner.state == "failed" {
            return end(choice, "succeeded", .null)
        }
        // One that is stopped while what is inside of it ends may be cancelled nevertheless.
        let isCancelled = choice.isStopped && (inner.state == "failed" || isStopWanted(for: choice))
        end(choice, isCancelled ? "cancelled" : inner.state, inner.result)
    }

    /// Whether nothing is left to be done but to end it. A request to stop it may then come too late.
    mutating func isOver(_ operation: ModelOperation) -> Bool {
        let isAtEnd =
            switch operation.spec.kind {
            case .value, .transform, .call: true
            case .delay: operation.dueAt <= now
            case .group, .each:
                (operation.members + operation.finals).allSatisfy(\.hasEnded)
            case .choice: operation.current.hasEnded
            case .repetition: operation.run > 0 && operation.current.hasEnded
            }
        return isAtEnd && !isStopWanted(for: operation)
    }

    /// Whether an operation that may end in both ways is cancelled.
    mutating func isStopWanted(for operation: ModelOperation) -> Bool {
        guard flip() || flip(), let end = wanted.ends[operation.path] else { return flip() }
        return end.state == "cancelled"
    }

    /// Whether the wanted outcome needs that something else comes first.
    func isUnwanted(_ move: Move) -> Bool {
        switch move {
        case .close: return false
        case .wake(let operation):
            return wanted.ends[operation.path]?.state == "cancelled" || isPatient && mayStopWanted(operation)
        case .start(let operation):
            // It may be refused, and then ends at once.
            let mayFail = wanted.ends[operation.path]?.state == "failed"
            return isPatient && mayFail && mayStopWanted(operation)
        }
    }

    /// Whether the end of an operation may stop another one that has more to do in the wanted outcome.
    private func mayStopWanted(_ operation: ModelOperation) -> Bool {
        var inner = operation
        while let group = inner.parent {
            if group.spec.stopsMembers {
                let others = group.members.filter { $0 !== inner && !$0.hasEnded }
                if others.contains(where: hasMoreToDo) { return true }
            }
            inner = group
        }
        return false
    }

    private func hasMoreToDo(_ operation: ModelOperation) -> Bool {
        wanted.ends[operation.path]?.state == "succeeded"
            || wanted.ends[operation.path + [String(operation.run + 1)]] != nil
    }

    /// Whether the wanted outcome needs that an operation begins before others end.
    func isWanted(_ move: Move) -> Bool {
        guard case .start(let operation) = move, let end = wanted.ends[operation.path] else { return false }
        guard !isUnwanted(move) else { return false }
        return end.state != "cancelled" || wanted.called.contains(operation.path)
    }

    /// Whether the wanted outcome needs that the operation makes calls, or one inside it does.
    func isCallWanted(_ move: Move) -> Bool {
        guard case .start(let operation) = move else { return false }
        return wanted.called.contains { $0.starts(with: operation.path) }
    }

    mutating func flip() -> Bool {
        chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return chance >> 63 == 0
    }

    /// Cancels an operation; what is to be done finally goes on.
    mutating func cancel(_ operation: ModelOperation) {
        switch operation.phase {
        case .ended: return
        case .waiting:
            // What is refused ends while the request is on its way, as others do at the same time.
            let isRefused =
                operation.dependencies.allSatisfy(\.operation.hasEnded) && refusal(of: operation) != nil
            if isRefused, !isStopWanted(for: operation) { return start(operation) }
            endUnstarted(operation, "cancelled")
        case .running:
            if isOver(operation) { return }
            operation.isStopped = true
            switch operation.spec.kind {
            case .delay, .value, .transform, .call: end(operation, "cancelled")
            case .group, .each: stopRest(of: operation)
            default: for member in operation.members where !member.hasEnded { cancel(member) }
            }
        }
    }
}
