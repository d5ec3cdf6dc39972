internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// All claims of a server belong to one owner and share one lease, which is renewed three times per lease period, and
// after a temporary failure of the store as soon as that is over. A server that was stopped for longer may find that
// others have taken its jobs: its runs then end without writing to the store, which would refuse them anyway, and the
// server continues as a new owner. Where servers share a store, it does so by its own clock, too: when a store that
// does not answer cannot renew the lease, and when a call is about to begin (`LeasedTransport`), since other servers
// run the jobs by then.

extension JobRunner {
    /// The owner of current claims.
    var owner: OwnerID { state.withLock { $0.owner } }

    /// Begins or extends the lease, and requeues the jobs of dead owners.
    func beginLease() async throws(JobStoreError) {
        let (owner, now) = (owner, environment.clock.now)
        let sentAt = environment.clock.uptime
        try await Result.awaiting { store.renew(owner, now: now, lease: settings.times.lease, reply: $0) }
            .get()
        if owner == self.owner { lease.renewed(sentAt: sentAt, for: settings.times.lease) }
        _ = try await Result.awaiting { store.recover(besides: owner, now: now, reply: $0) }.get()
        try await otherServers.announce(self, as: owner)
    }

    /// Extends the lease, and requeues the jobs of dead owners.
    /// - Returns: whether there is a lease, or this is the task of another owner by now.
    @discardableResult
    func renewLease() async -> Bool {
        let owner = owner
        do throws(JobStoreError) { try await beginLease() } catch {
            if error.code == .leaseLost { loseLease(of: owner) }
            return owner != self.owner
        }
        otherServers.leaseRenewed(self)
        return true
    }

    /// Ends the runs when the lease ends although the store does not answer.
    func watchLease() {
        lease.onEnd { [self] in
            await withCheckedContinuation { continuation in
                loop.execute { [self] in
                    if lease.isOver { loseLease(of: owner) }
                    continuation.resume()
                }
            }
        }
        let task = lease.watch(on: loop, lookingEvery: settings.times.storeRetry)
        leaseTask.withLock { $0 = task }
    }

    /// Ends the lease of a server that stops. Jobs whose runs could not be suspended are free for others at once.
    func endLease() async {
        let (owner, now) = (owner, environment.clock.now)
        _ = await Result.awaiting { store.end(owner, now: now, reply: $0) }
    }

    /// Drops the runs of an owner whose lease is lost, and continues as a new owner, unless the server stops. On the
    /// loop.
    func loseLease(of owner: OwnerID) {
        let found = state.withLock { state -> (runs: [JobRun], isDraining: Bool)? in
            guard state.owner == owner else { return nil }
            if !state.isDraining { state.owner = .new() }
            state.hasLease = false
            return (Array(state.runs.values), state.isDraining)
        }
        guard let (runs, isDraining) = found else { return }
        lease.lost()
        trouble(
            EngineTrouble(
                detail: "The lease of this server was lost: its \(runs.count) jobs go on elsewhere."))
        for run in runs { run.drop() }
        if isDraining { return }
        store.takeArrivals(nil)
        Task(executorPreference: loop) { [self] in
            while await !renewLease() {
                if state.withLock({ $0.isDraining }) { return }
                guard (try? await environment.clock.sleep(for: settings.times.storeRetry)) != nil else {
                    return
                }
            }
            state.withLock { $0.hasLease = true }
            takeArrivals()
            mayFindMore()
        }
    }

    /// Takes new jobs in the commit that stores them, once the engine has started.
    func takeArrivals() {
        guard state.withLock({ $0.isStarted && !$0.isDraining }) else { return }
        let owner = owner
        store.takeArrivals(
            JobArrivals(
                owner: owner, room: slots, now: { [clock = environment.clock] in clock.now },
                handOver: { [self] in take($0, of: owner) }))
    }
}
