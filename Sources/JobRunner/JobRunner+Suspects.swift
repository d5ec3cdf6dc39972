internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// Jobs that ran when the process died twice are suspected of it (see the store). They are taken when everything else
// has been, a few at a time: the next ones when those have ended, were suspended, or have run for a while, which clears
// them.

/// The suspects that run.
struct SuspectLane {
    /// Those that run and have not been cleared.
    var running: Set<JobID> = []
    /// Whether some are just being claimed.
    var isClaiming = false
    /// Counts the claims, so that a clock that began for earlier ones does not strike.
    var round = 0
}

extension JobRunner {
    /// Begins with the suspects, some time after the start.
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

    /// A run is over; when it was the last suspect, the next ones come.
    func noteSuspectOver(_ id: JobID) {
        let isLast = state.withLock { state in
            state.lane.running.remove(id) != nil && state.lane.running.isEmpty
        }
        if isLast { takeSuspects() }
    }

    /// They have run for a while, and the process lives.
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
