package import JobKit
internal import JobSpec
package import JobStore
internal import StrictJSON
internal import Synchronization

// DESIGN
// The engine claims runnable jobs, runs each as a tree of operations on its loop, and stores their journals. New jobs
// are claimed in the commit that stores them while slots are free (`JobArrivals`). The engine claims others when a
// commit made a job runnable (`notice`), when a run ends and frees its slot, and when the earliest known date has come;
// one claim is in flight at a time, for as many jobs as there are free slots. Between batches of maintenance it sleeps.
// `drain` stops claiming, waits for the runs, and suspends those that do not end.

/// Runs the jobs of a store.
package final class JobRunner: RunControl {
    let store: any JobStore
    let loop: any EngineLoop
    let settings: RunnerSettings
    let environment: OperationEnvironment
    let services: CallServices
    let tenants: TenantServices
    let state = RunnerBoard()
    let slots: RunSlots
    package let waits: RunWaits
    let progress: ProgressBoard
    let others = OthersProgress()
    let otherServers: any OtherServers
    package let link: ServerLink
    let callbacks: CallbackSender?
    let schedules: ScheduleRunner?
    let bulks: BulkRunner?
    let lease: LeaseWatch
    let loans: MemberLoans
    let sharing: OriginSharing
    let unfit: UnfitJobs
    let suspects: SuspectRunner
    let dates: DueWatch
    let grants: GrantWaker
    let statistics: StatsKeeper
    private let isNoticed = Atomic<Bool>(false)
    let ticker = Mutex<(any EngineTimer)?>(nil)
    private let upkeep = Mutex<Task<Void, Never>?>(nil)
    let leaseTask = Mutex<Task<Void, Never>?>(nil)
    private let ended: @Sendable (JobOutcome) -> Void
    let trouble: @Sendable (EngineTrouble) -> Void
    let runEnvironment: RunEnvironment

    /// - Parameters:
    ///   - loop: runs operations and timers.
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
        slots = RunSlots(settings.limits.concurrency)
        waits = RunWaits(slots: slots, state: state, loop: loop)
        self.ended = ended
        self.trouble = trouble
        callbacks = settings.callbacks.map {
            CallbackSender(store: store, loop: loop, jobs: $0, trouble: trouble)
        }
        schedules = settings.schedules.map {
            ScheduleRunner(store: store, loop: loop, jobs: $0, trouble: trouble)
        }
        bulks = settings.bulk.map { BulkRunner(store: store, loop: loop, rules: $0, trouble: trouble) }
        lease = LeaseWatch(clock: loop.clock)
        link = ServerLink(store: store.shared, loop: loop)
        otherServers = store.shared.map { SharingServers(store: $0) } ?? NoOtherServers()
        var environment = OperationEnvironment(
            clock: loop.clock, transport: otherServers.guarded(transport, by: lease), executor: loop)
        if let digests = settings.digests {
            environment.digest = { "sha256:" + HexText.encode(digests.sha256($0)) }
        }
        environment.origins = OriginBoard(rules: settings.origins.rules)
        environment.artifacts = store.artifacts
        environment.look(in: store, for: nil)
        let books = settings.books(nil)
        environment.vault = books.secrets
        services = CallServices(connections: books.connections)
        tenants = TenantServices(store: store, loop: loop, books: settings.books)
        environment.digests = settings.digests
        environment.scrubber = books.scrubber
        environment.chance = settings.chance
        environment.longWork = settings.longWork
        environment.limits = settings.limits.run
        self.environment = environment
        let progress = ProgressBoard()
        self.progress = progress
        runEnvironment = RunEnvironment(
            store: store, loop: loop, settings: settings, environment: environment, services: services,
            tenants: tenants, progress: progress, lease: lease)
        loans = MemberLoans(link: link, loop: loop)
        unfit = UnfitJobs(clock: loop.clock, slots: slots, chance: settings.chance)
        sharing = OriginSharing(
            store: store, link: link, loop: loop, origins: environment.origins, unfit: unfit,
            limits: settings.origins.changedLimits)
        grants = GrantWaker(store: store, clock: loop.clock)
        statistics = StatsKeeper(of: store)
        dates = DueWatch(store: store, loop: loop, settings: settings, slots: slots, state: state)
        suspects = SuspectRunner(store: store, loop: loop, settings: settings, slots: slots, state: state)
    }

    package var runningCount: Int { state.withLock { $0.runs.count } }

    package var server: ServerRecord? {
        guard var server = settings.server else { return nil }
        (server.id, server.running) = state.withLock { ($0.owner, $0.runs.count) }
        return server
    }

    package var mayRun: Bool { otherServers.mayRun(under: lease) }

    /// Requeues the jobs that an earlier process left running, and begins to claim jobs.
    /// - Throws: when the store cannot be written.
    package func start() async throws(JobStoreError) {
        otherServers.begin(self)
        try await beginLease()
        let reader = try store.makeReader()
        try await otherServers.restoreKeys(self, reader)
        grants.wake()
        let turns = TurnWaker(store: store, loop: loop, retryAfter: settings.times.storeRetry) { [self] in
            state.withLock { $0.isDraining }
        }
        turns.begin(reader, environment)
        try sharing.begin(reader)
        await otherServers.shareLimits(self, as: owner)
        waits.begin { [self] in claimMore() }
        state.withLock { $0.isStarted = true }
        takeArrivals()
        slots.onRoom { [weak self] in self?.mayFindMoreSoon() }
        loop.execute { [self] in
            let ticker = loop.makeTimer { [self] in tick() }
            self.ticker.withLock { $0 = ticker }
            mayFindMore()
            dates.begin(lookFor: { [self] in lookFor($0) }, isDue: { [self] in mayFindMore() })
            callbacks?.start(reader)
            schedules?.start(reader) { [self] in take($0) }
            bulks?.start(reader, self)
            suspects.begin(
                take: { [self] in take($0, of: $1) }, foundNone: { [self] in endDrainWhenIdle() })
        }
        let task = Task(executorPreference: loop) { [self] in await keepUp() }
        upkeep.withLock { $0 = task }
    }

    /// Handles a commit. From any thread; cheap.
    package func notice(_ changes: [JobChange]) {
        others.observe(changes)
        var isRunnable = false
        var earliest: Timestamp?
        var hasCallbacks = false
        let holdsKeys = !environment.exclusion.isIdle
        for place in changes.indices where !changes[place].hasOnlyEntries {
            let state = changes[place].state
            if holdsKeys, state?.isFinal != false {
                environment.exclusion.forget(job: changes[place].id.description)
            }
            // A job being cancelled may have been suspended meanwhile: a claim ends it.
            if state == .queued || state == .cancelling { isRunnable = true }
            if let due = changes[place].dueAt, state?.isFinal == false {
                earliest = min(earliest ?? due, due)
            }
            if changes[place].hasCallbacks { hasCallbacks = true }
        }
        if hasCallbacks, let callbacks { loop.execute { callbacks.mayFindMore() } }
        if let earliest { dates.noteDue(lookFor(earliest)) }
        if isRunnable { mayFindMoreSoon() }
    }

    /// Handles a commit after which jobs that wait in the lines of queues may begin at `date`. From any thread.
    package func noticeOpening(at date: Timestamp) {
        if date > environment.clock.now { return loop.execute { [self] in dates.look(at: date) } }
        mayFindMoreSoon()
    }

    /// Reports once that jobs may have become claimable.
    private func mayFindMoreSoon() {
        if isNoticed.exchange(true, ordering: .acquiringAndReleasing) { return }
        loop.execute { [self] in
            isNoticed.store(false, ordering: .releasing)
            mayFindMore()
        }
    }

    /// Stops the run of a job. From any thread.
    private func stopRun(_ request: RunRequest, as code: ErrorCode, reason: String?) {
        let stop = JobRun.Stop(code: code, reason: reason, fence: request.number)
        loop.execute { [self] in
            let run = state.withLock { state -> JobRun? in
                if state.runs[request.id] == nil, state.isClaiming { state.stops[request.id] = stop }
                return state.runs[request.id]
            }
            run?.cancel(stop)
        }
    }

    /// Delivers a post to the run of its job. From any thread.
    package func deliver(_ message: JobMessage, number: Int64, to id: JobID) {
        loop.execute { [self] in state.withLock { $0.runs[id] }?.deliver(message, number: number) }
    }

    /// Takes requests to runs that this server or another stored. From any thread.
    package func take(_ requests: [RunRequest]) {
        for request in requests {
            switch request.journal.event {
            case .message(let message):
                deliver(message, number: request.number, to: request.id)
                if case .member(let group, _) = message.content {
                    loop.execute { [self] in loans.fill(group, of: request.id) }
                }
            case .cancelRequested(_, let why, let code): stopRun(request, as: code, reason: why)
            default: break
            }
        }
    }

    package func reserveMember(
        in group: [String], of id: JobID, answer: @escaping @Sendable (MemberPlace) -> Void
    ) {
        loop.execute { [self] in
            guard let run = state.withLock({ $0.runs[id] }) else {
                return loans.reserveElsewhere(in: group, of: id, answer: answer)
            }
            answer(run.reserveMember(in: group))
        }
    }

    package func forgetMember(in group: [String], of id: JobID) {
        loop.execute { [self] in
            guard let run = state.withLock({ $0.runs[id] }) else {
                return loans.forgetElsewhere(in: group, of: id)
            }
            run.forgetMember(in: group)
        }
    }

    package func explain(_ id: JobID, answer: @escaping @Sendable ([OperationExplanation]?) -> Void) {
        loop.execute { [self] in answer(state.withLock { $0.runs[id] }?.explain()) }
    }

    package func servers(_ reader: any JobReader) throws(JobStoreError) -> [ServerRecord] {
        try otherServers.servers(self, reader)
    }

    package func standing(
        of path: [String], in id: JobID, for keys: WaitedKeys, _ reader: any JobReader
    ) throws(JobStoreError) -> KeyStanding {
        try otherServers.standing(of: path, in: id, for: keys, self, reader)
    }

    package func settleSchedule(_ name: String, then done: @escaping @Sendable () -> Void) {
        if let schedules { schedules.settle(name, then: done) } else { done() }
    }

    package func lookAtSchedules() { schedules?.look() }
    package func begin(_ bulk: BulkRecord) { bulks?.begin(bulk) }

    package func progress(of id: JobID) -> LiveProgress? {
        if let run = state.withLock({ $0.runs[id] }) { return run.progress }
        otherServers.watch(id, self)
        return others.progress(of: id)
    }

    package var origins: OriginBoard { environment.origins }

    package func wakeSettled() { grants.wake() }

    package func reset(_ origins: [String]) {
        for origin in origins { self.origins.reset(origin) }
        sharing.tellNews()
    }

    // MARK: Ends

    /// Frees the slot of a run whose work has ended, unless too many last updates wait for the store.
    func leaving(_ run: JobRun) {
        let isFull = state.withLock { state -> Bool in
            let isFull = state.runs.count >= settings.limits.concurrency + settings.limits.settlingMax
            if !isFull { state.settling.insert(ObjectIdentifier(run)) }
            return isFull
        }
        if !isFull { waits.end(run) }
    }

    func over(_ run: JobRun, _ standing: RunUpdate.Standing?) {
        loop.execute { [self] in
            let hasRoom = state.withLock { state -> Bool in
                // After a lost lease the job may have another run already.
                if state.runs[run.id] === run {
                    state.runs[run.id] = nil
                    otherServers.runEnded(run.id, self)
                }
                return state.settling.remove(ObjectIdentifier(run)) != nil
            }
            endDrainWhenIdle()
            suspects.noteOver(run.id)
            if let standing, standing.state.isFinal {
                ended(JobOutcome(run, standing, now: environment.clock.now))
            }
            if !hasRoom { waits.end(run) }
        }
    }

    /// Makes unsent journal entries durable. A short run sends everything with its last update; a longer one becomes
    /// visible to clients this way, and its attempt in flight is known after a crash.
    private func tick() {
        let runs = state.withLock { state in
            state.isTicking = !state.runs.isEmpty
            return Array(state.runs.values)
        }
        for run in runs { run.flush() }
        if !runs.isEmpty { tickSoon() }
    }

    func tickSoon() { ticker.withLock { $0 }?.schedule(after: settings.times.flushEvery) }

    // MARK: Stopping

    func endDrainWhenIdle() {
        let drained = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isDraining, state.isIdle else { return [] }
            defer { state.drained = [] }
            return state.drained
        }
        for waiter in drained { waiter.resume() }
    }

    /// Stops claiming, waits at most `limit` for the runs, and suspends the rest, which resume after the next start.
    /// Jobs being claimed count as running, unless their date is in the future.
    package func drain(within limit: Duration) async {
        state.withLock { state in
            state.isDraining = true
            state.mayHaveArrivals = true
        }
        callbacks?.stop()
        schedules?.stop()
        bulks?.stop()
        store.takeArrivals(nil)
        // The answer to a later write proves that all jobs claimed as they were stored have been handed over.
        store.perform(JobWake([], at: environment.clock.now)) { [self] _ in
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
        let upkeep = upkeep.withLock { $0 }
        upkeep?.cancel()
        // A drain may take longer than a lease.
        let renewals = lease.keep(on: loop, by: settings.times) { [self] in await renewLease() }
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
        // The last runs may have learned something about origins.
        sharing.tellNews()
        renewals.cancel()
        leaseTask.withLock { $0 }?.cancel()
        // A renewal that is sent behind the end would begin the lease anew.
        await renewals.value
        await upkeep?.value
        await endLease()
    }
}
