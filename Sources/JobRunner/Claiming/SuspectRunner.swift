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

/// Runs the suspects of a store.
final class SuspectRunner: Sendable {
    private let store: any JobStore
    private let loop: any EngineLoop
    private let settings: RunnerSettings
    private let slots: RunSlots
    private let state: RunnerBoard
    private let ports = Mutex<Ports?>(nil)

    /// The connections to the engine.
    private struct Ports: Sendable {
        var take: @Sendable ([Claim], OwnerID) -> Void
        var foundNone: @Sendable () -> Void
    }

    init(
        store: any JobStore, loop: any EngineLoop, settings: RunnerSettings, slots: RunSlots,
        state: RunnerBoard
    ) {
        self.store = store
        self.loop = loop
        self.settings = settings
        self.slots = slots
        self.state = state
    }

    /// Starts the suspects, some time after the start of the engine.
    /// - Parameters:
    ///   - take: runs claimed jobs of an owner.
    ///   - foundNone: called when a claim found no suspect.
    func begin(
        take: @escaping @Sendable ([Claim], OwnerID) -> Void, foundNone: @escaping @Sendable () -> Void
    ) {
        ports.withLock { $0 = Ports(take: take, foundNone: foundNone) }
        Task(executorPreference: loop) { [self] in
            guard (try? await loop.clock.sleep(for: settings.times.suspectsAfter)) != nil else { return }
            takeMore()
        }
    }

    /// Ends the connections to the engine. On the loop.
    func release() { ports.withLock { $0 = nil } }

    /// Claims the next suspects unless some are running, or the engine has not started. On the loop.
    func takeMore() {
        guard ports.withLock({ $0 != nil }) else { return }
        let room = state.withLock { state -> Int? in
            guard !state.isDraining, !state.lane.isClaiming, state.lane.running.isEmpty else { return nil }
            let room = slots.take(settings.limits.claimBatchMax)
            state.lane.isClaiming = room > 0
            return room
        }
        guard let room else { return }
        guard room > 0 else { return takeLater() }
        var request = ClaimRequest(limit: room, owner: state.withLock { $0.owner }, now: loop.clock.now)
        request.takesSuspects = true
        store.claim(request) { [self, request] reply in
            slots.settle(room, for: (try? reply.get()) ?? [])
            loop.execute { [self] in took(reply, of: request.owner) }
        }
    }

    private func took(_ reply: Result<[Claim], JobStoreError>, of owner: OwnerID) {
        guard let ports = ports.withLock({ $0 }) else { return }
        let claims = (try? reply.get()) ?? []
        let round = state.withLock { state in
            state.lane.isClaiming = false
            state.lane.running = Set(claims.map { $0.record.id })
            state.lane.round += 1
            return state.lane.round
        }
        if case .failure = reply {
            ports.foundNone()
            return takeLater()
        }
        guard !claims.isEmpty else { return ports.foundNone() }
        ports.take(claims, owner)
        Task(executorPreference: loop) { [self] in
            guard (try? await loop.clock.sleep(for: settings.times.suspectedFor)) != nil else { return }
            clear(claims, round)
        }
    }

    private func takeLater() {
        Task(executorPreference: loop) { [self] in
            guard (try? await loop.clock.sleep(for: settings.times.storeRetry)) != nil else { return }
            takeMore()
        }
    }

    /// Reports that a run is over; after the last suspect, the next ones are claimed.
    func noteOver(_ id: JobID) {
        let isLast = state.withLock { state in
            state.lane.running.remove(id) != nil && state.lane.running.isEmpty
        }
        if isLast { takeMore() }
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
        takeMore()
    }
}
