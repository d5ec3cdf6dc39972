internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// Jobs that were running in two crashes of the process are suspected of causing them (see the store). They run after
// all other jobs, a few at a time: the next ones when those have ended, were suspended, or have run for a while, which
// clears them.

/// The suspects that run.
struct SuspectLane {
    /// The suspects that run and are not cleared.
    var running: Set<JobID> = []
    /// Whether a claim for suspects is in flight.
    var isClaiming = false
    /// Numbers the claims, so that a timer of an earlier one has no effect.
    var round = 0
}

extension JobRunner {
    /// Starts the suspects, some time after the start of the engine.
    func beginWithSuspects() {
        Task(executorPreference: loop) { [self] in
            try? await environment.clock.sleep(for: settings.suspectsAfter)
            takeSuspects()
        }
    }

    /// Claims the next suspects unless some are running. On the loop.
    func takeSuspects() {
        let room = state.withLock { state -> Int? in
            guard !state.isDraining, !state.lane.isClaiming, state.lane.running.isEmpty else { return nil }
            let room = slots.take(settings.claimBatchMax)
            state.lane.isClaiming = room > 0
            return room
        }
        guard let room else { return }
        guard room > 0 else { return takeSuspectsLater() }
        var request = ClaimRequest(limit: room, owner: owner, now: environment.clock.now)
        request.takesSuspects = true
        store.claim(request) { [self, request] reply in
            slots.giveBack(room - ((try? reply.get().count) ?? 0))
            loop.execute { [self] in tookSuspects(reply, of: request.owner) }
        }
    }

    private func tookSuspects(_ reply: Result<[Claim], JobStoreError>, of owner: OwnerID) {
        let claims = (try? reply.get()) ?? []
        let round = state.withLock { state in
            state.lane.isClaiming = false
            state.lane.running = Set(claims.map(\.record.id))
            state.lane.round += 1
            return state.lane.round
        }
        if case .failure = reply { return takeSuspectsLater() }
        guard !claims.isEmpty else { return endDrainWhenIdle() }
        take(claims, of: owner)
        Task(executorPreference: loop) { [self] in
            try? await environment.clock.sleep(for: settings.suspectedFor)
            clear(claims, round)
        }
    }

    private func takeSuspectsLater() {
        Task(executorPreference: loop) { [self] in
            try? await environment.clock.sleep(for: settings.storeRetry)
            takeSuspects()
        }
    }

    /// Reports that a run is over; after the last suspect, the next ones are claimed.
    func noteSuspectOver(_ id: JobID) {
        let isLast = state.withLock { state in
            state.lane.running.remove(id) != nil && state.lane.running.isEmpty
        }
        if isLast { takeSuspects() }
    }

    /// Clears the suspects that are still running, since the process has survived them.
    private func clear(_ claims: [Claim], _ round: Int) {
        let left = state.withLock { state -> Set<JobID> in
            guard state.lane.round == round else { return [] }
            defer { state.lane.running = [] }
            return state.lane.running
        }
        guard !left.isEmpty else { return }
        for claim in claims where left.contains(claim.record.id) {
            var update = RunUpdate(claim: claim.key, journal: [])
            update.isProof = true
            store.update(update) { _ in }
        }
        takeSuspects()
    }
}
