import Glibc

/// A share of a loop: an executor whose tasks run on the loop, in turn with those of other shares. However many one
/// has, the others wait for a turn of it at most.
// Safe because the queue belongs to the loop's thread.
package final class LoopShare: TaskExecutor, @unchecked Sendable {
    private let loop: EventLoop
    private var work = LoopWorkQueue()
    /// Whether the loop gives it a turn.
    private var hasTurn = false

    /// The time of one turn, in nanoseconds. A partial task is not interrupted.
    private static let turn: Int64 = 1_000_000

    package init(of loop: EventLoop) { self.loop = loop }

    /// Enqueues a partial task. Called by the Swift runtime, from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        loop.enqueue(.shared(UnownedJob(job), self))
    }

    /// The share as a task's preferred executor: `Task(executorPreference: share)`.
    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Adds a partial task, on the loop.
    /// - Returns: whether the share needs a turn and has none yet.
    func append(_ job: UnownedJob) -> Bool {
        work.append(.job(job))
        defer { hasTurn = true }
        return !hasTurn
    }

    /// Runs partial tasks, on the loop.
    /// - Returns: whether there are more, which need another turn.
    func runTurn() -> Bool {
        let end = SliceMeter.nanoseconds(of: CLOCK_MONOTONIC) + Self.turn
        while case .job(let job) = work.popFirst() {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            if SliceMeter.nanoseconds(of: CLOCK_MONOTONIC) >= end { break }
        }
        hasTurn = !work.isEmpty
        return hasTurn
    }
}
