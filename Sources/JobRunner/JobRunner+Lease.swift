internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// All claims of a server belong to one owner, and one lease keeps them. It is renewed three times in its length. A
// server that was stopped for longer than that may find that others put its jobs back: then its runs end without a
// word to the store, which would refuse it anyway, and the server goes on as another owner.

/// The lease of the server.
extension JobRunner {
    /// The owner of what is claimed now.
    var owner: OwnerID { state.withLock { $0.owner } }

    /// Begins the lease, and puts back the jobs of owners that are dead.
    func beginLease() async throws(JobStoreError) {
        let (owner, now) = (owner, environment.clock.now)
        try await answer { store.renew(owner, now: now, lease: settings.lease, reply: $0) }
        _ = try await answer { store.recover(besides: owner, now: now, reply: $0) }
    }

    /// Extends the lease, and puts back the jobs of owners that are dead. What the store refuses for the moment is
    /// tried again when the next third of the lease is over.
    func renewLease() async {
        let owner = owner
        do throws(JobStoreError) { try await beginLease() } catch {
            if error.code == .leaseLost { loseLease(of: owner) }
        }
    }

    /// Ends the lease of a server that stops. Jobs whose runs could not be suspended go on elsewhere at once.
    func endLease() async {
        let (owner, now) = (owner, environment.clock.now)
        _ = try? await answer { store.end(owner, now: now, reply: $0) }
    }

    /// Drops the runs of an owner whose jobs others have, and goes on as another one. On the loop.
    func loseLease(of owner: OwnerID) {
        let runs = state.withLock { state -> [JobRun]? in
            guard state.owner == owner, !state.isDraining else { return nil }
            state.owner = .new()
            return Array(state.runs.values)
        }
        guard let runs else { return }
        trouble(
            EngineTrouble(
                detail: "The lease of this server was lost: its \(runs.count) jobs go on elsewhere."))
        for run in runs { run.drop() }
        Task(executorPreference: loop) { [self] in
            await renewLease()
            takeArrivals()
            mayFindMore()
        }
    }

    /// Takes new jobs as they are stored.
    func takeArrivals() {
        if state.withLock({ $0.isDraining }) { return }
        let owner = owner
        store.takeArrivals(
            JobArrivals(
                owner: owner, room: slots, now: { [clock = environment.clock] in clock.now },
                handOver: { [self] in take($0, of: owner) }))
    }

    func answer<Value: Sendable>(
        _ call: (@escaping @Sendable (Result<Value, JobStoreError>) -> Void) -> Void
    ) async throws(JobStoreError) -> Value {
        try await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, JobStoreError>, Never>) in
            call { continuation.resume(returning: $0) }
        }.get()
    }
}
