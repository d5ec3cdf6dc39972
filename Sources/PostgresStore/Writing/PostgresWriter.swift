import JobKit
import JobStore
import StoreThreads

// DESIGN
// The writer takes all queued writes and makes them durable in one transaction; meanwhile the next group gathers. When
// the connection is lost before COMMIT, nothing was done, and the group runs again on a new one. When there is none,
// every write is refused at once, and the writer tries by itself until PostgreSQL is back. A statement that waits for a
// lock, and a commit in doubt, may hold the writer up for half a minute: meanwhile `SilenceWatch` answers requests, and
// what was answered is left out when the group runs again.

/// The writer thread of a server.
// Safe because all mutable state is touched by the writer thread only; the opener hands the object over to it before
// the thread starts and does not touch it again.
final class PostgresWriter: @unchecked Sendable {
    private let address: PostgresAddress
    private let options: PostgresOptions
    private let queue: CommandQueue
    private let board: PostgresBoard
    private var lane: WriteLane
    private var unit: WorkUnit?
    private var numbers: JobNumbers
    /// The starts of scans for work, for the next unit.
    private var starts: ScanStarts
    /// The tenants that take turns, in all units.
    private let tenants = WaitingTenants()
    /// Why nothing can be written, and the time of the next try.
    private var trouble: (failure: PostgresFailure, nextTry: ContinuousClock.Instant)?
    private static let retryMilliseconds = 250
    /// Claims in commits in doubt: those that were made, whose jobs do not run here though they may be stored as
    /// running, and those of runs that wrote.
    private var unsureClaims: [ClaimKey] = []
    /// States of rates that jobs which begin late have outdated.
    private var lateRates: [(name: QueueGate.RateName, state: RateState)] = []
    /// Whether a commit in doubt was not told of, though it may have been made.
    private var hasUntold = false

    /// - Parameter address: has the contact of the queue.
    init(
        _ address: PostgresAddress, options: PostgresOptions, queue: CommandQueue, board: PostgresBoard,
        lane: WriteLane, starts: ScanStarts
    ) {
        self.address = address
        self.options = options
        self.queue = queue
        self.board = board
        self.lane = lane
        self.starts = starts
        numbers = JobNumbers(slot: .random(in: 0..<1_024))
    }

    /// The body of the thread.
    func run() {
        OSThread.standBack()
        while let commands = queue.next(
            limit: options.groupMax, waiting: isWell ? nil : Self.retryMilliseconds)
        {
            if let trouble {
                if ContinuousClock.now >= trouble.nextTry { tryAgain() }
            } else if commands.isEmpty && !isWell {
                tryAgain()
            }
            write(commands)
            raiseLateRates()
        }
        unit = nil
        lane.leave()
        board.end()
    }

    /// Whether nothing is known to be wrong.
    private var isWell: Bool { trouble == nil && queue.silence == nil }

    // MARK: Groups

    private func write(_ commands: [WriteCommand]) {
        if commands.isEmpty { return }
        if let trouble { return refuse(commands, trouble.failure) }
        do throws(PostgresFailure) {
            try commit(commands)
        } catch {
            handle(error, of: commands)
        }
    }

    private func commit(_ given: [WriteCommand], checksIDs: Bool = false) throws(PostgresFailure) {
        var (commands, needs) = (given, WriteNeeds())
        board.beginCommit()
        defer { board.endCommit() }
        do throws(PostgresFailure) {
            try lane.commit(news: { self.unit?.news ?? CommitNews() }) {
                (connection) throws(PostgresFailure) in
                if given.contains(where: \.isAnswered) { commands = given.filter { !$0.isAnswered } }
                needs = commands.first?.needs ?? WriteNeeds()
                for command in commands.dropFirst() { needs.add(command.needs) }
                let unit = unit(on: connection)
                try unit.begin(needs, board, checksIDs: checksIDs)
                for command in commands {
                    if !command.isPlain { try unit.touched.lockCopies() }
                    try command.run(in: unit)
                }
                try unit.finish()
            }
        } catch {
            if error.isInDoubt { hasUntold = true }
            if error.isInDoubt, let unit { unsureClaims += unit.touched.claims + needs.runs + needs.claims }
            unit?.rollback()
            throw error
        }
        queue.resume()
        guard let unit else { return }
        unit.committed()
        numbers = unit.numbers
        board.noteSettings(epoch: lane.settingsEpoch + unit.settingsChanges)
        var news = unit.news
        // The epoch tells of them.
        news.changesSettings = false
        board.publish(news, from: lane.owner.description, number: lane.receipt)
        board.publish(grantsIn: unit.news)
        unit.arrived.handOver()
        board.follow(unit.lines.names)
        let passing = unit.arrived.arrivals?.room.shares.passing
        let opening = [unit.lines.opening(passing: passing), unit.asksAgain].compactMap(\.self).min()
        if let opening { board.tell(opening: opening) }
        lateRates += unit.lines.lateRates(at: SystemClock().now)
        for command in commands { command.deliver() }
    }

