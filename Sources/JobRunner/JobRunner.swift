package import JobKit
package import JobStore
internal import StrictJSON
internal import Synchronization

// DESIGN
// The engine takes runnable jobs from the store, runs each as a tree of operations on its loop, and stores what they
// have to say. It wakes when a commit made a job runnable (`notice`), when a run ends and frees a slot, and when the
// earliest date it knows of has come; each time it claims as many jobs as it has slots for. Only one claim is under
// way at a time; whatever asks for another meanwhile is remembered. Between bites of upkeep it sleeps. `drain` stops
// claiming, lets runs end, and puts down those that do not.

/// Runs the jobs of a store.
package final class JobRunner: JobEngine {
    private struct Desk {
        var runs: [JobID: JobRun] = [:]
        /// Jobs whose stop was asked for while no run of theirs was known.
        var stops: Set<JobID> = []
        var isClaiming = false
        var claimsAgain = false
        var isDraining = false
        /// The drain has waited long enough.
        var isPuttingDown = false
        var isStarted = false
        var isTicking = false
        var nextDue: Timestamp?
        var drained: [CheckedContinuation<Void, Never>] = []
        /// Whether no job runs and none is just being taken.
        var isIdle: Bool { runs.isEmpty && !isClaiming }
    }

    let store: any JobStore
    let loop: any EngineLoop
    let settings: RunnerSettings
    let environment: AOperationEnvironment
    private let desk = Mutex(Desk())
    private let progress = ProgressBoard()
    private let isNoticed = Atomic<Bool>(false)
    private let dueTimer = Mutex<(any EngineTimer)?>(nil)
    private let ticker = Mutex<(any EngineTimer)?>(nil)
    private let upkeep = Mutex<Task<Void, Never>?>(nil)
    private let ended: @Sendable (JobOutcome) -> Void
    private let trouble: @Sendable (EngineTrouble) -> Void

    /// - Parameters:
    ///   - loop: where operations run and timers live.
    ///   - ended: called for every job that ends in a run.
    ///   - trouble: called when the store refuses something.
    package init(
        store: any JobStore, transport: any Transport, loop: any EngineLoop,
        settings: RunnerSettings = RunnerSettings(),
        ended: @escaping @Sendable (JobOutcome) -> Void = { _ in },
        trouble: @escaping @Sendable (EngineTrouble) -> Void = { _ in }
    ) {
        self.store = store
        self.loop = loop
        self.settings = settings
        self.ended = ended
        self.trouble = trouble
        var environment = AOperationEnvironment(
            clock: loop.clock, transport: transport, executor: loop)
        environment.digest = settings.digest
        environment.origins = OriginBoard(rules: settings.originRules)
        environment.artifacts = store.artifacts
        environment.grants = StoredGrants(store: store)
        environment.validators = StoredValidators(store: store)
        environment.vault = settings.vault
        environment.connections = settings.connections
        environment.digests = settings.digests
        environment.scrubber = settings.scrubber
        environment.chance = settings.chance
        self.environment = environment
    }

    /// How many jobs are running here.
    package var runningCount: Int { desk.withLock { $0.runs.count } }

    /// Puts back what an earlier process left running and begins to take jobs.
    /// - Throws: when the store cannot be written.
    package func start() async throws(JobStoreError) {
        let now = environment.clock.now
        let recovered = await withCheckedContinuation { continuation in
            store.recover(formerOwner: nil, now: now) { continuation.resume(returning: $0) }
        }
        _ = try recovered.get()
        try restoreHolds()
        desk.withLock { $0.isStarted = true }
        loop.execute { [self] in
            let timer = loop.makeTimer { [self] in dueTimeCame() }
            dueTimer.withLock { $0 = timer }
            let ticker = loop.makeTimer { [self] in tick() }
            self.ticker.withLock { $0 = ticker }
            claimMore()
            dueTimeCame()
        }
        let task = Task(executorPreference: loop) { [self] in await keepUp() }
        upkeep.withLock { $0 = task }
    }

    /// Gives operations the exclusive keys that they had before the restart.
    private func restoreHolds() throws(JobStoreError) {
        let reader = try store.makeReader()
        for hold in try reader.holds() {
            environment.exclusion.restore(
                hold.key, to: ExclusionOwner(job: hold.job.description, path: hold.path))
        }
        let exclusion = environment.exclusion
        exclusion.onGrant { [self] owner in
            guard let id = JobID(owner.job) else { return }
            wake(id) {
                let job = Result { () throws(JobStoreError) in try reader.job(id) }
                if Self.passesKeysOn(job) { exclusion.giveBack(owner) }
            }
        }
    }

    /// Wakes a job; when the store cannot at the moment, again until it can.
    /// - Parameter notWaiting: called when the job does not wait.
    private func wake(_ id: JobID, notWaiting: @escaping @Sendable () -> Void) {
        store.wake([id]) { [self] reply in
            switch reply {
            case .success(let count): if count == 0 { notWaiting() }
            case .failure(let error):
                guard error.isRetryable, !desk.withLock({ $0.isDraining }) else { return }
                Task(executorPreference: loop) { [self] in
                    try? await environment.clock.sleep(for: settings.storeRetry)
                    wake(id, notWaiting: notWaiting)
                }
            }
        }
    }

    /// Takes note of a commit. From any thread; cheap.
    package func notice(_ changes: [JobChange]) {
        var isRunnable = false
        var earliest: Timestamp?
        for change in changes {
            if change.state?.isFinal != false { environment.exclusion.forget(job: change.id.description) }
            if change.state == .queued { isRunnable = true }
            if let due = change.dueAt, change.state?.isFinal == false { earliest = min(earliest ?? due, due) }
            if change.state == .cancelling && change.dueAt != nil { isRunnable = true }
        }
        if let earliest { loop.execute { [self] in remember(due: earliest) } }
        if isRunnable && !isNoticed.exchange(true, ordering: .acquiringAndReleasing) {
            loop.execute { [self] in
                isNoticed.store(false, ordering: .releasing)
                claimMore()
            }
        }
    }

    /// Stops the run of a job. From any thread.
    package func stopRun(of id: JobID) {
        loop.execute { [self] in
            let run = desk.withLock { desk -> JobRun? in
                if let run = desk.runs[id] { return run }
                if desk.isClaiming { desk.stops.insert(id) }
                return nil
            }
            run?.cancel()
        }
    }

    /// Tells the run of a job what was posted to it. From any thread.
    package func deliver(_ message: JobMessage, number: Int64, to id: JobID) {
        loop.execute { [self] in desk.withLock { $0.runs[id] }?.deliver(message, number: number) }
    }

    /// See `JobEngine.reserveMember`.
    package func reserveMember(
        in group: [String], of id: JobID, answer: @escaping @Sendable (MemberPlace) -> Void
    ) {
        loop.execute { [self] in
            answer(desk.withLock { $0.runs[id] }?.reserveMember(in: group) ?? .notRunning)
        }
    }

    /// See `JobEngine.forgetMember`.
    package func forgetMember(in group: [String], of id: JobID) {
        loop.execute { [self] in desk.withLock { $0.runs[id] }?.forgetMember(in: group) }
    }

    /// See `JobEngine.explain`.
    package func explain(_ id: JobID, answer: @escaping @Sendable ([OperationExplanation]?) -> Void) {
        loop.execute { [self] in answer(desk.withLock { $0.runs[id] }?.explain()) }
    }

    /// See `JobEngine.progress`.
    package func progress(of id: JobID) -> JobProgress? { progress.progress(of: id) }

    /// See `JobEngine.holder`.
    package func holder(ofKey key: String) -> ExclusionOwner? { environment.exclusion.holder(of: key) }

    /// See `JobEngine.origins`.
    package var origins: OriginBoard { environment.origins }

    /// See `JobEngine.place`.
    package func place(of owner: ExclusionOwner) -> Int? { environment.exclusion.position(of: owner) }

    // MARK: Claiming

    /// Claims as many jobs as there are slots for. On the loop.
    func claimMore() {
        let room = desk.withLock { desk -> Int in
            guard desk.isStarted, !desk.isDraining else { return 0 }
            if desk.isClaiming {
                desk.claimsAgain = true
                return 0
            }
            let room = min(settings.concurrency - desk.runs.count, settings.claimBatchMax)
            desk.isClaiming = room > 0
            return room
        }
        guard room > 0 else { return }
        let now = environment.clock.now
        store.claim(limit: room, owner: settings.owner, now: now, lease: settings.lease) { [self] reply in
            loop.execute { [self] in claimed(reply, room) }
        }
    }

    private func claimed(_ reply: Result<[Claim], JobStoreError>, _ room: Int) {
        var hasMore = false
        switch reply {
        case .success(let claims):
            for claim in claims {
                begin(claim, isStopped: desk.withLock { $0.stops.contains(claim.record.id) })
            }
            hasMore = claims.count == room
        case .failure(let error):
            // A store that cannot be written at the moment says so itself.
            if !error.isRetryable {
                trouble(EngineTrouble(detail: "Jobs could not be claimed: \(error.detail)"))
            }
            remember(due: environment.clock.now.advanced(by: settings.storeRetry))
        }
        let again = desk.withLock { desk in
            desk.isClaiming = false
            desk.stops = []
            defer { desk.claimsAgain = false }
            return desk.claimsAgain && (try? reply.get()) != nil
        }
        endDrainWhenIdle()
        if hasMore || again { claimMore() }
    }

    private func begin(_ claim: Claim, isStopped: Bool) {
        let spec: JobSpec
        switch Self.spec(of: claim) {
        case .success(let read): spec = read
        case .failure(let problems): return refuse(claim, problems)
        }
        let run = JobRun(
            claim: claim, spec: spec,
            host: JobRun.Host(
                store: store, loop: loop, settings: settings, environment: environment, progress: progress,
                over: { [self] in over($0, $1) }, trouble: trouble,
                isGivingUp: { [self] in desk.withLock { $0.isPuttingDown } }))
        let isTicking = desk.withLock { desk in
            desk.runs[claim.record.id] = run
            defer { desk.isTicking = true }
            return desk.isTicking
        }
        if !isTicking { tickSoon() }
        if isStopped { run.cancel() }
        run.start()
        if desk.withLock({ $0.isPuttingDown }) { run.putDownForShutdown() }
    }

    /// What the spec of a claimed job says, with the members that were added to it.
    private static func spec(of claim: Claim) -> Result<JobSpec, SpecProblems> {
        if claim.journal.isEmpty, let known = claim.reading { return .success(known) }
        let additions = claim.journal.isEmpty ? [] : JournalFold(claim.journal.map(\.entry)).additions
        return JobSpecReader.readStored(claim.spec, adding: additions, now: claim.record.createdAt)
    }

    /// A stored spec that cannot be read any more: the job fails rather than being taken again and again.
    private func refuse(_ claim: Claim, _ problems: SpecProblems) {
        let first = problems.list.first.map { " At \"\($0.pointer)\": \($0.detail)" } ?? ""
        let error = AOperationError(
            .unexpected,
            detail: "The stored spec of this job cannot be read by this version of the server.\(first)")
        let now = environment.clock.now
        let ending = OperationEnding(state: .failed, errors: [error])
        store.update(
            RunUpdate(
                claim: claim.key, journal: [JournalEntry(at: now, path: [], event: .finished(ending))],
                standing: .init(
                    state: .failed, attempt: claim.record.attempt, finishedAt: now,
                    detail: JobDetail.error(error)))
        ) { _ in }
    }

    private func over(_ run: JobRun, _ standing: RunUpdate.Standing?) {
        loop.execute { [self] in
            desk.withLock { $0.runs[run.id] = nil }
            endDrainWhenIdle()
            if let standing, standing.state.isFinal { report(run, standing) }
            claimMore()
        }
    }

    private func report(_ run: JobRun, _ standing: RunUpdate.Standing) {
        let record = run.claim.record
        let end = standing.finishedAt ?? environment.clock.now
        ended(
            JobOutcome(
                id: record.id, name: record.name, type: record.type, queue: record.queue,
                state: standing.state,
                attempts: standing.attempt, duration: end.since(record.startedAt ?? end),
                errorCode: run.errorCode))
    }

    /// Makes durable what runs have noted and not yet said. Short runs say it all with their last word; those that
    /// take longer can be followed, and an attempt in flight is known after a crash.
    private func tick() {
        let runs = desk.withLock { desk in
            desk.isTicking = !desk.runs.isEmpty
            return Array(desk.runs.values)
        }
        for run in runs { run.flush() }
        if !runs.isEmpty { tickSoon() }
    }

    private func tickSoon() { ticker.withLock { $0 }?.schedule(after: settings.flushEvery) }

    // MARK: Due dates

    private func remember(due: Timestamp) {
        let isEarlier = desk.withLock { desk -> Bool in
            if let known = desk.nextDue, known <= due { return false }
            desk.nextDue = due
            return true
        }
        guard isEarlier else { return }
        let wait = max(.zero, environment.clock.remaining(until: due))
        dueTimer.withLock { $0 }?.schedule(after: min(wait, .seconds(30)))
    }

    private func dueTimeCame() {
        let now = environment.clock.now
        let isDue = desk.withLock { desk -> Bool in
            // Dates that are heard of from here on must not give way to an answer that does not know them.
            defer { desk.nextDue = nil }
            return desk.nextDue.map { $0 <= now } ?? false
        }
        if isDue { claimMore() }
        store.nextDueAt { [self] reply in
            guard let due = Self.due(reply, retryAt: environment.clock.now.advanced(by: settings.storeRetry))
            else { return }
            loop.execute { [self] in
                // What is due already waits for a slot, and a run that ends takes it: no hurry to look again.
                let isFull = desk.withLock { $0.runs.count >= settings.concurrency }
                let soonest = environment.clock.now.advanced(by: .milliseconds(isFull ? 100 : 1))
                remember(due: max(due, soonest))
            }
        }
    }

    // MARK: Stopping

    private func endDrainWhenIdle() {
        let drained = desk.withLock { desk -> [CheckedContinuation<Void, Never>] in
            guard desk.isDraining, desk.isIdle else { return [] }
            defer { desk.drained = [] }
            return desk.drained
        }
        for waiter in drained { waiter.resume() }
    }

    /// Stops taking jobs, waits at most `limit` for those that run, and puts down the rest: they go on after the next
    /// start. Jobs that are just being taken count as running.
    package func drain(within limit: Duration) async {
        desk.withLock { $0.isDraining = true }
        upkeep.withLock { $0 }?.cancel()
        let timer = Task(executorPreference: loop) { [self] in
            try await environment.clock.sleep(for: limit)
            let late = desk.withLock { desk in
                desk.isPuttingDown = true
                return Array(desk.runs.values)
            }
            for run in late { run.putDownForShutdown() }
        }
        await withCheckedContinuation { continuation in
            let isIdle = desk.withLock { desk -> Bool in
                if !desk.isIdle { desk.drained.append(continuation) }
                return desk.isIdle
            }
            if isIdle { continuation.resume() }
        }
        timer.cancel()
    }

    var claimKeys: [ClaimKey] { desk.withLock { $0.runs.values.map(\.claim.key) } }
}
