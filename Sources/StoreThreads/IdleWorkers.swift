package import JobKit
internal import Synchronization

/// Runs long work on threads of idle priority, which the system stops at once when a loop has something to do: one for
/// brief work, and one for work that takes longer. Each is created for its first work.
package final class IdleWorkers: LongWork {
    private let brief = IdleLane()
    private let long = IdleLane()

    package init() {}

    /// Runs `work` on one of the threads. After `close`, and when the system gives no thread, it runs at once on the
    /// caller's.
    package func add(
        _ size: LongWorkSize, for owner: LongWorkOwner, _ work: @escaping @Sendable () -> Void
    ) {
        switch size {
        case .brief: brief.add(work, for: owner)
        case .long: long.add(work, for: owner)
        }
    }

    /// Ends the threads when all work is done.
    package func close() {
        brief.close()
        long.close()
    }
}

/// A thread and the work that waits for it.
private final class IdleLane: Sendable {
    private struct Line {
        var turns = WorkTurns()
        var hasThread = false
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()

    func add(_ work: @escaping @Sendable () -> Void, for owner: LongWorkOwner) {
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
            do { try OSThread.startAtLeisure { [self] in serve() } } catch {
                line.withLock { $0.hasThread = false }
                while let work = line.withLock({ $0.turns.next() }) { work() }
            }
        }
    }

    func close() {
        line.withLock { $0.isClosed = true }
        bell.ring()
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
