internal import JobKit
internal import Synchronization

/// Runs long work on a few threads of idle priority, which the system stops at once when a loop has something to do.
/// Owners take turns, so that one with much work delays the work of another by one piece for each thread. The threads
/// are created for the first work.
package final class IdleWorkers: LongWork {
    private struct Waiting {
        var work: [@Sendable () -> Void] = []
        var first = 0
    }

    private struct Line {
        /// The waiting work by owner, in order.
        var work: [String: Waiting] = [:]
        /// The owners with waiting work, first the one whose turn it is.
        var turns: [String] = []
        var first = 0
        var threadCount = 0
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    private let threadsMax: Int

    /// - Parameter threadsMax: the most threads, 1 or more.
    package init(threadsMax: Int = 2) { self.threadsMax = max(1, threadsMax) }

    /// Runs `work` on one of the threads. After `close`, and when the system gives no thread, it runs at once on the
    /// caller's.
    package func add(for owner: String, _ work: @escaping @Sendable () -> Void) {
        enum Step { case wait, start, run }
        let step = line.withLock { line -> Step in
            if line.isClosed { return .run }
            if line.work[owner] == nil { line.turns.append(owner) }
            line.work[owner, default: Waiting()].work.append(work)
            guard line.threadCount < threadsMax else { return .wait }
            line.threadCount += 1
            return .start
        }
        switch step {
        case .wait: bell.ring()
        case .run: work()
        case .start:
            do { try OSThread.startAtLeisure { [self] in serve() } } catch {
                let isAlone = line.withLock { line in
                    line.threadCount -= 1
                    return line.threadCount == 0
                }
                if isAlone { while let work = line.withLock({ Self.next(in: &$0) }) { work() } }
            }
            bell.ring()
        }
    }

    /// Ends the threads when all work is done.
    package func close() {
        let count = line.withLock { line in
            line.isClosed = true
            return line.threadCount
        }
        for _ in 0..<count { bell.ring() }
    }

    private func serve() {
        while true {
            let (work, isOver) = line.withLock { line -> ((@Sendable () -> Void)?, Bool) in
                (Self.next(in: &line), line.isClosed)
            }
            if let work {
                work()
            } else if isOver {
                return
            } else {
                bell.wait(milliseconds: nil)
            }
        }
    }

    /// Takes the oldest work of the owner whose turn it is, who then waits behind the others.
    private static func next(in line: inout Line) -> (@Sendable () -> Void)? {
        guard line.first < line.turns.count else { return nil }
        let owner = line.turns[line.first]
        line.first += 1
        if line.first > 64, line.first * 2 > line.turns.count {
            line.turns.removeFirst(line.first)
            line.first = 0
        }
        guard var waiting = line.work.removeValue(forKey: owner) else { return nil }
        let work = waiting.work[waiting.first]
        waiting.first += 1
        if waiting.first < waiting.work.count {
            line.work[owner] = waiting
            line.turns.append(owner)
        }
        return work
    }
}
