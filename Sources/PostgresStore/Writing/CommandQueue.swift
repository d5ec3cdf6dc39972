import JobStore
import StoreThreads
import Synchronization

/// The queue of the writer thread.
final class CommandQueue: Sendable {
    private struct Line: Sendable {
        /// In the order of their arrival.
        var waiting: [WriteCommand] = []
        /// Those that the writer has, answered or not.
        var taken: [WriteCommand] = []
        /// Why writes of requests are refused at once; nil while they are taken.
        var silence: PostgresFailure?
        var isSleeping = false
        var isClosed = false
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    /// A group takes in no more once its large writes have this size.
    private static let groupBytesMax = 1 << 20
    /// A group with a claim takes in no more jobs, so that free slots wait for no long group.
    private static let claimGroupMax = 32
    /// The writer's contact to the database.
    let contact: DatabaseContact

    /// - Parameter patience: the time without an answer of the database after which requests are answered.
    init(patience: Duration) { contact = DatabaseContact(patience: patience) }

    /// Adds a write at the end, or refuses it when the queue is closed or the database silent.
    func add(_ command: WriteCommand) {
        enum Step { case added, closed, silent(PostgresFailure) }
        let step = line.withLock { line in
            if line.isClosed { return Step.closed }
            if let silence = line.silence, command.mayLapse { return .silent(silence) }
            line.waiting.append(command)
            if line.isSleeping {
                line.isSleeping = false
                bell.ring()
            }
            return .added
        }
        switch step {
        case .added: break
        case .closed: command.refuse(.closed)
        case .silent(let failure): command.refuse(failure)
        }
    }

    /// The waiting writes.
    var pressure: StorePressure {
        line.withLock { line in
            guard let first = line.waiting.first else { return StorePressure() }
            let now = ContinuousClock.now
            return StorePressure(
                waiting: line.waiting.count, oldest: first.madeAt.duration(to: now),
                silence: contact.silence(at: now))
        }
    }

    // MARK: Silence

    /// Why the database counts as silent; nil while it does not.
    var silence: PostgresFailure? { line.withLock { $0.silence } }

    /// Answers the writes of requests, and refuses further ones, once the database owes the writer an answer for too
    /// long. Those that it has taken may be made nevertheless, and the writer goes on to find that out.
    func lapse(at now: ContinuousClock.Instant) {
        typealias Lapsed = (failure: PostgresFailure, queued: [WriteCommand], taken: [WriteCommand])
        let lapsed = line.withLock { line -> Lapsed? in
            guard line.silence == nil, contact.isSilent(at: now) else { return nil }
            let failure = PostgresFailure.silent(for: contact.patience)
            line.silence = failure
            let queued = line.waiting.filter(\.mayLapse)
            line.waiting.removeAll(where: \.mayLapse)
            return (failure, queued, line.taken.filter(\.mayLapse))
        }
        guard let lapsed else { return }
        for command in lapsed.queued { command.refuse(lapsed.failure) }
        var doubt = lapsed.failure
        doubt.isInDoubt = true
        for command in lapsed.taken { command.refuse(doubt) }
    }

    /// Takes writes of requests again: one was made durable.
    func resume() { line.withLock { $0.silence = nil } }

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
            line.taken = []
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
            line.taken = taken
            return taken
        }
    }
}
