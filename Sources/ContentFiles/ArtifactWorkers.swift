import JobStore
import StoreThreads
import Synchronization

/// Threads for operations that wait for the disk. Work starts in the order of submission.
final class ArtifactWorkers: Sendable {
    private struct Line {
        var work: [@Sendable () -> Void] = []
        var first = 0
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    private let count: Int

    /// - Throws: `.unavailable` when the system cannot create a thread.
    init(count: Int) throws(JobStoreError) {
        self.count = count
        for _ in 0..<count { try OSThread.start("files") { [self] in run() } }
    }

    /// Runs `work` on one of the threads. After `close` it runs at once, on the caller's.
    func add(_ work: @escaping @Sendable () -> Void) {
        let isClosed = line.withLock { line -> Bool in
            if !line.isClosed { line.work.append(work) }
            return line.isClosed
        }
        if isClosed { work() } else { bell.ring() }
    }

    /// The result of `work` on one of the threads.
    func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        let value = await withCheckedContinuation { continuation in
            add { [self] in
                let value = work()
                // On both sides, since the thread sanitizer does not always see that a continuation orders them, too.
                line.withLock { _ in }
                continuation.resume(returning: value)
            }
        }
        line.withLock { _ in }
        return value
    }

    /// Ends the threads when all work is done.
    func close() {
        line.withLock { $0.isClosed = true }
        for _ in 0..<count { bell.ring() }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        while true {
            let (work, isOver) = line.withLock { line -> ((@Sendable () -> Void)?, Bool) in
                guard line.first < line.work.count else { return (nil, line.isClosed) }
                let work = line.work[line.first]
                line.first += 1
                if line.first == line.work.count {
                    line.work.removeAll(keepingCapacity: true)
                    line.first = 0
                }
                return (work, false)
            }
            if work != nil || isOver { return work }
            bell.wait(milliseconds: nil)
        }
    }
}
