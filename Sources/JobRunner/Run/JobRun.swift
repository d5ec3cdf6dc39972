internal import JobJournal
internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

/// One run of a claimed job: the tree in memory from its claim until it ends or is suspended.
final class JobRun: Sendable {
    struct State {
        var root: JobTree.Root?
        var idle = IdleWatch()
        var isOver = false
        var slot = RunSlot()
        /// The request that stops the run; nil while there is none.
        var stop: Stop?
        var isStopping: Bool { stop != nil }
        /// Whether it looks again and again for posts that wait for an earlier one.
        var isLookingForPosts = false
        /// Whether the run has lived through a tick.
        var isOld = false
        /// The uptime until which other servers want to know its progress, and what they were told last.
        var watchedUntil = Duration.zero
        var told: LiveProgress?
        var errorCode: String?
    }

    /// A request to stop a run.
    struct Stop: Sendable {
        var code = ErrorCode.cancelledUser
        /// For people.
        var reason: String?
        /// The fence of the claim whose run is meant; 0 when any is.
        var fence: Int64 = 0
    }

    let claim: Claim
    /// The code of the first error that the run ended with.
    var errorCode: String? { state.withLock { $0.errorCode } }
    /// Includes the members added so far.
    private let shownSpec: Mutex<KnownSpec>
    var spec: JobSpec { shownSpec.withLock { $0 }.spec }
    let host: RunHost
    let journal: RunJournal
    /// The exclusive keys of the run; nil where the server keeps them.
    let keys: RunKeys?
    private let past: JournalFold
    /// The spans of the run; nil without tracing.
    let trace: RunTrace?
    let state = Mutex(State())
    private let inbox: JobInbox
    private let hold: TreeHold
    /// The date before which no operation starts; nil means at once.
    private let notBefore: Timestamp?

    init(claim: Claim, spec: KnownSpec, host: RunHost) {
        self.claim = claim
        shownSpec = Mutex(spec)
        self.host = host
        var past = JournalFold(claim.journal)
        past.beginAnew(in: spec.spec.operation)
        past.forgetParts()
        self.past = past
        trace = host.settings.tracing.map {
            RunTrace(of: claim.record, past: past, tracer: $0.tracer, scrubber: $0.scrubber)
        }
        let journal = RunJournal(
            claim: claim.key, of: claim.record.tenant, host: host, past: past, postsSeen: claim.posts,
            trace: trace)
        self.journal = journal
        keys = journal.store.shared.map { RunKeys(claim: claim.key, in: $0, host: host, journal: journal) }
        inbox = JobInbox(messages: past.messages, taken: past.takenMessages)
        hold = TreeHold(isHeld: past.isHeld)
        notBefore = Self.date(of: claim, past)
    }

    var id: JobID { claim.record.id }

    /// The date before which no operation of a job claimed ahead of it may start; nil when the date belongs to a clock
    /// such as a timeout, since another event may come before that.
    private static func date(of claim: Claim, _ past: JournalFold) -> Timestamp? {
        if past.histories[[]]?.startedAt == nil, let runAt = claim.record.runAt { return runAt }
        guard let date = claim.aheadOf else { return nil }
        let isWait = past.histories.values.contains {
            $0.wait.map { $0.isForDate && $0.until == date } ?? false
        }
        return isWait ? date : nil
    }

    /// The start date, as long as no operation may start.
    var dateAhead: Timestamp? {
        guard let notBefore, notBefore > host.environment.clock.now,
            state.withLock({ $0.root })?.isPending ?? true
        else { return nil }
        return notBefore
    }

    /// Starts the tree, when the content that references may read is on this machine. On the loop.
    func start() {
        guard let place = host.environment.artifacts, place.keepsElsewhere else { return startTree() }
        let needed = past.readableArtifacts
        if needed.isEmpty { return startTree() }
        Task(executorPreference: host.loop) { [self] in
            // An operation that misses content fails with an error that says so, and may be retried.
            try? await place.fetch(needed, for: id.description)
            if !isOver { startTree() }
        }
    }

