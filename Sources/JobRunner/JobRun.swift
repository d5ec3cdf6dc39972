internal import JobKit
internal import JobStore
internal import Synchronization

/// One run of one claimed job: the tree in memory from its claim to its end, or until it is put down.
final class JobRun: Sendable {
    private struct Course {
        var root: JobTree.Root?
        var isOver = false
        var isLooking = false
        var isStopping = false
        /// Whether it has been there for a tick.
        var isOld = false
        var errorCode: String?
    }

    /// What the owner of runs does for them. One for all of them.
    final class Host: Sendable {
        let store: any JobStore
        let loop: any EngineLoop
        let settings: RunnerSettings
        let environment: AOperationEnvironment
        let progress: ProgressBoard
        /// Nothing runs any more; the store has not taken the run's last word yet.
        let leaving: @Sendable (JobRun) -> Void
        /// The run is over.
        let over: @Sendable (JobRun, RunUpdate.Standing?) -> Void
        /// The store refused something.
        let trouble: @Sendable (EngineTrouble) -> Void
        /// Whether the server cannot wait any longer for what the store does not take.
        let isGivingUp: @Sendable () -> Bool

        init(
            store: any JobStore, loop: any EngineLoop, settings: RunnerSettings,
            environment: AOperationEnvironment, progress: ProgressBoard,
            leaving: @escaping @Sendable (JobRun) -> Void,
            over: @escaping @Sendable (JobRun, RunUpdate.Standing?) -> Void,
            trouble: @escaping @Sendable (EngineTrouble) -> Void,
            isGivingUp: @escaping @Sendable () -> Bool
        ) {
            self.store = store
            self.loop = loop
            self.settings = settings
            self.environment = environment
            self.progress = progress
            self.leaving = leaving
            self.over = over
            self.trouble = trouble
            self.isGivingUp = isGivingUp
        }
    }

    let claim: Claim
    /// The code of the first error the run ended with.
    var errorCode: String? { course.withLock { $0.errorCode } }
    /// With the members that were added so far.
    private let shownSpec: Mutex<JobSpec>
    private var spec: JobSpec { shownSpec.withLock { $0 } }
    private let host: Host
    private let past: JournalFold
    private let course = Mutex(Course())
    private let voice = Mutex<RunJournal?>(nil)
    private let inbox: JobInbox
    private let hold: TreeHold
    /// Before this date nothing begins; nil is at once.
    private let notBefore: Timestamp?

    init(claim: Claim, spec: JobSpec, host: Host) {
        self.claim = claim
        shownSpec = Mutex(spec)
        self.host = host
        var past = JournalFold(claim.journal)
        past.beginAnew(in: spec.operation)
        self.past = past
        inbox = JobInbox(messages: past.messages, taken: past.takenMessages)
        hold = TreeHold(isHeld: past.isHeld)
        notBefore = Self.date(of: claim, past)
    }

    var id: JobID { claim.record.id }

    /// What a job waits for that was claimed before its date. When that is no more than a clock which strikes then,
    /// something else may come before it, and the job is not held.
    private static func date(of claim: Claim, _ past: JournalFold) -> Timestamp? {
        if past.histories[[]]?.startedAt == nil, let runAt = claim.record.runAt { return runAt }
        guard let date = claim.aheadOf else { return nil }
        let isWait = past.histories.values.contains {
            $0.wait.map { $0.isForDate && $0.until == date } ?? false
        }
        return isWait ? date : nil
    }

    /// Its date, as long as nothing of it may begin.
    var dateAhead: Timestamp? {
        guard let notBefore, notBefore > host.environment.clock.now,
            course.withLock({ $0.root })?.isPending ?? true
        else { return nil }
        return notBefore
    }

    /// Begins. On the loop.
    func start() {
        let journal = RunJournal(
            of: self, claim: claim.key, store: host.store, past: past, mailSeen: claim.mail)
        voice.withLock { $0 = journal }
        var environment = host.environment
        environment.journal = journal
        environment.submittedAt = past.retriedAt ?? claim.record.createdAt
        environment.notBefore = notBefore
        environment.seed = id.description
        environment.inbox = inbox
        environment.hold = hold
        environment.progress = { [board = host.progress, id] path, progress in
            board.note(progress, of: path, in: id)
        }
        let root = JobTree(spec: spec, environment: environment, past: past, kinds: host.settings.kinds)
            .start { [self] ending in ended(ending) }
        let isStopping = course.withLock { course -> Bool in
            if !course.isOver { course.root = root }
            return course.isStopping
        }
        if isStopping || claim.record.state == .cancelling { cancel() }
    }

    /// Asks the tree to stop. `code` is that of the error; what the journal said before this run counts more.
    func cancel(_ code: ErrorCode = .cancelledUser) {
        let root = course.withLock { course -> JobTree.Root? in
            course.isStopping = true
            return course.root
        }
        let request = past.cancelRequest
        root?.cancel(code: request?.code ?? code, reason: request?.reason)
    }

