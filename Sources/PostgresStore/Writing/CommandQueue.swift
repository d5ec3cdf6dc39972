import JobStore
import StoreThreads
import Synchronization

/// The queue of the writer thread.
final class CommandQueue: Sendable {
    private struct Line: Sendable {
        /// In the order of their arrival.
        var waiting: [WriteCommand] = []
        var isSleeping = false
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    /// A group takes in no more once its large writes have this size.
    private static let groupBytesMax = 1 << 20
    /// A group with a claim takes in no more jobs, so that free slots wait for no long group.
    private static let claimGroupMax = 32

    /// Adds a write at the end, or refuses it when the queue is closed.
    func add(_ command: WriteCommand) {
        let isClosed = line.withLock { line in
            if line.isClosed { return true }
            line.waiting.append(command)
            if line.isSleeping {
                line.isSleeping = false
                bell.ring()
            }
            return false
        }
        if isClosed { command.refuse(.closed) }
    }

    /// The waiting writes.
    var pressure: StorePressure {
        line.withLock { line in
            guard let first = line.waiting.first else { return StorePressure() }
            return StorePressure(waiting: line.waiting.count, oldest: first.madeAt.duration(to: .now))
        }
    }

    /// Closes the queue. Waiting writes are still done.
    func close() {
        line.withLock { line in
            line.isClosed = true
            if line.isSleeping {
                line.isSleeping = false
                bell.ring()
            }
        }
    }

    /// Waits for writes.
    /// - Parameters:
    ///   - limit: the maximum number to take.
    ///   - milliseconds: the maximum wait; nil means without limit.
    /// - Returns: the writes in order, but claims first; none when the time is up; nil when none will come any more.
    func next(limit: Int, waiting milliseconds: Int?) -> [WriteCommand]? {
        let waiting = take(limit, sleeps: true)
        guard waiting?.isEmpty == true else { return waiting }
        bell.wait(milliseconds: milliseconds)
        return take(limit, sleeps: false)
    }

    private func take(_ limit: Int, sleeps: Bool) -> [WriteCommand]? {
        line.withLock { line in
            line.isSleeping = false
            if line.waiting.isEmpty {
                if line.isClosed { return nil }
                line.isSleeping = sleeps
                return []
            }
            var jobsMax = Int.max
            if let place = line.waiting.firstIndex(where: \.isClaim) {
                line.waiting.insert(line.waiting.remove(at: place), at: 0)
                jobsMax = Self.claimGroupMax
            }
            var (bytes, jobs) = (0, 0)
            let taken = Array(
                line.waiting.prefix(limit).prefix { command in
                    defer {
                        (bytes, jobs) = (
                            bytes + command.bytes, jobs + max(1, command.needs.submissions.count)
                        )
                    }
                    return jobs < jobsMax && (bytes == 0 || bytes + command.bytes <= Self.groupBytesMax)
                })
            line.waiting.removeFirst(taken.count)
            return taken
        }
    }
}
