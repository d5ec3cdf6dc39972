internal import JobJournal
internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

// DESIGN
// Operations report when they begin to wait. The run checks the tree in a separate turn of the loop, so that nothing in
// the tree can change meanwhile. Suspending a run closes its journal, releases the tree, and stores in one update the
// unsent entries, the reason why the job waits, and what wakes it.

/// Suspends a run whose whole tree waits.
extension JobRun {
    /// Reports that an operation of the tree began to wait.
    func waitBegan(until date: Timestamp) {
        let isLong = date.since(host.environment.clock.now) > .seconds(1)
        if let look = state.withLock({ $0.idle.waitBegan(isLong: isLong) }) { make(look) }
    }

    /// Reports that an operation of the tree that may have kept it busy became idle.
    func operationBecameIdle() {
        if let look = state.withLock({ $0.idle.operationBecameIdle() }) { make(look) }
    }

    private func make(_ look: IdleWatch.Look) {
        switch look {
        case .soon: host.loop.execute { [self] in looks(look) }
        case .later: host.later(.milliseconds(20)) { [self] in looks(look) }
        }
    }

    private func looks(_ look: IdleWatch.Look) {
        let isToBeStored = state.withLock { $0.idle.looks(look) }
        if !suspendIfIdle(for: host.settings.times.suspendAfter), isToBeStored { journal.flushUnsent() }
    }

    /// Suspends the run when its whole tree waits, at least for `shortest`. Returns whether it did.
    private func suspendIfIdle(for shortest: Duration) -> Bool {
        let (root, isStopping) = state.withLock { ($0.root, $0.isStopping) }
        let now = host.environment.clock.now
        guard let root, !isStopping, let until = root.idleUntil(),
            until.since(now) >= shortest
        else { return false }
        let waits = root.allWaits()
        guard var update = journal.close() else { return false }
        root.suspend()
        let (fold, facts) = (journal.fold, journal.facts)
        let history = fold.histories[[]]
        let wasStarted = history?.startedAt != nil
        let resting = restingState(fold, wasStarted: wasStarted, until: until)
        let views = fold.views(spec: spec, jobState: resting)
        var detail = restingDetail(facts, Self.counts(views))
        detail.hold = fold.hold
        detail.waits = Array(keptOf: views.lazy.compactMap(JobDetail.WaitingOperation.init)).map { waiting in
            var waiting = waiting
            let isHandedOut = waiting.wait.reason == .callback && fold.hasHandedOut(at: waiting.path)
            if isHandedOut { waiting.wait.detail = OperationWait.handedOut }
            return waiting
        }
        var standing = RunUpdate.Standing(
            state: resting, attempt: history?.lastAttempt ?? 0, dueAt: until == .never ? nil : until,
            detail: StoredDetail(detail))
        standing.wasStarted = wasStarted
        standing.postsSeen = facts.posts.seen
        standing.wakeKeys = Set(waits.compactMap { $0.wakeKey(of: claim.record.tenant) }).sorted()
        update.standing = standing
        update.summary = summary
        settle(update)
        return true
    }

    private func restingDetail(_ facts: RunFacts, _ operations: [JobState: Int]) -> JobDetail {
        var detail = JobDetail()
        detail.lastError = facts.lastError
        detail.operations = operations
        detail.progress = host.progress.progress(of: id)
        return detail
    }

    /// A summary that the next run reads in place of the journal that this one read, when it is much shorter. Of a run
    /// of a repetition, or a member, three entries of four or five stay, and a few of what is open.
    private var summary: JournalSummary? {
        guard claim.journal.count >= host.settings.limits.summaryMin else { return nil }
        let summary = JournalSummary(of: claim.journal, last: claim.journalEnd)
        return summary.entries.count <= claim.journal.count * 4 / 5 ? summary : nil
    }

    private func restingState(_ fold: JournalFold, wasStarted: Bool, until date: Timestamp) -> JobState {
        if fold.isHeld { return .held }
        if !wasStarted { return date == claim.record.runAt ? .scheduled : .pending }
        return fold.histories[[]]?.wait?.reason == .retry ? .retrying : .waiting
    }

    // MARK: Posts that do not come

    /// Recovers when a post with a lower number never arrives, because its notification was lost. A suspended run is
    /// queued again at once, and the next run finds all posts in the journal.
    func lookForPosts() {
        let isLooking = state.withLock { state in
            defer { state.isLookingForPosts = true }
            return state.isLookingForPosts
        }
        if !isLooking { lookForPostsLater(looks: 1) }
    }

    /// The number of looks after which a run is suspended whatever it is doing if it keeps a group open for a member
    /// that waits, since the group does not end by itself.
    private static let looksMax = 15

    private func lookForPostsLater(looks: Int) {
        host.later(.seconds(2)) { [self] in
            let posts = journal.facts.posts
            guard posts.isBroken, !journal.isClosed else {
                return state.withLock { $0.isLookingForPosts = false }
            }
            if suspendIfIdle(for: .zero) { return }
            if posts.hasEarlyMember, looks >= Self.looksMax { return suspendForShutdown() }
            lookForPostsLater(looks: looks + 1)
        }
    }

    /// Suspends the run whatever it is doing, as when the server stops: it resumes after the next start. A run whose
    /// start date is in the future keeps waiting for it.
    func suspendForShutdown() {
        let date = dateAhead
        guard var update = journal.close() else { return }
        state.withLock { $0.root }?.suspend()
        let (fold, facts) = (journal.fold, journal.facts)
        let (wasStarted, attempt) = (facts.wasStarted, facts.lastAttempt)
        var standing: RunUpdate.Standing
        if let date {
            standing = RunUpdate.Standing(
                state: restingState(fold, wasStarted: wasStarted, until: date), attempt: attempt, dueAt: date,
                detail: claim.record.detail)
            standing.postsSeen = facts.posts.seen
        } else {
            standing = RunUpdate.Standing(
                state: .queued, attempt: attempt,
                detail: StoredDetail(restingDetail(facts, counts(fold, .queued))))
        }
        standing.wasStarted = wasStarted
        update.standing = standing
        settle(update)
    }
}

extension OperationWait {
    /// The key under which a job of a tenant with this wait is woken; nil when a date or a post wakes it.
    fileprivate func wakeKey(of tenant: Tenant?) -> String? {
        switch reason {
        case .exclusion: ExclusiveHold.wakeKey
        case .grant: key.map { GrantRequest.wakeKey(tenant?.stored($0) ?? $0) }
        case .origin: key.map(WakeKey.origin)
        default: nil
        }
    }
}
