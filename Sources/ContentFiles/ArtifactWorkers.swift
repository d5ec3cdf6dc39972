import JobStore
import StoreThreads
import Synchronization

/// Threads for operations that wait for the disk. Work starts in the order of submission; work on one file, one after
/// another.
final class ArtifactWorkers: Sendable {
    private struct Line {
        var work: [@Sendable () -> Void] = []
        var first = 0
        var isClosed = false
    }

    private let line = Mutex(Line())
    /// The work that waits for other work on its file, by the path of that.
    private let waiting = Mutex<[String: [@Sendable () -> Void]]>([:])
    private let bell = Bell()
    private let count: Int

    /// Starts the threads, which have a tenth of the weight of a loop: more content costs no other job its processor.
    /// - Parameter name: see `OSThread.start`.
    /// - Throws: `.unavailable` when the system cannot create a thread.
    init(count: Int, _ name: String = "files") throws(JobStoreError) {
        self.count = count
        for _ in 0..<count { try OSThread.start(name, .patient) { [self] in run() } }
    }

    /// Runs `work` on one of the threads. After `close` it runs at once, on the caller's.
    func add(_ work: @escaping @Sendable () -> Void) {
        let isClosed = line.withLock { line -> Bool in
            if !line.isClosed { line.work.append(work) }
            return line.isClosed
        }
        if isClosed { work() } else { bell.ring() }
    }

    /// Runs work on a file likewise, after earlier work on it.
    func add(on path: String, _ work: @escaping @Sendable () -> Void) {
        let isFirst = waiting.withLock { waiting in
            if waiting[path] == nil {
                waiting[path] = []
                return true
            }
            waiting[path]?.append(work)
            return false
        }
        if isFirst { begin(work, on: path) }
    }

    private func begin(_ work: @escaping @Sendable () -> Void, on path: String) {
        add { [self] in
            work()
            let next = waiting.withLock { waiting -> (@Sendable () -> Void)? in
                if waiting[path]?.isEmpty != false {
                    waiting[path] = nil
                    return nil
                }
                return waiting[path]?.removeFirst()
            }
            if let next { begin(next, on: path) }
        }
    }

    /// The result of `work` on one of the threads.
    /// - Parameter path: the file that it is on.
    func result<Value: Sendable>(
        on path: String? = nil, of work: @escaping @Sendable () -> Value
    ) async -> Value {
        let value = await withCheckedContinuation { continuation in
            let answer: @Sendable () -> Void = { [self] in
                let value = work()
                // On both sides, since the thread sanitizer does not always see that a continuation orders them, too.
                line.withLock { _ in }
                continuation.resume(returning: value)
            }
            if let path { add(on: path, answer) } else { add(answer) }
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