    /// The environment of the tree.
    /// - Parameter services: those of the server; become the tenant's.
    private func environment(_ services: inout CallServices) -> OperationEnvironment {
        var environment = host.environment
        environment.journal = journal
        environment.keyKeeper = keys
        environment.supervisor = RunSupervisor(host: host, id: id)
        environment.submittedAt = past.retriedAt ?? claim.record.createdAt
        environment.notBefore = notBefore
        environment.heedsStartBy = past.retriedAt == nil
        environment.seed = id.description
        environment.inbox = inbox
        environment.hold = hold
        environment.callFields = trace?.callFields
        environment.progress = { [board = host.progress, id] path, progress in
            board.note(progress, of: path, in: id)
        }
        if let tenant = claim.record.tenant { services = host.tenants.enter(tenant, &environment) }
        environment.callbacks = StoredCallbacks(of: claim.key, in: journal.store, host: host)
        return environment
    }

    private func startTree() {
        var services = host.services
        let root = JobTree(
            spec: spec, environment: environment(&services), past: past, kinds: host.settings.kinds,
            services: services
        )
        .start { [self] ending in ended(ending) }
        let stop = state.withLock { state -> Stop? in
            if !state.isOver { state.root = root }
            return state.stop
        }
        if stop != nil || claim.record.state == .cancelling { cancel(stop ?? Stop()) }
    }

    /// Cancels the tree. A cancellation request in the journal of the past takes precedence over `stop`. One that is
    /// told late may be of an earlier run, after which a person retried the job.
    func cancel(_ stop: Stop) {
        if stop.fence > 0, stop.fence < claim.record.fence { return }
        let root = state.withLock { state -> JobTree.Root? in
            state.stop = state.stop ?? stop
            return state.root
        }
        let request = past.cancelRequest
        root?.cancel(code: request?.code ?? stop.code, reason: request == nil ? stop.reason : request?.reason)
    }

    /// Takes a post, which is already stored, unless the run has it: when its turn has come. On the loop.
    func deliver(_ message: JobMessage, number: Int64) {
        journal.arrived(message, number: number)
        while let next = journal.nextPost(at: host.environment.clock.now) { see(next) }
        if journal.facts.posts.isBroken { lookForPosts() }
    }

    private func see(_ message: JobMessage) {
        inbox.deliver(message)
        switch message.content {
        case .hold:
            hold.isHeld = true
            operationBecameIdle()
        case .release: hold.isHeld = false
        case .member(let group, _): join(group)
        case .signal, .content, .report, .approval: break
        }
    }

    // MARK: Members that are added

    /// Keeps a group open for a member. On the loop.
    func reserveMember(in group: [String]) -> MemberPlace {
        let root = state.withLock { $0.root }
        guard let root, !isOver else { return .notRunning }
        let fold = journal.fold
        for count in 0...group.count where fold.histories[Array(group.prefix(count))]?.ending != nil {
            return .closed
        }
        if root.reserveMember(in: group) { return .reserved }
        return journal.isClosed ? .notRunning : .closed
    }

    /// Ends a reservation. On the loop.
    func forgetMember(in group: [String]) {
        state.withLock { $0.root }?.settleMember(in: group, nil)
    }

    /// Adds the last member posted to a group.
    private func join(_ group: [String]) {
        guard let root = state.withLock({ $0.root }),
            case .success(let known) = claim.read(adding: journal.fold.additions)
        else { return }
        shownSpec.withLock { $0 = known }
        journal.forgetCounts()
        root.settleMember(in: group, known.spec.operation(at: group)?.latestMember)
    }

    private var isOver: Bool { state.withLock { $0.isOver } || journal.isClosed }

    /// Its progress; nil when it has none, or is over.
    var progress: LiveProgress? {
        let spec = spec
        return LiveProgress(
            reported: host.progress.progress(of: id),
            operations: spec.operation.hasInner && !isOver ? journal.counts(of: spec) : nil)
    }

    /// Has its progress told to other servers, from the beginning.
    func watch(until end: Duration) {
        state.withLock { ($0.watchedUntil, $0.told) = (end, nil) }
    }

    /// The progress that other servers want to know and were not told yet.
    func news(at uptime: Duration) -> LiveProgress? {
        guard state.withLock({ $0.watchedUntil > uptime }), let progress else { return nil }
        return state.withLock { state in
            defer { state.told = progress }
            return state.told == progress ? nil : progress
        }
    }

    /// Explains each unfinished operation.
    func explain() -> [OperationExplanation] { state.withLock { $0.root }?.explain() ?? [] }