    /// Takes something that was posted to the job; the store has it already. On the loop.
    func deliver(_ message: JobMessage, number: Int64) {
        guard let journal = voice.withLock({ $0 }),
            journal.noteSeen(message, number: number, at: host.environment.clock.now)
        else { return }
        inbox.deliver(message)
        switch message.content {
        case .hold:
            hold.isHeld = true
            lookSoon()
        case .release: hold.isHeld = false
        case .member(let group, _): join(group)
        case .signal, .approval: break
        }
    }

    // MARK: Members that are added

    /// Keeps a group open for a member. On the loop.
    func reserveMember(in group: [String]) -> MemberPlace {
        let root = course.withLock { $0.root }
        guard let root, let journal = voice.withLock({ $0 }), !isOver else { return .notRunning }
        let fold = journal.fold
        for count in 0...group.count where fold.histories[Array(group.prefix(count))]?.ending != nil {
            return .closed
        }
        if root.reserveMember(in: group) { return .reserved }
        return journal.isPutDown ? .notRunning : .closed
    }

    /// Ends a reservation. On the loop.
    func forgetMember(in group: [String]) {
        course.withLock { $0.root }?.settleMember(in: group, nil)
    }

    /// The last of the members that were added to a group joins it.
    private func join(_ group: [String]) {
        guard let root = course.withLock({ $0.root }), let fold = voice.withLock({ $0 })?.fold,
            case .success(let spec) = JobSpecReader.readStored(
                claim.spec, adding: fold.additions, now: claim.record.createdAt)
        else { return }
        shownSpec.withLock { $0 = spec }
        root.settleMember(in: group, spec.operation(at: group)?.latestMember)
    }

    private var isOver: Bool { course.withLock { $0.isOver } || voice.withLock { $0 }?.isPutDown == true }

    /// Why each operation that is not over is where it is.
    func explain() -> [OperationExplanation] { course.withLock { $0.root }?.explain() ?? [] }

    /// Sends what was noted and not said yet, without waiting for it, unless the run is younger than a tick: most runs
    /// end before the next one and say everything at once.
    func flush() {
        let wasOld = course.withLock { course in
            defer { course.isOld = true }
            return course.isOld
        }
        if wasOld { voice.withLock { $0 }?.flushUnsent() }
    }

    // MARK: The end

