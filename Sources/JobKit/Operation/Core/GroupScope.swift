internal import Synchronization

// DESIGN
// A group's members have a separate queue, which is suspended until the group is executed and has added its initial
// members. The tally decides under one lock which members may still join and when all have finished, so that an
// addition and the end of the group cannot miss each other. An operation is created before its admission and enqueued
// only then; one that is refused ends immediately, with the reason.

/// The members of a group: where they are added, watched and held back.
public final class GroupScope: Sendable {
    let queue: QueueCore
    private let rules: GroupRules
    private let group: OperationCore
    private let tally = Mutex(GroupTally())
    private let finals: FinalMembers
    /// The handles of a chain that resumes, in order.
    private let chain = Mutex<[any Sendable]>([])

    init(of group: OperationCore, rules: GroupRules) {
        self.group = group
        self.rules = rules
        queue = QueueCore(capacity: rules.concurrency, environment: group.environment, parent: group)
        finals = FinalMembers(of: group)
        queue.suspend(for: .notStarted)
        queue.setScope(self)
    }

    /// Adds a member. Possible until all members are finished, from anywhere. While the group is being stopped the
    /// member ends as cancelled at once; when the group is over it fails with `group.closed`, and is never executed.
    @discardableResult
    public func add<Output>(_ operation: some OperationConvertible<Output>) -> OperationHandle<Output> {
        add(operation.recipe, failureCounts: true)
    }

    /// Adds a member that runs when all others are finished, however they ended, and also when the group is stopped.
    /// Its failure is one of the group.
    @discardableResult
    public func addFinally<Output>(_ operation: some OperationConvertible<Output>) -> OperationHandle<
        Output
    > {
        finals.add(operation.recipe, failureCounts: true, ended: nil)
    }

    package func addFinally<Output>(
        _ recipe: OperationRecipe<Output>, failureCounts: Bool,
        ended: @escaping @Sendable (OperationEnding) -> Void
    ) -> OperationHandle<Output> {
        finals.add(recipe, failureCounts: failureCounts, ended: ended)
    }

    /// - Parameter ended: called with the outcome of the member, before the group ends.
    package func add<Output>(
        _ recipe: OperationRecipe<Output>, failureCounts: Bool,
        ended: (@Sendable (OperationEnding) -> Void)? = nil
    ) -> OperationHandle<Output> {
        queue.add(recipe) { member in
            if let ended { member.whenFinished(ended) }
            self.admit(member, failureCounts: failureCounts)
        }
    }

    private func admit(_ member: OperationCore, failureCounts: Bool) {
        let known = member.environment.journal?.history(of: member.path)?.ending
        let admission = tally.withLock {
            $0.admit(member, known: known, failureCounts: failureCounts, rules)
        }
        if case .closed = admission {
            return member.refuse(
                AOperationError(
                    .groupClosed,
                    detail: "\(member.name) was added to \(group.name) when that was over already."))
        }
        if case .joins(let before?) = admission {
            member.follow(
                before, rules.order == .carriesOn ? .named(.finished) : .orderly(failureCounts: true))
        }
        if known == nil {
            member.whenFinished { [self] ending in note(ending, failureCounts) }
        } else {
            member.whenFinished { [self] _ in tally.withLock { $0.noteRepeated() }?.resume() }
        }
        if case .joinsStopped = admission {
            member.cancel(code: .cancelledParent, reason: Self.stopReason)
        }
    }

    private static let stopReason = "its group is being stopped"

    private func note(_ ending: OperationEnding, _ failureCounts: Bool) {
        let action = tally.withLock { $0.note(ending, failureCounts: failureCounts, rules) }
        if group.feed.isObserved() { tellProgress() }
        if action.stopsRest { cancelMembers() }
        action.waiter?.resume()
    }

    /// Tells how many of the members are over. Counted when the event has its place: no later one tells fewer.
    private func tellProgress() {
        group.feed.raise(
            {
                let count = self.count
                return .progress(
                    OperationProgress(completed: Int64(count.total - count.open), total: Int64(count.total)))
            }, of: group, isLast: false, isMadeInOrder: true)
    }

    // MARK: Watching and steering

    /// The number of members by state.
    public var count: GroupCount { tally.withLock { $0.count } }

    /// The number of members executed at once; nil is no limit, 0 runs none. Lowering it stops no running member.
    public var concurrency: Int? {
        get { queue.slots.capacity }
        set { queue.slots.capacity = newValue }
    }

    /// Stops or resumes the start of members; running members go on.
    public var isSuspended: Bool {
        get { queue.isSuspended(for: .asked) }
        set { newValue ? queue.suspend(for: .asked) : queue.resume(for: .asked) }
    }

    /// Cancels all members, present and future; the group then ends by its rules.
    public func cancelMembers() {
        tally.withLock { $0.stop() }
        queue.cancelAll(code: .cancelledParent, reason: Self.stopReason)
    }

    /// Keeps the group open until `unreserve`; false when all members have finished.
    package func reserve() -> Bool { tally.withLock { $0.reserve() } }

