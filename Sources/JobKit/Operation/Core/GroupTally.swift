internal import Synchronization

/// The state of a group's members, and the actions due when one is added or ends. A value: the holder of the lock
/// around it carries out the actions.
struct GroupTally {
    /// The decision about a new member.
    enum Admission {
        /// Joins; after this one in an ordered group.
        case joins(after: OperationCore?)
        /// Joins and is stopped immediately: the group is being stopped.
        case joinsStopped
        /// Refused: the group is over.
        case closed
    }

    /// The actions after a member ended.
    struct Action {
        /// Whether the other members are to be stopped.
        var stopsRest = false
        /// The continuation that waits for the end of all members.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private(set) var count = GroupCount()
    private var errors = KeptErrors()
    private(set) var isClosed = false
    private var isBuilt = false
    private var isStopping = false
    /// The number of counted members that have yet to repeat the end which they had in an earlier run.
    private var repeating = 0
    private var last: OperationCore?
    private var waiter: CheckedContinuation<Void, Never>?

    /// Admits a member. One that ended in an earlier run counts from now on: others might stop because of it.
    /// - Parameters:
    ///   - known: its end in an earlier run.
    ///   - failureCounts: whether its failure counts for the group.
    mutating func admit(
        _ member: OperationCore, known: OperationEnding?, failureCounts: Bool, _ rules: GroupRules
    ) -> Admission {
        if isClosed { return .closed }
        if let known {
            repeating += 1
            add(known, failureCounts, rules)
        } else {
            count.open += 1
        }
        if isStopping { return .joinsStopped }
        guard rules.order != .none else { return .joins(after: nil) }
        defer { last = member }
        return .joins(after: last)
    }

    /// Keeps the group open for a future member; false when it is over.
    mutating func reserve() -> Bool {
        if !isClosed { count.open += 1 }
        return !isClosed
    }

    /// Ends a reservation; returns the waiting continuation when all members have finished.
    mutating func unreserve() -> CheckedContinuation<Void, Never>? {
        count.open -= 1
        return closeIfOver()
    }

    /// Records the end of a member.
    /// - Parameter failureCounts: whether its failure counts for the group.
    mutating func note(
        _ ending: OperationEnding, failureCounts: Bool, _ rules: GroupRules
    ) -> Action {
        count.open -= 1
        add(ending, failureCounts, rules)
        var action = Action()
        action.stopsRest = wantsToStop(rules)
        if action.stopsRest { isStopping = true }
        action.waiter = closeIfOver()
        return action
    }

    /// Records that a member repeated its end; returns the waiting continuation when all members have finished.
    mutating func noteRepeated() -> CheckedContinuation<Void, Never>? {
        repeating -= 1
        return closeIfOver()
    }

    private mutating func add(_ ending: OperationEnding, _ failureCounts: Bool, _ rules: GroupRules) {
        switch ending.state {
        case .succeeded: count.succeeded += 1
        case .cancelled: count.cancelled += 1
        case .failed, .expired: noteFailure(ending, failureCounts, rules)
        default: count.skipped += 1
        }
    }

    private mutating func noteFailure(_ ending: OperationEnding, _ counts: Bool, _ rules: GroupRules) {
        guard counts else {
            count.excused += 1
            return
        }
        let left = rules.childErrors.applied(to: ending.errors)
        guard !left.isEmpty || ending.errors.isEmpty else {
            count.succeeded += 1
            return
        }
        count.failed += 1
        errors.add(left)
    }

    private func wantsToStop(_ rules: GroupRules) -> Bool {
        if isStopping { return false }
        if rules.completion.cancelsRest && rules.completion.isReached(count) { return true }
        guard rules.failsFast else { return false }
        return isBuilt ? rules.completion.isHopeless(count) : rules.completion.isLost(count)
    }

    /// Waits for the end of all members, after the initial ones were added. True when all have finished already.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        waiter = continuation
        return closeIfOver() != nil
    }

    /// The group has been built. True when it cannot succeed any more and stops.
    mutating func built(_ rules: GroupRules) -> Bool {
        isBuilt = true
        guard wantsToStop(rules) else { return false }
        isStopping = true
        return true
    }

    /// Stops members that join from now on.
    mutating func stop() { isStopping = true }

    /// Admits no further members. False when the group was closed before.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }

    private mutating func closeIfOver() -> CheckedContinuation<Void, Never>? {
        guard isBuilt, count.open == 0, repeating == 0, let waiter else { return nil }
        isClosed = true
        last = nil
        self.waiter = nil
        return waiter
    }

    /// The errors of the group; empty when it succeeded. Only when all members are finished.
    func verdict(_ rules: GroupRules) -> [AOperationError] {
        if rules.completion.isMet(count) { return [] }
        if errors.isEmpty {
            let excused = count.excused > 0 ? "\(count.excused) failed without counting, " : ""
            let detail =
                "\(count.succeeded) of \(count.total) members succeeded, \(excused)"
                + "\(count.cancelled) were cancelled and \(count.skipped) skipped; that is not enough."
            return [AOperationError(.groupIncomplete, detail: detail)]
        }
        return errors.all(of: "members")
    }
}