    private func ended(_ ending: OperationEnding) {
        let hasInner = spec.operation.hasInner
        guard let journal = voice.withLock({ $0 }), var update = journal.putDown(keepsFold: hasInner) else {
            return
        }
        let root = course.withLock { course in
            course.errorCode = ending.errors.first?.code.description
            // The tree ends here and not on the store's thread.
            defer { course.root = nil }
            return course.root
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
                // What it had put down is not brought back only to be stopped.
                let others = fold.cancelledEntries(of: spec, at: now)
                for entry in others { fold.apply(entry) }
                update.journal += others
            }
            fold.apply(last)
            operations = Self.counts(fold.views(spec: spec, jobState: ending.state))
        }
        let facts = journal.root
        var standing = RunUpdate.Standing(
            state: ending.state, attempt: facts.lastAttempt, finishedAt: now, result: ending.result)
        standing.detail = { [settings = host.settings, operations] in
            JobDetail.final(
                ending, operations: operations, inlineBytesMax: settings.inlineResultBytesMax,
                digest: settings.digest)
        }
        standing.wasStarted = facts.wasStarted
        update.journal.append(last)
        update.standing = standing
        settle(update)
    }

    /// Puts the run down when nothing in its tree can go on for a while; true when it did.
    func putDownIfStill() -> Bool {
        let (root, isStopping) = course.withLock { ($0.root, $0.isStopping) }
        let now = host.environment.clock.now
        guard let root, !isStopping, let until = root.quietUntil(),
            until.since(now) >= host.settings.putDownAfter
        else { return false }
        let waits = root.allWaits()
        guard let journal = voice.withLock({ $0 }), var update = journal.putDown() else { return false }
        let fold = journal.fold
        let history = fold.histories[[]]
        let wasStarted = history?.startedAt != nil
        let state = stateOfRest(fold, wasStarted: wasStarted, until: until)
        let views = fold.views(spec: spec, jobState: state)
        var standing = RunUpdate.Standing(
            state: state, attempt: history?.lastAttempt ?? 0, dueAt: until == .never ? nil : until,
            detail: JobDetail.waiting(
                lastError: journal.lastError, operations: Self.counts(views),
                waits: views.filter { $0.wait != nil }, hold: fold.hold,
                progress: host.progress.progress(of: id)))
        standing.wasStarted = wasStarted
        standing.mailSeen = journal.mailSeen
        standing.wakeKeys = Set(waits.compactMap(\.wakeKey)).sorted()
        update.standing = standing
        update.summary = summary
        settle(update)
        root.putDown()
        return true
    }

    /// What the next run reads in the place of what this one read, when that is much less. Of a run of a repetition, or
    /// a member, three entries of four or five stay, and a few of what is open.
    private var summary: JournalSummary? {
        guard claim.journal.count >= host.settings.summaryMin else { return nil }
        let summary = JournalSummary(of: claim.journal, last: claim.journalEnd)
        return summary.entries.count <= claim.journal.count * 4 / 5 ? summary : nil
    }

    private func stateOfRest(_ fold: JournalFold, wasStarted: Bool, until date: Timestamp) -> JobState {
        if fold.isHeld { return .paused }
        if !wasStarted { return date == claim.record.runAt ? .scheduled : .pending }
        return fold.histories[[]]?.wait?.reason == .retry ? .retrying : .waiting
    }

    /// Looks a moment later whether the tree has fallen still: what just ended may have woken something.
    func lookSoon() {
        let isFirst = course.withLock { course -> Bool in
            defer { course.isLooking = true }
            return !course.isLooking && !course.isOver
        }
        guard isFirst else { return }
        Task(executorPreference: host.loop) { [self] in
            try? await host.environment.clock.sleep(for: .milliseconds(20))
            course.withLock { $0.isLooking = false }
            _ = putDownIfStill()
        }
    }

    /// Puts the run down whatever it is doing, because the server stops: it goes on after the next start. One whose
    /// date has not come waits for it as before.
    func putDownForShutdown() {
        let root = course.withLock { $0.root }
        guard let journal = voice.withLock({ $0 }), var update = journal.putDown() else { return }
        let fold = journal.fold
        let (wasStarted, attempt) = (journal.root.wasStarted, journal.root.lastAttempt)
        var standing: RunUpdate.Standing
        if let date = dateAhead {
            standing = RunUpdate.Standing(
                state: stateOfRest(fold, wasStarted: wasStarted, until: date), attempt: attempt, dueAt: date,
                detail: claim.record.detail)
            standing.mailSeen = journal.mailSeen
        } else {
            standing = RunUpdate.Standing(
                state: .queued, attempt: attempt,
                detail: JobDetail.waiting(
                    lastError: journal.lastError, operations: counts(fold, .queued), waits: [],
                    progress: host.progress.progress(of: id)))
        }
        standing.wasStarted = wasStarted
        update.standing = standing
        // A store may reply at once, and then the run is over here.
        settle(update)
        root?.putDown()
    }

    /// The claim is gone or the store is sick.
    func lost(_ error: JobStoreError) {
        guard let journal = voice.withLock({ $0 }), journal.putDown() != nil else { return }
        host.trouble(EngineTrouble(detail: error.detail, id: id))
        course.withLock { $0.root }?.putDown()
        if error.code == .staleClaim { return finish(nil) }
        // What was not stored happens again from the journal, under the rules for interrupted attempts.
        settle(
            RunUpdate(
                claim: claim.key, journal: [],
                standing: .init(state: .queued, attempt: claim.record.attempt, detail: claim.record.detail)))
    }

    /// Stores the last word of the run, behind what is in flight.
    private func settle(_ update: RunUpdate) {
        host.leaving(self)
        guard let journal = voice.withLock({ $0 }) else { return store(update) }
        journal.whenLanded(update) { [self] in store($0) }
    }

    /// Stores the last word of the run. A server that must stop leaves the job to its next start, which finds it in the
    /// journal.
    private func store(_ update: RunUpdate) {
        host.storeLastWord(update) { [self] isStored in finish(isStored ? update.standing : nil) }
    }

    /// Calls `body` when the store may take again what it refused.
    func tryLater(_ body: @escaping @Sendable () -> Void) { host.later(host.settings.storeRetry, body) }

    private func finish(_ standing: RunUpdate.Standing?) {
        course.withLock { course in
            course.isOver = true
            course.root = nil
        }
        voice.withLock { $0 }?.letGo()
        host.progress.forget(id)
        host.environment.artifacts?.release(owner: id.description)
        host.over(self, standing)
    }

    private func counts(_ fold: JournalFold, _ state: JobState) -> [JobState: Int] {
        spec.operation.hasInner ? Self.counts(fold.views(spec: spec, jobState: state)) : [:]
    }

    /// How many of a job's operations stand where, the root left out.
    private static func counts(_ views: [OperationView]) -> [JobState: Int] {
        var counts: [JobState: Int] = [:]
        for view in views.dropFirst() { counts[view.state, default: 0] += 1 }
        return counts
    }
}

extension OperationWait {
    /// The key under which a job that waits for this is woken; nil when a date or a post wakes it.
    var wakeKey: String? {
        switch reason {
        case .exclusion: ExclusiveHold.wakeKey
        case .grant: key.map { "grant:\($0)" }
        case .origin: key.map(OriginWake.key)
        default: nil
        }
    }
}
