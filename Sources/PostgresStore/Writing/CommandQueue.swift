import JobStore
import StoreThreads
import Synchronization

// DESIGN
// Writes wait in two lines, in each of which tenants take turns (`WriteTurns`): large updates of runs in one, all
// others in the other. The two alternate, and claims go ahead in the group of either. While several tenants write,
// a group is small, so that the write of one waits for at most one group of each line, of some ten milliseconds; a
// single write that is larger makes a group. Without tenants a group is as large as pays.

/// The queue of the writer thread.
final class CommandQueue: Sendable {
    private struct Line: Sendable {
        /// Claims, which go ahead.
        var claims: [WriteCommand] = []
        var waiting = WriteTurns<WriteCommand>()
        /// Large updates of runs.
        var large = WriteTurns<WriteCommand>()
        var isTurnOfLarge = false
        /// Those that the writer has, answered or not.
        var taken: [WriteCommand] = []
        /// Why writes of requests are refused at once; nil while they are taken.
        var silence: PostgresFailure?
        var isSleeping = false
        var isClosed = false

        var isEmpty: Bool { waiting.isEmpty && claims.isEmpty && large.isEmpty }
    }

    private let line = Mutex(Line())
    private let bell = Bell()
    /// The cost of a group while several tenants write, and otherwise.
    private static let sharedCostMax = 512 << 10
    private static let aloneCostMax = 8 << 20
    /// The cost of a group of large updates. The COMMIT of a MiB took up to 50 ms on a busy machine.
    private static let largeCostMax = 256 << 10
    /// A group with claims takes in fewer other writes of one job than this, so that free slots wait for no long group.
    private static let claimGroupMax = 32
    /// The writer's contact to the database.
    let contact: DatabaseContact

    /// - Parameter patience: the time without an answer of the database after which requests are answered.
    init(patience: Duration) { contact = DatabaseContact(patience: patience) }

    /// Adds a write at the end, or refuses it when the queue is closed or has no room, or the database is silent.
    func add(_ command: WriteCommand) {
        enum Step { case added, full(JobStoreError), silent(PostgresFailure) }
        let step = line.withLock { line in
            if line.isClosed { return Step.full(.closed) }
            if command.mayLapse {
                if let silence = line.silence { return .silent(silence) }
                if let refusal = line.waiting.refusal(of: command) { return .full(refusal) }
            }
            if command.isClaim {
                line.claims.append(command)
            } else if command.isLargeUpdate {
                line.large.add(command)
            } else {
                line.waiting.add(command)
            }
            if line.isSleeping {
                line.isSleeping = false
                bell.ring()
            }
            return .added
        }
        switch step {
        case .added: break
        case .full(let error): command.refuse(error)
        case .silent(let failure): command.refuse(failure)
        }
    }

    /// The waiting writes, without large updates of runs.
    var pressure: StorePressure {
        line.withLock { line in
            let oldest = (line.waiting.firsts + line.claims.prefix(1)).map(\.madeAt).min()
            return pressure(line, own: line.waiting.count, since: oldest)
        }
    }

    /// The waiting writes, and how long those of one tenant wait.
    /// - Parameter owner: the name of the tenant; empty for none.
    func pressure(of owner: String) -> StorePressure {
        line.withLock { line in
            let own = line.waiting.standing(of: owner)
            return pressure(line, own: own.count, since: own.first?.madeAt)
        }
    }

    private func pressure(
        _ line: Line, own: Int, since oldest: ContinuousClock.Instant?
    ) -> StorePressure {
        var pressure = StorePressure(waiting: line.waiting.count + line.claims.count, own: own)
        guard let oldest else { return pressure }
        let now = ContinuousClock.now
        pressure.oldest = oldest.duration(to: now)
        pressure.silence = contact.silence(at: now)
        return pressure
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
            // What claims and runs write does not lapse.
            let queued = line.waiting.remove(where: \.mayLapse)
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
            if line.isEmpty {
                if line.isClosed { return nil }
                line.isSleeping = sleeps
                return []
            }
            line.taken = Self.group(&line, limit)
            return line.taken
        }
    }

    private static func group(_ line: inout Line, _ limit: Int) -> [WriteCommand] {
        let claims = Array(line.claims.prefix(limit))
        line.claims.removeFirst(claims.count)
        let isTurnOfLarge = !line.large.isEmpty && (line.isTurnOfLarge || line.waiting.isEmpty)
        line.isTurnOfLarge = !isTurnOfLarge
        let room = limit - claims.count
        if isTurnOfLarge { return claims + line.large.next(room, costMax: largeCostMax) }
        if line.waiting.isEmpty { return claims }
        let costMax = line.waiting.hasSeveralOwners ? sharedCostMax : aloneCostMax
        if claims.isEmpty { return line.waiting.next(room, costMax: costMax) }
        return claims
            + line.waiting.next(
                min(room, claimGroupMax - 1), costMax: claimGroupMax * WriteCost.row)
    }
}
