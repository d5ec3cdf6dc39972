internal import Foundation
internal import Synchronization

/// An executor without a thread: its work is done piece by piece by the caller of `step`, in an order that a seed
/// decides. With it and a manual clock, a whole queue runs the same way each time.
package final class StepExecutor: TaskExecutor {
    private let pieces = Mutex<[UnownedJob]>([])

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pieces.withLock { $0.append(job) }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

    /// Does one piece of work; false when there is none.
    package func step(_ random: inout SeededRandom) -> Bool {
        let piece = pieces.withLock { pieces -> UnownedJob? in
            guard !pieces.isEmpty else { return nil }
            let index = random.below(min(pieces.count, 64))
            pieces.swapAt(index, pieces.count - 1)
            return pieces.removeLast()
        }
        guard let piece else { return false }
        unsafe piece.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}

/// An executor that runs the first piece of work before the submitter continues.
package final class HastyExecutor: TaskExecutor {
    private let isFirst = Atomic(true)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let (job, isDone) = (UnownedJob(job), DispatchSemaphore(value: 0))
        Thread.detachNewThread { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            isDone.signal()
        }
        if isFirst.exchange(false, ordering: .sequentiallyConsistent) { isDone.wait() }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere for one seed.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// 0..<limit
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// True with this probability in percent.
    package mutating func percent(_ share: Int) -> Bool { below(100) < share }
}