    /// Sends the unsent entries without waiting for the store, unless the run is younger than a tick: most runs end
    /// before the next one and send everything at once.
    func flush() {
        let wasOld = state.withLock { state in
            defer { state.isOld = true }
            return state.isOld
        }
        if wasOld { journal.flushUnsent() }
    }

    // MARK: The end

    private func ended(_ full: OperationEnding) {
        let ending = full.kept
        let spec = shownSpec.withLock { $0 }
        let hasInner = spec.spec.operation.hasInner
        guard var update = journal.close(keepsFold: hasInner) else { return }
        let root = state.withLock { state in
            state.errorCode = ending.errors.first?.code.description
            // Releases the tree here rather than on the store's thread.
            defer { state.root = nil }
            return state.root
        }
        withExtendedLifetime(root) {}
        var noted = ending
        noted.result = nil
        let now = host.environment.clock.now
        let last = JournalEntry(at: now, path: [], event: .finished(noted))
        var operations: [JobState: Int] = [:]
        if hasInner {
            var fold = journal.fold
            if ending.state == .cancelled {
                // Operations of earlier runs are not restored only to be cancelled.
                let others = fold.cancelledEntries(of: spec.spec, at: now)
                for entry in others { fold.apply(entry) }
                update.journal += others
            }
            fold.apply(last)
            operations = Self.counts(fold.views(spec: spec.spec, jobState: ending.state))
        }
        let facts = journal.facts
        var detail = JobDetail(errors: ending.errors)
        detail.isAbandoned = ending.abandoned
        detail.operations = operations
        detail.call = facts.call(after: ending.errors)
        var standing = RunUpdate.Standing(
            state: ending.state, attempt: facts.lastAttempt, finishedAt: now, detail: StoredDetail(detail),
            result: ending.result)
        standing.resultRules = ResultSummary.Rules(
            inlineBytesMax: host.settings.limits.inlineResultBytesMax, digest: host.environment.digest)
        standing.wasStarted = facts.wasStarted
        update.journal.append(last)
        trace?.end(noted, at: now)
        update.standing = standing
        settle(update)
    }

    /// Ends a run whose claim is lost: nothing more of it is written. On the loop.
    func drop() {
        guard journal.drop() else { return }
        state.withLock { $0.root }?.suspend()
        finish(nil)
    }

    /// Handles an update that the store refused for good. On the loop.
    func lost(_ error: JobStoreError) {
        guard journal.closeLost() else { return }
        state.withLock { $0.root }?.suspend()
        host.trouble(EngineTrouble(detail: error.detail, id: id))
        if error.code == .staleClaim { return finish(nil) }
        // The next run repeats what was not stored, under the rules for interrupted attempts.
        settle(
            RunUpdate(
                claim: claim.key, journal: [],
                standing: .init(state: .queued, attempt: claim.record.attempt, detail: claim.record.detail)))
    }

    /// Stores the last update of the run, after the one in flight. A server that must stop leaves the job to the next
    /// start, which resumes it from the journal.
    func settle(_ update: RunUpdate) {
        host.leaving(self)
        journal.finish(with: update) { [self] last in
            host.storeLast(last, in: journal.store) { [self] isStored in
                finish(isStored ? last.standing : nil)
            }
        }
    }

    private func finish(_ standing: RunUpdate.Standing?) {
        state.withLock { state in
            state.isOver = true
            state.root = nil
        }
        host.progress.forget(id)
        host.environment.artifacts?.release(owner: id.description)
        host.over(self, standing)
    }

    func counts(_ fold: JournalFold, _ state: JobState) -> [JobState: Int] {
        spec.operation.hasInner ? Self.counts(fold.views(spec: spec, jobState: state)) : [:]
    }

    /// The number of a job's operations in each state, without the root.
    static func counts(_ views: [OperationView]) -> [JobState: Int] {
        var counts: [JobState: Int] = [:]
        for view in views.dropFirst() { counts[view.state, default: 0] += 1 }
        return counts
    }
}

extension JobOutcome {
    init(_ run: JobRun, _ standing: RunUpdate.Standing, now: Timestamp) {
        let record = run.claim.record
        let end = standing.finishedAt ?? now
        self.init(
            id: record.id, name: record.name, type: record.type, queue: record.queue, state: standing.state,
            attempts: standing.attempt, duration: max(.zero, end.since(record.startedAt ?? end)),
            errorCode: run.errorCode)
    }
}