    package func unreserve() { tally.withLock { $0.unreserve() }?.resume() }

    // MARK: The group's own part

    /// The handles that `keep(link:)` was given.
    var links: [any Sendable] { chain.withLock { $0 } }

    /// Keeps the handle of a link for a further attempt of the chain.
    func keep(link: any Sendable) { chain.withLock { $0.append(link) } }

    /// Whether nothing goes on in it although members are unfinished.
    var isAllWaiting: Bool {
        guard isStarted, queue.slots.isUnused, finals.queue.slots.isUnused else { return false }
        return queue.unfinishedCount + finals.queue.unfinishedCount > 0
    }

    /// Whether the members were let begin.
    var isStarted: Bool { !queue.isSuspended(for: .notStarted) }

    /// Starts the members, waits until all have finished and returns the errors of the group; empty when it succeeds.
    /// No member starts before this call, so that operations added by a member come after those added by the group
    /// itself.
    func allFinished() async -> [AOperationError] {
        // Members that ended in earlier runs may stop the rest before that begins.
        if tally.withLock({ $0.built(rules) }) { cancelMembers() }
        queue.resume(for: .notStarted)
        if queue.hasWaits.load(ordering: .relaxed) { group.loan.lendWhenAllWaits() }
        await withCheckedContinuation { continuation in
            if tally.withLock({ $0.wait(continuation) }) { continuation.resume() }
        }
        let late = await finals.run()
        return tally.withLock { $0.verdict(rules) } + late
    }

    /// The group ended without being executed, or before its members: they end with it, those of a cancelled group as
    /// cancelled, those of any other as skipped. Nothing when the group ended as usual.
    func dismiss(because ending: OperationEnding) {
        guard tally.withLock({ $0.close() }) else { return }
        let members = queue.allUnfinished + finals.allUnfinished
        if ending.state == .cancelled {
            return OperationCore.cancel(members, code: .cancelledParent, reason: "its group was cancelled")
        }
        let error = AOperationError(
            .dependencySkipped, detail: "Not run because its group \(group.name) was not.",
            causes: ending.errors)
        OperationCore.stop(members.map { ($0, .init(error: $0.stamp(error), state: .skipped)) })
    }
}

/// The members of a group that run at its very end.
private final class FinalMembers: Sendable {
    private struct State {
        var isClosed = false
        var open = 0
        var errors = KeptErrors()
        var waiter: CheckedContinuation<Void, Never>?
    }

    let queue: QueueCore
    private let state = Mutex(State())

    init(of group: OperationCore) {
        queue = QueueCore(capacity: nil, environment: group.environment, parent: group)
        queue.suspend(for: .notStarted)
    }

    var allUnfinished: [OperationCore] { queue.allUnfinished }

    package func add<Output>(
        _ recipe: OperationRecipe<Output>, failureCounts: Bool,
        ended: (@Sendable (OperationEnding) -> Void)?
    ) -> OperationHandle<Output> {
        queue.add(recipe) { [self] member in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.open += 1 }
                return state.isClosed
            }
            guard !isClosed else {
                return member.refuse(
                    AOperationError(
                        .groupClosed, detail: "\(member.name) was added when its group was over already."))
            }
            member.whenFinished { [self] ending in
                ended?(ending)
                note(ending, failureCounts)
            }
        }
    }

    private func note(_ ending: OperationEnding, _ failureCounts: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.open -= 1
            if ending.state == .failed, failureCounts { state.errors.add(ending.errors) }
            guard state.open == 0, let waiter = state.waiter else { return nil }
            state.isClosed = true
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }

    /// Runs them all and returns their errors.
    func run() async -> [AOperationError] {
        queue.resume(for: .notStarted)
        if queue.hasWaits.load(ordering: .relaxed) { queue.parent?.loan.lendWhenAllWaits() }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.open == 0 { state.isClosed = true } else { state.waiter = continuation }
                return state.open == 0
            }
            if isOver { continuation.resume() }
        }
        return state.withLock { $0.errors }.all(of: "final members")
    }
}

extension OperationCore {
    var isStopRequested: Bool { parts.withLock { $0.life.stop != nil } }

    /// The members, when it is a group that is not over.
    var scope: GroupScope? { parts.withLock { $0.scope } }

    /// Creates the scope before the group is executed.
    func prepareScope(_ rules: GroupRules) {
        let scope = GroupScope(of: self, rules: rules)
        parts.withLock { $0.scope = scope }
    }

    /// Drops the scope of a group that is not added to any queue: each would keep the other.
    func discardScope() { _ = parts.withLock { $0.scope.take() } }

    /// The scope for an attempt of a group: the one that the handle showed so far, or a new one. Its members start with
    /// `allFinished`.
    func openScope(_ rules: GroupRules) -> GroupScope {
        if let scope, !scope.isStarted { return scope }
        let fresh = GroupScope(of: self, rules: rules)
        parts.withLock { $0.scope = fresh }
        return fresh
    }
}
