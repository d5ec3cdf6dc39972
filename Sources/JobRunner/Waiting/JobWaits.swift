package import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// Work of a job may wait for other jobs. Its run gives its slot to others meanwhile, so that with any number of slots
// each job that is waited for gets its turn. Waits in a circle would never end, too many would fill the memory: these
// are refused. What a job waits for in the line of its queue is not known here.

/// The waits of jobs for each other, in this process.
struct JobWaits {
    /// The most waits at the same time.
    let waitsMax: Int
    private var awaited: [JobID: [JobID: Int]] = [:]
    private var count = 0

    init(waitsMax: Int = 10_000) { self.waitsMax = waitsMax }

    /// Begins the wait of a job's work for another job.
    /// - Throws: `dependency.cycle` when that one waits for this one, perhaps through others; `queue.waits_full`.
    mutating func begin(_ waiting: JobID, for other: JobID) throws(AOperationError) {
        if let path = self.path(from: other, to: waiting) {
            let names = path.prefix(20).map(\.description) + (path.count > 20 ? ["…"] : [])
            throw AOperationError(
                .dependencyCycle,
                detail: "\(waiting) would wait for itself: "
                    + ([waiting.description] + names).joined(separator: " → ")
                    + ". Wait after \(waiting) has ended, or let the others not wait for it.",
                retryable: false)
        }
        guard count < waitsMax else {
            throw AOperationError(
                .queueWaitsFull,
                detail:
                    "\(waitsMax) waits of jobs for other jobs are in progress, and each keeps its job in memory. "
                    + "Submit a job that goes on after another one when that has ended.", retryable: true)
        }
        awaited[waiting, default: [:]][other, default: 0] += 1
        count += 1
    }

    mutating func end(_ waiting: JobID, for other: JobID) {
        count -= 1
        awaited[waiting]?[other, default: 1] -= 1
        if awaited[waiting]?[other] == 0 { awaited[waiting]?[other] = nil }
        if awaited[waiting]?.isEmpty == true { awaited[waiting] = nil }
    }

    /// The jobs from `start` to `goal`, each of which waits for the next one; nil when there is no such way.
    private func path(from start: JobID, to goal: JobID) -> [JobID]? {
        var cameFrom: [JobID: JobID] = [:]
        var seen: Set<JobID> = [start]
        var open = [start]
        while let job = open.popLast() {
            if job == goal {
                var path = [job]
                while let first = path.last, let before = cameFrom[first] { path.append(before) }
                return path.reversed()
            }
            for next in awaited[job, default: [:]].keys where seen.insert(next).inserted {
                cameFrom[next] = job
                open.append(next)
            }
        }
        return nil
    }
}

/// A wait of the work of a run, or of an operation beside it, without a slot.
package struct RunPause: Sendable {
    fileprivate var run: JobRun?
    fileprivate var wait: OutsideWait?

    /// Ends it. Returns when the work has a slot again.
    package func end() async {
        await run?.workAwaited()
        await wait?.end()
    }
}

/// The waits of the work of runs, and the slots that they give away meanwhile.
package final class RunWaits: Sendable {
    private let slots: RunSlots
    private let state: RunnerBoard
    private let loop: any EngineLoop
    private let waits = Mutex(JobWaits())
    private let isAsking = Atomic<Bool>(false)
    private let claims = Mutex<(@Sendable () -> Void)?>(nil)

    init(slots: RunSlots, state: RunnerBoard, loop: any EngineLoop) {
        (self.slots, self.state, self.loop) = (slots, state, loop)
    }

    /// Begins to claim for slots that are free again.
    /// - Parameter claimMore: called on the loop.
    func begin(claimMore: @escaping @Sendable () -> Void) { claims.withLock { $0 = claimMore } }

    /// Claims for slots that are free again. Runs end in crowds: one claim after all that end in this turn serves them
    /// all.
    private func claimSoon() {
        guard state.withLock({ $0.mayFindMore && !$0.isClaiming }),
            !isAsking.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        loop.execute { [self] in
            isAsking.store(false, ordering: .releasing)
            claims.withLock { $0 }?()
        }
    }

    /// Ends the connection to the engine.
    func release() { claims.withLock { $0 = nil } }

    /// A run gave its slot away while it waits, or has that no more.
    func lent(_ isLent: Bool) {
        state.withLock { $0.lent += isLent ? 1 : -1 }
        if isLent { claimSoon() }
    }

    /// Frees the slot of a run that is over, and claims for it.
    func end(_ run: JobRun) {
        if run.endsSlot() { slots.giveBack(of: run.claim.record.tenant) }
        claimSoon()
    }

    /// The run whose work the current task does; nil outside of the jobs of this runner.
    private var runOfTask: JobRun? {
        guard let supervisor = OperationCore.supervisorOfTask as? RunSupervisor,
            supervisor.host.loop === loop
        else { return nil }
        return supervisor.host.run(supervisor.id)
    }

    /// Begins a wait of the current task's work, which may be for more than the end of a job: without a slot until the
    /// wait ends. Nil outside of operations.
    package func pauseOfTask() -> RunPause? {
        guard let run = runOfTask else { return OutsideWait().map { RunPause(wait: $0) } }
        run.workBeganToAwait()
        return RunPause(run: run)
    }

    /// Runs `body`, which waits for a job. The work of another job, or of an operation, needs no slot meanwhile.
    /// - Throws: `dependency.cycle` when the job waits for that other one; `queue.waits_full`; the errors of `body`.
    package func whileAwaited<Value>(_ id: JobID, _ body: () async throws -> Value) async throws -> Value {
        let run = runOfTask
        if let run {
            try waits.withLock { waits throws(AOperationError) in try waits.begin(run.id, for: id) }
        }
        let pause = pauseOfTask()
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        if let run { waits.withLock { $0.end(run.id, for: id) } }
        await pause?.end()
        return try result.get()
    }
}
