internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// All claims of a server belong to one owner and share one lease, which is renewed three times per lease period. A
// server that was stopped for longer may find that others have taken its jobs: its runs then end without writing to the
// store, which would refuse them anyway, and the server continues as a new owner.

extension JobRunner {
    /// The owner of current claims.
    var owner: OwnerID { state.withLock { $0.owner } }

    /// Begins the lease, and requeues the jobs of dead owners.
    func beginLease() async throws(JobStoreError) {
        let (owner, now) = (owner, environment.clock.now)
        try await answer { store.renew(owner, now: now, lease: settings.lease, reply: $0) }
        _ = try await answer { store.recover(besides: owner, now: now, reply: $0) }
    }

    /// Extends the lease, and requeues the jobs of dead owners. After a temporary failure it tries again in a third of
    /// the lease period.
    func renewLease() async {
        let owner = owner
        do throws(JobStoreError) { try await beginLease() } catch {
            if error.code == .leaseLost { loseLease(of: owner) }
        }
    }

    /// Ends the lease of a server that stops. Jobs whose runs could not be suspended are free for others at once.
    func endLease() async {
        let (owner, now) = (owner, environment.clock.now)
        _ = try? await answer { store.end(owner, now: now, reply: $0) }
    }

    /// Drops the runs of an owner whose lease is lost, and continues as a new owner. On the loop.
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

    /// Takes new jobs in the commit that stores them.
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
