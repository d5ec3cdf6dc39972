internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

extension JobRunner {
    /// Reports that a job may have become claimable. On the loop.
    func mayFindMore() {
        state.withLock { $0.mayFindMore = true }
        claimMore()
    }

    /// Claims as many jobs as there are free slots, if there may be any. On the loop.
    func claimMore() {
        let room = state.withLock { state -> Int in
            guard state.isStarted, state.hasLease, !state.isDraining, !state.isClaiming, state.mayFindMore
            else { return 0 }
            let room = slots.take(settings.claimBatchMax)
            guard room > 0 else { return 0 }
            state.isClaiming = true
            state.mayFindMore = false
            return room
        }
        guard room > 0 else { return }
        var request = ClaimRequest(limit: room, owner: owner, now: environment.clock.now)
        request.ahead = claimAhead
        request.aheadMax = roomAhead
        store.claim(request) { [self, request] reply in
            slots.giveBack(room - ((try? reply.get().count) ?? 0))
            loop.execute { [self] in claimed(reply, of: request.owner, room) }
        }
    }

    /// The lead time by which a job is claimed before its date.
    private var claimAhead: Duration { min(settings.claimAhead, settings.suspendAfter / 2) }

    /// The number of slots for jobs before their date. Half of all slots is reserved for jobs that are due.
    private var roomAhead: Int {
        settings.concurrency / 2 - state.withLock { $0.runs.count - $0.settling.count }
    }

    /// The time of the claim for a job due at `date`: the middle of the time in which it may be claimed, so that jobs
    /// that fall due in succession are claimed together.
    func lookFor(_ date: Timestamp) -> Timestamp {
        roomAhead > 0 ? date.advanced(by: .zero - claimAhead / 2) : date
    }

    private func claimed(_ reply: Result<[Claim], JobStoreError>, of owner: OwnerID, _ room: Int) {
        switch reply {
        case .success(let claims):
            begin(claims, of: owner, stops: state.withLock { $0.stops })
        case .failure(let error) where error.code == .leaseLost:
            loseLease(of: owner)
            dates.look(at: environment.clock.now.advanced(by: settings.storeRetry))
        case .failure(let error):
            // A temporary failure is reported by the store itself.
            if !error.isRetryable {
                trouble(EngineTrouble(detail: "Jobs could not be claimed: \(error.detail)"))
            }
            dates.look(at: environment.clock.now.advanced(by: settings.storeRetry))
        }
        state.withLock { state in
            state.isClaiming = false
            state.stops = [:]
            if case .success(let claims) = reply, claims.count == room { state.mayFindMore = true }
        }
        endDrainWhenIdle()
        if (try? reply.get()) != nil { claimMore() }
    }

    /// Takes new jobs that were claimed in the commit that stored them. From any thread.
    func take(_ claims: [Claim], of owner: OwnerID) {
        loop.execute { [self] in begin(claims, of: owner, stops: [:]) }
    }

    /// Runs claimed jobs, unless their lease has been lost.
    private func begin(_ claims: [Claim], of owner: OwnerID, stops: [JobID: ErrorCode]) {
        guard owner == self.owner else { return slots.giveBack(claims.count) }
        let host = RunHost(
            store: store, loop: loop, settings: settings, environment: environment,
            services: services, progress: progress,
            run: { [self] id in state.withLock { $0.runs[id] } },
            leaving: { [self] in leaving($0) }, over: { [self] in over($0, $1) }, trouble: trouble,
            isGivingUp: { [self] in state.withLock { $0.isSuspending || $0.isDraining && $0.isIdle } })
        for claim in claims { begin(claim, host, stop: stops[claim.record.id]) }
    }

    private func begin(_ claim: Claim, _ host: RunHost, stop: ErrorCode?) {
        if claim.hasEndedProcess { return refuse(claim, host, ClaimReading.hasEndedProcess) }
        let spec: JobSpec
        switch ClaimReading.spec(of: claim) {
        case .success(let read):
            spec = read
            if read.operation.needsMore(than: settings.kinds), leavesToOthers(claim, host) { return }
        case .failure(let problems):
            if leavesToOthers(claim, host) { return }
            return refuse(claim, host, ClaimReading.unreadable(problems))
        }
        for hold in claim.holds {
            environment.exclusion.restore(
                hold.key, to: ExclusionOwner(job: hold.job.description, path: hold.path))
        }
        let run = JobRun(claim: claim, spec: spec, host: host)
        let isTicking = state.withLock { state in
            state.runs[claim.record.id] = run
            defer { state.isTicking = true }
            return state.isTicking
        }
        if !isTicking { tickSoon() }
        if let stop { run.cancel(stop) }
        run.start()
        let (isDraining, isSuspending) = state.withLock { ($0.isDraining, $0.isSuspending) }
        if isSuspending || isDraining && run.dateAhead != nil { run.suspendForShutdown() }
    }

    /// Fails a job that cannot run, so that it is not claimed again and again.
    private func refuse(_ claim: Claim, _ host: RunHost, _ error: AOperationError) {
        let now = environment.clock.now
        let ending = OperationEnding(state: .failed, errors: [error])
        slots.giveBack(1)
        host.storeLast(
            RunUpdate(
                claim: claim.key, journal: [JournalEntry(at: now, path: [], event: .finished(ending))],
                standing: .init(
                    state: .failed, attempt: claim.record.attempt, finishedAt: now,
                    detail: StoredDetail(JobDetail(errors: [error]))))
        ) { _ in }
    }

    // DESIGN
    // While servers are updated one after another, an older one may claim a job that only a newer one can run. It puts
    // the job off for a moment, and another server may claim it then. When that did not help for some minutes, the job
    // fails as it would on one server.

    /// Leaves a job that this server cannot run to the other servers; false when there are none, or none of them took
    /// it.
    private func leavesToOthers(_ claim: Claim, _ host: RunHost) -> Bool {
        guard store.isShared else { return false }
        let isLeft = state.withLock { state -> Bool in
            if state.leftToOthers.count > 10_000 { state.leftToOthers = [:] }
            guard state.serversAlive > 1, state.leftToOthers[claim.record.id, default: 0] < Self.leavesMax
            else { return false }
            state.leftToOthers[claim.record.id, default: 0] += 1
            return true
        }
        guard isLeft else { return false }
        let wasStarted = !claim.journal.isEmpty && JournalFold(claim.journal).histories[[]]?.startedAt != nil
        let pause = Duration.milliseconds(Int64(1_000 + settings.chance() * 2_000))
        var standing = RunUpdate.Standing(
            state: wasStarted ? .waiting : .scheduled, attempt: claim.record.attempt,
            dueAt: environment.clock.now.advanced(by: pause), detail: claim.record.detail)
        standing.wasStarted = wasStarted
        standing.postsSeen = claim.posts
        slots.giveBack(1)
        host.storeLast(RunUpdate(claim: claim.key, journal: [], standing: standing)) { _ in }
        return true
    }

    /// How often a server leaves one job to others: for some minutes.
    private static let leavesMax = 100
}
