import JobKit
import JobStore
import StoreThreads
import Synchronization

/// Threads that read for callers that may not block. Each has a reader; all take from one line, in which tenants take
/// turns.
final class ReaderPool: Sendable {
    typealias Work = @Sendable (PostgresJobReader) -> Void

    private struct Line: Sendable {
        var waiting = WorkTurns<Work>()
        var count = 0
        var idle = 0
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    private let countMax: Int
    private let makeReader: @Sendable () -> PostgresJobReader

    /// - Parameter makeReader: makes the reader of a thread, which is started when all others are busy.
    init(countMax: Int, makeReader: @escaping @Sendable () -> PostgresJobReader) {
        self.countMax = countMax
        self.makeReader = makeReader
    }

    /// Has a thread run `work`, or the caller when none can be started or the pool is closed.
    /// - Parameter owner: the name of the tenant; empty without one.
    func add(of owner: String = "", _ work: @escaping Work) {
        enum Step { case wait, start, run }
        let step = line.withLock { line in
            if line.isClosed { return Step.run }
            line.waiting.add(work, for: LongWorkOwner(tenant: owner, job: ""))
            if line.waiting.count <= line.idle || line.count == countMax { return .wait }
            line.count += 1
            return .start
        }
        switch step {
        case .wait: bell.ring()
        case .run: work(makeReader())
        case .start:
            bell.ring()
            do throws(JobStoreError) { try OSThread.start("store-reader") { [self] in run() } } catch {
                line.withLock { $0.count -= 1 }
                run(once: true)
            }
        }
    }

    private func run(once: Bool = false) {
        let reader = makeReader()
        while true {
            if !once {
                line.withLock { $0.idle += 1 }
                bell.wait(milliseconds: nil)
                line.withLock { $0.idle -= 1 }
            }
            let (work, isOver) = line.withLock { line in
                (line.waiting.next(), line.isClosed)
            }
            if let work { work(reader) }
            if once || (work == nil && isOver) { return }
        }
    }

    /// Ends the threads after the reads that wait.
    func close() {
        let count = line.withLock { line in
            line.isClosed = true
            return line.count
        }
        for _ in 0..<count { bell.ring() }
    }
}
