package import JobKit
internal import JobStore
internal import Synchronization

/// A thread and the work that waits for it. Tenants take turns, and so do the jobs or clients of each. The thread is
/// created for the first work.
package final class WorkLane: Sendable {
    private struct Line {
        var turns = WorkTurns<@Sendable () -> Void>()
        var hasThread = false
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    private let name: String
    private let pace: ThreadPace

    /// - Parameter name: the name of the thread.
    package init(_ name: String, _ pace: ThreadPace) { (self.name, self.pace) = (name, pace) }

    /// Runs `work` on the thread. After `close`, and when the system gives no thread, it runs at once on the caller's.
    package func add(_ work: @escaping @Sendable () -> Void, for owner: LongWorkOwner) {
        enum Step { case wait, start, run }
        let step = line.withLock { line -> Step in
            if line.isClosed { return .run }
            line.turns.add(work, for: owner)
            if line.hasThread { return .wait }
            line.hasThread = true
            return .start
        }
        switch step {
        case .wait: bell.ring()
        case .run: work()
        case .start:
            do { try start() } catch {
                line.withLock { $0.hasThread = false }
                while let work = line.withLock({ $0.turns.next() }) { work() }
            }
        }
    }

    /// Whether work waits for the thread.
    package var hasWaiting: Bool { line.withLock { $0.turns.count > 0 } }

    /// Ends the thread when all work is done.
    package func close() {
        line.withLock { $0.isClosed = true }
        bell.ring()
    }

    private func start() throws(JobStoreError) {
        try OSThread.start(name, pace) { [self] in serve() }
    }

    private func serve() {
        while true {
            let (work, isOver) = line.withLock { ($0.turns.next(), $0.isClosed) }
            if let work {
                work()
            } else if isOver {
                return
            } else {
                bell.wait(milliseconds: nil)
            }
        }
    }
}
