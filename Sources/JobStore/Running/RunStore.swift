package import JobKit

/// Hands out jobs to runners and takes the reports of their runs.
package protocol RunStore: Sendable {
    /// Takes runnable jobs: those `queued`, and those `scheduled`, `waiting` or `retrying` whose `dueAt` is past;
    /// highest priority first, then the one that became runnable first. They become `running` (their `startedAt` is
    /// set when it was nil), the fence rises, and they belong to the owner as long as its lease runs. Jobs past
    /// `expiresAt` that were never started are not taken. Empty when nothing is runnable.
    ///
    /// Behind them come those that the request wants ahead of their date, in the same order. Their `startedAt` is not
    /// before their `runAt`. Those that may expire before their date are not among them.
    /// - Throws (in the reply): `.leaseLost` when the owner has no lease.
    func claim(
        _ request: ClaimRequest, reply: @escaping @Sendable (Result<[Claim], JobStoreError>) -> Void)

    /// From now on claims new jobs for a runner as they are stored; nil ends that, and claims made before may still be
    /// handed over.
    ///
    /// A job that may run at once is claimed, as `claim` would, in the step that stores it, as long as no other job is
    /// claimable and the runner has room. `submit` still replies with the job as it was before it was claimed; the
    /// observer is told of the claim alone.
    func takeArrivals(_ arrivals: JobArrivals?)

    /// Applies the report of a run: journal entries, and perhaps a new state with all that belongs to it, in one step.
    /// The reply is the new revision (unchanged when only the journal grew).
    ///
    /// Approvals follow the entries: they are opened and expire with the entries that say so, and open ones are
    /// withdrawn when their operation starts or finishes, when the job is cancelled, and when it is final. A job that
    /// is suspended to wait for a grant that is decided or forgotten meanwhile becomes `queued`.
    ///
    /// - Throws (in the reply): `.staleClaim` when the job was claimed again, put back, finished or erased since; the
    ///   run ends without another write.
    func update(_ update: RunUpdate, reply: @escaping @Sendable (Result<Int64, JobStoreError>) -> Void)

    /// Begins the lease of an owner, or extends it to `now + lease`. An engine that several servers share goes by its
    /// own clock.
    /// - Throws (in the reply): `.leaseLost` when the lease was over and another owner took the jobs. Runs of this
    ///   owner end without another write, and it claims nothing any more.
    func renew(
        _ owner: OwnerID, now: Timestamp, lease: Duration,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Puts back to `queued` every `running` job whose owner is dead: its lease is over, or it has none since its
    /// process is known to have ended. Ends no job. `cancelling` ones are put back, too, and stay `cancelling`: the
    /// claim hands them out so that the engine can end them. The reply is how many were put back.
    /// - Parameter survivor: who asks; its jobs stay.
    func recover(
        besides survivor: OwnerID?, now: Timestamp,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Ends the lease of an owner that stops in order and puts back the jobs that it has left, as `recover` does.
    func end(
        _ owner: OwnerID, now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// When the next job in `scheduled`, `waiting` or `retrying` falls due; nil when there is none.
    func nextDueAt(reply: @escaping @Sendable (Result<Timestamp?, JobStoreError>) -> Void)
}

extension RunStore {
    /// Claims nothing: a runner finds new jobs like all others.
    package func takeArrivals(_ arrivals: JobArrivals?) {}
}
