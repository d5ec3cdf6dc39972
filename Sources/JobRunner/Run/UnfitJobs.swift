internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// While servers are updated one after another, an older one may claim a job that only a newer one can run. It puts the
// job off for a moment, and another server may claim it then. When that did not help for some minutes, the job fails as
// it would on one server.

/// Claimed jobs that this server cannot run.
final class UnfitJobs: Sendable {
    /// The number of times that a server leaves one job to others: enough for some minutes.
    private static let leavesMax = 100
    private static let jobsMax = 10_000

    private struct Others {
        /// The number of servers that share the store, as far as this one knows.
        var count = 1
        /// The number of times that each job was left to them.
        var leaves: [JobID: Int] = [:]
    }

    private let clock: any OperationClock
    private let slots: RunSlots
    private let chance: @Sendable () -> Double
    private let others = Mutex(Others())

    /// - Parameter chance: a random number 0…1.
    init(clock: any OperationClock, slots: RunSlots, chance: @escaping @Sendable () -> Double) {
        self.clock = clock
        self.slots = slots
        self.chance = chance
    }

    /// Tells how many servers share the store.
    func note(servers count: Int) { others.withLock { $0.count = count } }

    /// Fails a job, so that it is not claimed again and again.
    func refuse(_ claim: Claim, _ host: RunHost, _ error: AOperationError) {
        let now = clock.now
        let ending = OperationEnding(state: .failed, errors: [error])
        slots.giveBack(of: claim.record.tenant)
        host.storeLast(
            RunUpdate(
                claim: claim.key, journal: [JournalEntry(at: now, path: [], event: .finished(ending))],
                standing: .init(
                    state: .failed, attempt: claim.record.attempt, finishedAt: now,
                    detail: StoredDetail(JobDetail(errors: [error]), after: claim.record.detail))),
            in: host.store(of: claim.record.tenant)
        ) { _ in }
    }

    /// Leaves a job to the other servers; false when there are none, or none of them took it.
    func leave(_ claim: Claim, _ host: RunHost) -> Bool {
        let isLeft = others.withLock { others -> Bool in
            if others.leaves.count > Self.jobsMax { others.leaves = [:] }
            let count = others.leaves[claim.record.id, default: 0]
            guard others.count > 1, count < Self.leavesMax else { return false }
            others.leaves[claim.record.id] = count + 1
            return true
        }
        guard isLeft else { return false }
        let wasStarted = !claim.journal.isEmpty && JournalFold(claim.journal).histories[[]]?.startedAt != nil
        let pause = Duration.milliseconds(Int64(1_000 + chance() * 2_000))
        var standing = RunUpdate.Standing(
            state: wasStarted ? .waiting : .scheduled, attempt: claim.record.attempt,
            dueAt: clock.now.advanced(by: pause), detail: claim.record.detail)
        standing.wasStarted = wasStarted
        standing.postsSeen = claim.posts
        slots.giveBack(of: claim.record.tenant)
        host.storeLast(
            RunUpdate(claim: claim.key, journal: [], standing: standing),
            in: host.store(of: claim.record.tenant)
        ) { _ in }
        return true
    }
}
