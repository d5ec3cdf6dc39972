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
            let room = slots.take(settings.limits.claimBatchMax * state.claimPace.batches)
            guard room > 0 else { return 0 }
            state.isClaiming = true
            state.mayFindMore = false
            return room
        }
        guard room > 0 else { return }
        var request = ClaimRequest(limit: room, owner: owner, now: environment.clock.now)
        (request.ahead, request.aheadMax, request.slots) = (claimAhead, roomAhead, slots)
        let began = environment.clock.uptime
        store.claim(request) { [self, request] reply in
            let took = environment.clock.uptime - began
            settings.notes.claim(took)
            slots.settle(room, for: (try? reply.get()) ?? [])
            loop.execute { [self] in claimed(reply, to: request, after: took) }
        }
    }

    /// The lead time by which a job is claimed before its date.
    private var claimAhead: Duration { min(settings.times.claimAhead, settings.times.suspendAfter / 2) }

    /// The number of slots for jobs before their date. Half of all slots is reserved for jobs that are due.
    private var roomAhead: Int {
        settings.limits.concurrency / 2 - state.withLock { $0.working }
    }

    /// The time of the claim for a job due at `date`: the middle of the time in which it may be claimed, so that jobs
    /// that fall due in succession are claimed together.
    func lookFor(_ date: Timestamp) -> Timestamp {
        roomAhead > 0 ? date.advanced(by: .zero - claimAhead / 2) : date
    }

    private func claimed(
        _ reply: Result<[Claim], JobStoreError>, to request: ClaimRequest, after took: Duration
    ) {
        let owner = request.owner
        switch reply {
        case .success(let claims):
            begin(claims, of: owner, stops: state.withLock { $0.stops })
        case .failure(let error) where error.code == .leaseLost:
            loseLease(of: owner)
            dates.look(at: environment.clock.now.advanced(by: settings.times.storeRetry))
        case .failure(let error):
            // A temporary failure is reported by the store itself.
            if !error.isRetryable {
                trouble(EngineTrouble(detail: "Jobs could not be claimed: \(error.detail)"))
            }
            dates.look(at: environment.clock.now.advanced(by: settings.times.storeRetry))
        }
        state.withLock { state in
            state.isClaiming = false
            state.stops = [:]
            guard case .success(let claims) = reply else { return }
            let isFilled = request.isFilled(by: claims)
            if isFilled { state.mayFindMore = true }
            state.claimPace.note(took, isFilled: isFilled)
        }
        endDrainWhenIdle()
        if (try? reply.get()) != nil { claimMore() }
    }

    /// Takes new jobs that were claimed in the commit that stored them. From any thread.
    func take(_ claims: [Claim], of owner: OwnerID) {
        loop.execute { [self] in begin(claims, of: owner, stops: [:]) }
    }

    /// Runs claimed jobs, unless their lease has been lost.
    private func begin(_ claims: [Claim], of owner: OwnerID, stops: [JobID: JobRun.Stop]) {
        // A server that stops keeps its owner.
        guard state.withLock({ $0.owner == owner && ($0.hasLease || !$0.isDraining) }) else {
            return claims.forEach { slots.giveBack(of: $0.record.tenant) }
        }
        let host = RunHost(
            in: runEnvironment, run: { [self] id in state.withLock { $0.runs[id] } },
            leaving: { [self] in leaving($0) }, slots: slots, lent: { [waits] in waits.lent($0) },
            over: { [self] in over($0, $1) }, trouble: trouble,
            isGivingUp: { [self] in state.withLock { $0.isSuspending || $0.isDraining && $0.isIdle } })
        for claim in claims { begin(claim, host, stop: stops[claim.record.id]) }
    }

    private func begin(_ claim: Claim, _ host: RunHost, stop: JobRun.Stop?) {
        if claim.hasEndedProcess { return unfit.refuse(claim, host, UnrunnableJob.hasEndedProcess) }
        let spec: KnownSpec
        switch claim.read() {
        case .success(let read):
            spec = read
            if read.spec.operation.needsMore(than: settings.kinds), unfit.leave(claim, host) { return }
        case .failure(let problems):
            if unfit.leave(claim, host) { return }
            return unfit.refuse(claim, host, UnrunnableJob.unreadable(problems))
        }
        for hold in claim.holds {
            environment.exclusion.restore(
                hold.key, to: ExclusionOwner(job: hold.job.description, path: hold.path))
        }
        if claim.record.fence == 1, let start = claim.record.startedAt {
            let ready = max(claim.record.createdAt, claim.record.runAt ?? claim.record.createdAt)
            settings.notes.start(max(.zero, start.since(ready)))
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
}
