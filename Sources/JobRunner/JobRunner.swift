package import JobKit
internal import JobSpec
package import JobStore
internal import StrictJSON
internal import Synchronization

// DESIGN
// The engine takes runnable jobs from the store, runs each as a tree of operations on its loop, and stores what they
// have to say. New jobs come claimed with the commit that stores them while there is room (`JobArrivals`). It asks for
// others when a commit made a job runnable (`notice`), when a run ends and frees its room, and when the earliest date
// it knows of has come; one claim is under way at a time, for as many jobs as there is room for. Between bites of
// upkeep it sleeps. `drain` stops claiming, lets runs end, and suspends those that do not.

/// Runs the jobs of a store.
package final class JobRunner: JobEngine {

    let store: any JobStore
    let loop: any EngineLoop
    let settings: RunnerSettings
    let environment: AOperationEnvironment
    let services: CallServices
    let state = Mutex(RunnerState())
    let slots: RunSlots
    let progress = ProgressBoard()
    let callbacks: CallbackSender
    private let isNoticed = Atomic<Bool>(false)
    private let isAsking = Atomic<Bool>(false)
    private let dueTimer = Mutex<(any EngineTimer)?>(nil)
    private let ticker = Mutex<(any EngineTimer)?>(nil)
    private let upkeep = Mutex<Task<Void, Never>?>(nil)
    private let ended: @Sendable (JobOutcome) -> Void
    let trouble: @Sendable (EngineTrouble) -> Void

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
        slots = RunSlots(settings.concurrency)
        self.ended = ended
        self.trouble = trouble
        callbacks = CallbackSender(store: store, loop: loop, jobs: settings.callbacks, trouble: trouble)
        var environment = AOperationEnvironment(
            clock: loop.clock, transport: transport, executor: loop)
        environment.digest = settings.digest
        environment.origins = OriginBoard(rules: settings.originRules)
        environment.artifacts = store.artifacts
        environment.grants = StoredGrants(store: store)
        environment.validators = StoredValidators(store: store)
        environment.vault = settings.vault
        services = CallServices(connections: settings.connections)
        environment.digests = settings.digests
        environment.scrubber = settings.scrubber
        environment.chance = settings.chance
        self.environment = environment
    }

    /// The number of jobs that are running here.
    package var runningCount: Int { state.withLock { $0.runs.count } }

    /// Puts back what an earlier process left running and begins to take jobs.
    /// - Throws: when the store cannot be written.
    package func start() async throws(JobStoreError) {
        try await beginLease()
        // Lines for exclusive keys are in memory, and begin anew.
        _ = try await answer { store.wake(key: ExclusiveHold.wakeKey, reply: $0) }
        let reader = try store.makeReader()
        try restoreHolds(reader)
        state.withLock { $0.isStarted = true }
        takeArrivals()
        loop.execute { [self] in
            let timer = loop.makeTimer { [self] in dueTimeCame() }
            dueTimer.withLock { $0 = timer }
            let ticker = loop.makeTimer { [self] in tick() }
            self.ticker.withLock { $0 = ticker }
            mayFindMore()
            dueTimeCame()
            callbacks.start(reader)
            beginWithSuspects()
        }
        let task = Task(executorPreference: loop) { [self] in await keepUp() }
        upkeep.withLock { $0 = task }
    }

    /// Gives operations the exclusive keys that they had before the restart.
    private func restoreHolds(_ reader: any JobReader) throws(JobStoreError) {
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
                guard error.isRetryable, !state.withLock({ $0.isDraining }) else { return }
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
        var hasCallbacks = false
        let holdsKeys = !environment.exclusion.isIdle
        for change in changes {
            if holdsKeys, change.state?.isFinal != false {
                environment.exclusion.forget(job: change.id.description)
            }
            // One that is to be stopped may have been suspended meanwhile: a claim ends it.
            if change.state == .queued || change.state == .cancelling { isRunnable = true }
            if let due = change.dueAt, change.state?.isFinal == false { earliest = min(earliest ?? due, due) }
            if change.hasCallbacks { hasCallbacks = true }
        }
        if hasCallbacks { loop.execute { [self] in callbacks.mayFindMore() } }
        if let earliest { loop.execute { [self] in look(at: lookFor(earliest)) } }
        if isRunnable && !isNoticed.exchange(true, ordering: .acquiringAndReleasing) {
            loop.execute { [self] in
                isNoticed.store(false, ordering: .releasing)
                mayFindMore()
            }
        }
    }

    /// Stops the run of a job. From any thread.
    package func stopRun(of id: JobID, as code: ErrorCode) {
        loop.execute { [self] in
            let run = state.withLock { state -> JobRun? in
                if let run = state.runs[id] { return run }
                if state.isClaiming { state.stops[id] = code }
                return nil
            }
            run?.cancel(code)
        }
    }

    /// Tells the run of a job what was posted to it. From any thread.
    package func deliver(_ message: JobMessage, number: Int64, to id: JobID) {
        loop.execute { [self] in state.withLock { $0.runs[id] }?.deliver(message, number: number) }
    }

    /// See `JobEngine.reserveMember`.
    package func reserveMember(
        in group: [String], of id: JobID, answer: @escaping @Sendable (MemberPlace) -> Void
    ) {
        loop.execute { [self] in
            answer(state.withLock { $0.runs[id] }?.reserveMember(in: group) ?? .notRunning)
        }
    }

    /// See `JobEngine.forgetMember`.
    package func forgetMember(in group: [String], of id: JobID) {
        loop.execute { [self] in state.withLock { $0.runs[id] }?.forgetMember(in: group) }
    }

    /// See `JobEngine.explain`.
    package func explain(_ id: JobID, answer: @escaping @Sendable ([OperationExplanation]?) -> Void) {
        loop.execute { [self] in answer(state.withLock { $0.runs[id] }?.explain()) }
    }

    /// See `JobEngine.progress`.
    package func progress(of id: JobID) -> JobProgress? { progress.progress(of: id) }

    /// See `JobEngine.holder`.
    package func holder(ofKey key: String) -> ExclusionOwner? { environment.exclusion.holder(of: key) }

    /// See `JobEngine.origins`.
    package var origins: OriginBoard { environment.origins }

    /// See `JobEngine.place`.
    package func place(of owner: ExclusionOwner) -> Int? { environment.exclusion.position(of: owner) }

    // MARK: Ends

    /// Nothing runs any more in this run: another one may begin, unless too many wait for the store already.
    func leaving(_ run: JobRun) {
        let isFull = state.withLock { state -> Bool in
            let isFull = state.runs.count >= settings.concurrency + settings.settlingMax
            if !isFull { state.settling.insert(ObjectIdentifier(run)) }
            return isFull
        }
        if !isFull { giveRoom() }
    }

    func over(_ run: JobRun, _ standing: RunUpdate.Standing?) {
        loop.execute { [self] in
            let hasRoom = state.withLock { state -> Bool in
                // After a lost lease the job may have another run already.
                if state.runs[run.id] === run { state.runs[run.id] = nil }
                return state.settling.remove(ObjectIdentifier(run)) != nil
            }
            endDrainWhenIdle()
            noteSuspectOver(run.id)
            if let standing, standing.state.isFinal { report(run, standing) }
            if !hasRoom { giveRoom() }
        }
    }

    /// There is room for one run more. Runs end in crowds: behind all that end now, one claim asks for all of them.
    private func giveRoom() {
        slots.giveBack(1)
        guard state.withLock({ $0.mayFindMore && !$0.isClaiming }),
            !isAsking.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        loop.execute { [self] in
            isAsking.store(false, ordering: .releasing)
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
                attempts: standing.attempt, duration: max(.zero, end.since(record.startedAt ?? end)),
                errorCode: run.errorCode))
    }

    /// Makes durable what runs have noted and not sent. Short runs send everything with their last update; those that
    /// take longer can be followed, and an attempt in flight is known after a crash.
    private func tick() {
        let runs = state.withLock { state in
            state.isTicking = !state.runs.isEmpty
            return Array(state.runs.values)
        }
        for run in runs { run.flush() }
        if !runs.isEmpty { tickSoon() }
    }

    func tickSoon() { ticker.withLock { $0 }?.schedule(after: settings.flushEvery) }

    // MARK: Due dates

    func look(at date: Timestamp) {
        let isEarlier = state.withLock { state -> Bool in
            if let known = state.nextLook, known <= date { return false }
            state.nextLook = date
            return true
        }
        guard isEarlier else { return }
        let wait = max(.zero, environment.clock.remaining(until: date))
        dueTimer.withLock { $0 }?.schedule(after: min(wait, .seconds(30)))
    }

    private func dueTimeCame() {
        if state.withLock({ $0.isDraining }) { return }
        let now = environment.clock.now
        let isDue = state.withLock { state -> Bool in
            // Dates that are heard of from here on must not give way to an answer that does not know them.
            defer { state.nextLook = nil }
            return state.nextLook.map { $0 <= now } ?? false
        }
        if isDue { mayFindMore() }
        store.nextDueAt { [self] reply in
            guard let due = Self.due(reply, retryAt: environment.clock.now.advanced(by: settings.storeRetry))
            else { return }
            loop.execute { [self] in
                let ahead = lookFor(due)
                if ahead > environment.clock.now { return look(at: ahead) }
                // What could have been claimed ahead and was not has to wait for its date. What is due already waits
                // for a slot, and a run that ends takes it: no hurry to look again.
                let isFull = state.withLock { $0.runs.count - $0.settling.count >= settings.concurrency }
                let soonest = environment.clock.now.advanced(by: .milliseconds(isFull ? 100 : 1))
                look(at: max(due, soonest))
            }
        }
    }

    // MARK: Stopping

    func endDrainWhenIdle() {
        let drained = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isDraining, state.isIdle else { return [] }
            defer { state.drained = [] }
            return state.drained
        }
        for waiter in drained { waiter.resume() }
    }

    /// Stops taking jobs, waits at most `limit` for those that run, and suspends the rest: they go on after the next
    /// start. Jobs that are just being taken count as running, unless their date has not come.
    package func drain(within limit: Duration) async {
        state.withLock { state in
            state.isDraining = true
            state.mayHaveArrivals = true
        }
        callbacks.stop()
        store.takeArrivals(nil)
        // When a later write has been answered, all that was claimed as it was stored has been handed over.
        store.wake([]) { [self] _ in
            loop.execute { [self] in
                state.withLock { $0.mayHaveArrivals = false }
                endDrainWhenIdle()
            }
        }
        loop.execute { [self] in
            for run in state.withLock({ Array($0.runs.values) }) where run.dateAhead != nil {
                run.suspendForShutdown()
            }
        }
        upkeep.withLock { $0 }?.cancel()
        let timer = Task(executorPreference: loop) { [self] in
            try await environment.clock.sleep(for: limit)
            let late = state.withLock { state in
                state.isSuspending = true
                return Array(state.runs.values)
            }
            for run in late { run.suspendForShutdown() }
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state -> Bool in
                if !state.isIdle { state.drained.append(continuation) }
                return state.isIdle
            }
            if isIdle { continuation.resume() }
        }
        timer.cancel()
        await endLease()
    }
}
