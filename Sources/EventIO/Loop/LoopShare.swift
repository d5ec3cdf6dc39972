import CEvent
import Glibc

/// A share of a loop: an executor whose tasks run on the loop, in turn with those of other shares. However many one
/// has, the others wait for a turn of it at most.
// Safe because the queue belongs to the loop's thread.
package final class LoopShare: TaskExecutor, @unchecked Sendable {
    private let loop: EventLoop
    private var jobs: [UnownedJob] = []
    private var head = 0
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
        jobs.append(job)
        defer { hasTurn = true }
        return !hasTurn
    }

    /// Runs partial tasks, on the loop.
    /// - Returns: whether there are more, which need another turn.
    func runTurn() -> Bool {
        let end = SliceMeter.nanoseconds(of: CLOCK_MONOTONIC) + Self.turn
        repeat {
            let job = jobs[head]
            head += 1
            if head == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                head = 0
            } else if head == 4_096 {
                jobs.removeFirst(head)
                head = 0
            }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        } while !jobs.isEmpty && SliceMeter.nanoseconds(of: CLOCK_MONOTONIC) < end
        hasTurn = !jobs.isEmpty
        return hasTurn
    }
}