    /// Counts jobs whose claims took long to be stored from the time at which they begin. At once, since other servers
    /// count from what is stored.
    private func raiseLateRates() {
        if lateRates.isEmpty || trouble != nil { return }
        let rates = lateRates
        lateRates = []
        write([
            WriteCommand(needs: WriteNeeds(), reply: { (_: Result<Void, JobStoreError>) in }) {
                (unit) throws(PostgresFailure) in
                .success(try unit.tables.queues.raise(rates))
            }
        ])
    }

    /// The unit of work on a connection.
    private func unit(on connection: PostgresConnection) -> WorkUnit {
        if let unit, unit.connection === connection { return unit }
        if let unit { starts = unit.starts }
        let made = WorkUnit(
            connection, options: options, numbers: numbers, starts: starts, tenants: tenants)
        unit = made
        return made
    }

    /// Handles the failure of a group, of which nothing was stored. One write may have failed the others: each gets a
    /// transaction of its own then.
    private func handle(_ failure: PostgresFailure, of commands: [WriteCommand]) {
        var failure = failure
        if failure.isRowChanged { unit?.touched.forgetCopies() }
        if failure.isFenced || failure.isIDTaken || failure.isRowChanged
            || (failure.isConnectionLost && !failure.isInDoubt)
        {
            do throws(PostgresFailure) {
                if failure.isFenced { try enterAgain() }
                return try commit(commands, checksIDs: failure.isIDTaken)
            } catch {
                failure = error
            }
        }
        if failure.isDamage { board.note(damage: failure.storeError(doing: Self.doing).detail) }
        if failure.isConnectionLost {
            begin(failure)
            refuse(commands, failure)
        } else if commands.count == 1 {
            refuse(commands, failure)
        } else {
            for command in commands where !command.isAnswered { write([command]) }
        }
    }

    private static let doing = "Storing a change failed"

    private func refuse(_ commands: [WriteCommand], _ failure: PostgresFailure) {
        for command in commands { command.refuse(failure) }
    }

    // MARK: Trouble

    private func begin(_ failure: PostgresFailure) {
        var failure = failure
        // Writes are refused at once until the connection is back.
        failure.isInDoubt = false
        board.note(trouble: .failing(failure.storeError(doing: Self.doing).detail))
        trouble = (failure, .now + .milliseconds(Self.retryMilliseconds))
    }

    /// Takes writes again if PostgreSQL does.
    private func tryAgain() {
        do throws(PostgresFailure) {
            // A commit in doubt is over before the next: readers go by the numbers of receipts.
            if hasUntold { try lane.settle() }
            do throws(PostgresFailure) {
                try lane.commit { _ in }
            } catch {
                guard error.isFenced else { throw error }
                try enterAgain()
            }
            try undoUnsureClaims()
            if hasUntold {
                board.noteUntold()
                hasUntold = false
            }
            trouble = nil
            board.note(trouble: nil)
            queue.resume()
        } catch {
            if trouble == nil { begin(error) }
            trouble?.nextTry = .now + .milliseconds(Self.retryMilliseconds)
        }
    }

    private func undoUnsureClaims() throws(PostgresFailure) {
        guard !unsureClaims.isEmpty else { return }
        try lane.settle()
        let claims = unsureClaims
        let now = SystemClock().now
        try commit([
            WriteCommand(
                needs: WriteNeeds(ids: claims.map(\.id)), reply: { (_: Result<Void, JobStoreError>) in }
            ) {
                (unit) throws(PostgresFailure) in
                .success(try unit.putBack(claims, at: now))
            }
        ])
        unsureClaims = []
    }

    /// Enters the server again, under another name, after others forgot it.
    private func enterAgain() throws(PostgresFailure) {
        let lane = WriteLane(address, for: .new(), doubtMax: options.doubtMax)
        try lane.enter(at: SystemClock().now)
        self.lane = lane
        if let unit { starts = unit.starts }
        unit = nil
        board.server = lane.owner.description
    }
}
