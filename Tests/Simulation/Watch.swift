import JobKit
import JobStore
import MemoryStore

/// Checks everything that reaches the disk.
// Safe because everything of a simulation happens on one thread.
final class Watch: DiskWatcher, @unchecked Sendable {
    /// The maximum lateness of a claim in the absence of faults.
    private var latenessMax: Int64 = 2_000_000
    /// The time within which a run hears that it is to be cancelled, and ends.
    private static let stopMax: Int64 = 1_000_000

    private let world: World
    private let disk: Disk
    private let cases: CaseBook
    private let narrow: NarrowQueue
    /// The time since which the server and its store work, in microseconds.
    var healthySince: () -> Int64 = { 0 }
    /// The time since which all servers and their store work.
    var allHealthySince: () -> Int64 = { 0 }
    /// Whether a server of this name takes requests.
    var isLiving: (OwnerID) -> Bool = { _ in true }
    private var mayLeave: Set<JobID> = []
    private var isRecovering = false
    private(set) var worstLateness: Int64 = 0
    /// The number of ends of all jobs.
    private(set) var ends: Int64 = 0
    private let slots: Int
    private var running = 0
    private var lastFull: Int64 = -1

    init(world: World, disk: Disk, cases: CaseBook, narrow: NarrowQueue, slots: Int, skewMax: Duration) {
        self.disk = disk
        latenessMax += 2 * skewMax.microseconds
        self.narrow = narrow
        self.world = world
        self.cases = cases
        self.slots = slots
    }

    func changed(_ changes: [JobChange]) {
        let moves = changes.filter { !$0.hasOnlyEntries }
        guard !moves.isEmpty else { return }
        ends += Int64(moves.count { $0.state?.isFinal == true })
        for change in moves {
            guard let job = cases.job(change.id) else { continue }
            world.note(
                3, job.number, Int(change.revision), "\(job.name) is \(change.state?.rawValue ?? "erased")")
            checkMove(job, change)
            noteEnd(of: job, change)
            countRunning(job.state, change.state)
            narrow.note(job, becoming: change.state)
            checkLateness(of: job, becoming: change.state)
            watchStop(of: job, becoming: change.state)
            if isRecovering, job.state == .running, change.state == .queued { checkRecovery(of: job) }
            job.state = change.state
            job.dueAt = change.dueAt
            job.since = world.time
            if change.state == nil { job.isErased = true }
        }
        mayLeave = []
    }

    private func noteEnd(of job: JobCase, _ change: JobChange) {
        guard change.state?.isFinal == true else { return }
        if change.hasCallbacks != job.hasCallbacks {
            world.fail("the end of \(job.name) will not be reported")
        }
        if job.hasCallbacks { job.ends.append(JobEnd(id: change.id, revision: change.revision)) }
    }

    private func checkMove(_ job: JobCase, _ change: JobChange) {
        guard let before = job.state else { return }
        if before.isFinal && !mayLeave.contains(change.id) {
            world.fail("\(job.name) was \(before.rawValue) and became \(change.state?.rawValue ?? "erased")")
        }
        guard let after = change.state, after != before, !before.successors.contains(after) else { return }
        world.fail("\(job.name) went from \(before.rawValue) to \(after.rawValue)")
    }

    func recovers(_ isOn: Bool) { isRecovering = isOn }

    /// A job is taken from a server only when its lease is over.
    private func checkRecovery(of job: JobCase) {
        job.deaths += 1
        if let owner = job.owner, disk.truth.isAlive(owner, at: world.now) {
            world.fail("\(job.name) was taken from a server that lives")
        }
    }

    func claimed(_ claims: [Claim], by owner: OwnerID) {
        for claim in claims {
            guard let job = cases.job(claim.record.id) else { continue }
            job.owner = owner
            if claim.record.fence <= job.fence { world.fail("the fence of \(job.name) did not rise") }
            job.fence = claim.record.fence
            for operation in job.operations { operation.interrupt() }
        }
    }

    /// Checks that a claimed job was not claimable for too long.
    private func checkLateness(of job: JobCase, becoming state: JobState?) {
        guard state == .running, job.deaths < 2, !job.isNarrow, let before = job.state else { return }
        let since: Int64
        switch before {
        case .queued: since = job.since
        case .scheduled, .waiting, .retrying, .pending:
            guard let dueAt = job.dueAt else { return }
            // A request that a stopped server takes when it goes on has an old date.
            since = max(job.since, (dueAt.milliseconds - World.start.milliseconds) * 1_000)
        default: return
        }
        let late = world.time - max(since, healthySince(), lastFull)
        worstLateness = max(worstLateness, late)
        if late > latenessMax { world.fail("\(job.name) was taken \(late / 1_000) ms late") }
    }

    /// A run hears soon that its job is to be cancelled: it ends, but for what is to be done finally.
    private func watchStop(of job: JobCase, becoming state: JobState?) {
        guard state == .cancelling, job.state == .running else { return }
        let (fence, since) = (job.fence, world.time)
        world.after(Watch.stopMax) { [weak self] in
            guard let self, job.fence == fence, job.state == .cancelling, allHealthySince() < since,
                job.owner.map(isLiving) ?? false
            else { return }
            if !job.hasFinals { world.fail("\(job.name) goes on although it is cancelled") }
            let open = cases.calls.all.map(\.operation).filter { $0.job === job }
            for operation in open where !job.isDoneFinally(operation) {
                world.fail("a call of \(operation.name) goes on although it is cancelled")
            }
        }
    }

    /// While all slots are taken no job is late.
    private func countRunning(_ before: JobState?, _ after: JobState?) {
        if running >= slots { lastFull = world.time }
        if before == .running || before == .cancelling { running -= 1 }
        if after == .running || after == .cancelling { running += 1 }
    }

    func updated(_ update: RunUpdate) {
        guard let job = cases.job(update.claim.id) else { return }
        if update.claim.fence != job.fence { world.fail("a stale run of \(job.name) was heard") }
        for entry in update.journal { note(entry, job) }
    }

    private func note(_ entry: JournalEntry, _ job: JobCase) {
        guard let operation = job.operation(at: entry.path) else {
            return world.fail("\(job.name) has no operation at \(entry.path)")
        }
        switch entry.event {
        case .attemptStarted: operation.isAttemptOpen = true
        case .attemptFinished(let record):
            operation.isAttemptOpen = false
            if record.outcome != .interrupted { operation.unsettled = max(0, operation.unsettled - 1) }
        case .finished(let ending):
            if operation.isFinished { world.fail("\(operation.name) was finished twice") }
            operation.isFinished = true
            operation.isSucceeded = ending.state == .succeeded
        default: break
        }
    }

    func mayLeaveFinal(_ id: JobID) { mayLeave.insert(id) }

    func retried(_ id: JobID) {
        guard let job = cases.job(id) else { return }
        for operation in job.operations { operation.beginAnew() }
    }
}
