package import JobKit

/// Hands out jobs to runners and stores the updates of their runs.
package protocol RunStore: Sendable {
    /// Claims runnable jobs: those in `queued`, and those in `scheduled`, `waiting` or `retrying` whose `dueAt` has
    /// passed. Tenants take turns, and jobs without a tenant have one like them; the jobs of one go by priority, then
    /// in the order in which they became runnable. A tenant that holds its share of the slots is passed over. They
    /// become `running` (`startedAt` is set when it was nil), the fence rises, and they belong to the owner for the
    /// time of its lease. Jobs past `expiresAt` that never started are not claimed. A claim ends at
    /// `ClaimRequest.bytesMax`, too. Empty when nothing is runnable.
    ///
    /// After them come the jobs that the request claims ahead of their date, in the same order. Their `startedAt` is
    /// not before their `runAt`. Jobs that may expire before their date are excluded.
    /// - Throws (in the reply): `.leaseLost` when the owner has no lease.
    func claim(_ request: ClaimRequest, reply: @escaping StoreReply<[Claim]>)

    /// Claims new jobs for a runner as they are stored, from now on; nil ends that, and claims made before may still be
    /// handed over.
    ///
    /// A job that may run at once is claimed as `claim` would, in the transaction that stores it, as long as no other
    /// job of its tenant is claimable and the runner has a free slot for it. `submit` still replies with the job
    /// before the claim; the observer is told of the claim only. A job that may run first may be handed over before it
    /// is durable; when its run ends before that, the observer is told of its end only.
    func takeArrivals(_ arrivals: JobArrivals?)

    /// Applies the update of a run: journal entries, and possibly a new state with its data, in one transaction. The
    /// reply is the new revision (unchanged when only the journal grew).
    ///
    /// Approvals follow the entries: they open and expire with the entries that say so, and open ones are withdrawn
    /// when their operation starts or finishes, when the job is cancelled, and when it becomes final. A job suspended
    /// to wait for a grant that is decided or removed meanwhile becomes `queued`.
    ///
    /// - Throws (in the reply): `.staleClaim` when the job was claimed again, requeued, finished or erased since; the
    ///   run ends without another write.
    func update(_ update: RunUpdate, reply: @escaping StoreReply<Int64>)

    /// Begins the lease of an owner, or extends it to `now + lease`. An engine that several servers share uses its own
    /// clock.
    /// - Throws (in the reply): `.leaseLost` when the lease had expired and another owner took the jobs. Runs of this
    ///   owner end without another write, and it can claim nothing.
    func renew(_ owner: OwnerID, now: Timestamp, lease: Duration, reply: @escaping StoreReply<Void>)

    /// Requeues every `running` job whose owner is dead: its lease has expired, or it has none since its process is
    /// known to have ended. Ends no job. `cancelling` jobs are requeued, too, and stay `cancelling`: they are claimed
    /// so that the engine can end them. The reply is the number of requeued jobs.
    /// - Parameter survivor: the caller, which keeps its jobs.
    func recover(besides survivor: OwnerID?, now: Timestamp, reply: @escaping StoreReply<Int>)

    /// Ends the lease of an owner that stops in order and requeues its remaining jobs, as `recover` does.
    func end(_ owner: OwnerID, now: Timestamp, reply: @escaping StoreReply<Int>)
}

extension RunStore {
    /// Ignored: the runner claims new jobs like all others.
    package func takeArrivals(_ arrivals: JobArrivals?) {}
}
