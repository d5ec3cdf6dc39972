import JobKit
import JobStore
import StoreThreads

// DESIGN
// Receipts are folded by any server that finds old ones, so one that could not read for a while may have missed some.
// It reads the counts anew then, as it did when it was opened, and goes on with the rows that are left: their news are
// told, but what is in the counts is not added again.

/// The thread that reads what other servers committed, and folds old receipts.
// Safe because all mutable state is touched by the thread only; the opener hands the object over to it before the
// thread starts and does not touch it again.
final class CommitFollower: @unchecked Sendable {
    private var address: PostgresAddress
    private let board: PostgresBoard
    private let bell: Bell
    private let milliseconds: Int
    private var connection: PostgresConnection?
    /// The last row seen of each server.
    private var last: [String: Int64]
    /// The last row of each server that is in the counts since they were read anew.
    private var counted: [String: Int64] = [:]
    /// The time of the last look, and the age at which one may have missed rows. By a clock that counts on while the
    /// machine is suspended.
    private var lastLook: ContinuousClock.Instant
    private let gapMax: Duration
    /// Whether rows may have been missed since the counts were read, and the time at which they may be read anew.
    private var mayLack = false
    private var nextRecount = ContinuousClock.now
    /// The time until a failed recount is repeated.
    private static let recountPause = Duration.seconds(60)
    /// The longest pause while the database is away, in milliseconds: reads are refused until it has answered here.
    private static let pauseMax = 250
    /// The longest wait for a lock, in milliseconds. A locked table does not make the database a silent one.
    private static let lockWait = 1_000
    private var nextFold = ContinuousClock.now + foldEvery
    /// The first receipt of each server that the last fold found, where the next one begins.
    private var foldStarts: [String: Int64] = [:]
    private static let foldEvery = Duration.seconds(10)
    /// The age at which receipts are folded: other servers have read them long before.
    private static let foldAge = Duration.seconds(120)
    /// The age at which servers of which nothing is left are forgotten, and lost leases.
    private static let forgetAge = Duration.seconds(24 * 3_600)

    /// - Parameters:
    ///   - last: the last row of each server that `board` knows.
    ///   - time: the time of the look that found them.
    ///   - bell: rung when the store is closed.
    ///   - gapMax: the time between two looks in which no row can be missed: less than `foldAge`.
    init(
        _ address: PostgresAddress, board: PostgresBoard, last: [String: Int64],
        since time: ContinuousClock.Instant, bell: Bell, milliseconds: Int, gapMax: Duration = .seconds(60)
    ) {
        self.address = address
        // Reads are refused as long as it has no answer.
        self.address.connectTimeout = .seconds(2)
        self.board = board
        self.last = last
        lastLook = time
        self.bell = bell
        self.milliseconds = milliseconds
        self.gapMax = gapMax
    }

    /// The body of the thread.
    func run() {
        OSThread.standBack()
        var pause = milliseconds
        while true {
            bell.wait(milliseconds: pause)
            if board.isClosed { break }
            do throws(PostgresFailure) {
                while !(try look()), !board.isClosed {}
                pause = milliseconds
            } catch {
                // The writer reports that PostgreSQL is away.
                connection = nil
                pause = min(pause * 2, Self.pauseMax)
            }
        }
        connection = nil
    }

    /// Reads what is new, and folds what is old. Returns whether it read all that is new.
    @discardableResult
    func look() throws(PostgresFailure) -> Bool {
        let began = ContinuousClock.now
        board.contact.ask(at: began)
        let open = if let connection { connection } else { try PostgresConnection(address) }
        if connection == nil { try open.favourIndexes(waitingForLocks: Self.lockWait) }
        connection = open
        let landed = LandedTable(open)
        let own = board.server
        // What others did before this server saw them first is in the counts that it began with.
        board.beginLook()
        let rows: (found: [LandedTable.Row], isWhole: Bool)
        do throws(PostgresFailure) {
            rows = try landed.rows(after: last, besides: own)
        } catch {
            if !error.isConnectionLost { board.contact.rest() }
            throw error
        }
        board.contact.rest()
        // After the rows were read, since the thread may have been stopped at any place.
        if ContinuousClock.now - lastLook > gapMax || board.takeUntold() {
            mayLack = true
            board.tellGap()
        }
        lastLook = began
        for row in rows.found {
            last[row.server] = row.number
            board.note(row.news.firsts)
            board.noteTenants(in: row.news)
            board.noteChanged(in: row.news)
            var news = row.news
            if row.number <= counted[row.server] ?? -1 { news.counts = JobCounts() }
            board.publish(news)
            board.publish(requestsIn: row.news)
            board.wakeLines(after: row.news)
        }
        board.endLook(isWhole: rows.isWhole)
        try recount(landed)
        try fold(open)
        return rows.isWhole
    }

    /// Reads the counts anew if rows may have been missed.
    private func recount(_ landed: LandedTable) throws(PostgresFailure) {
        if !mayLack || ContinuousClock.now < nextRecount { return }
        // Also after a failure: one that takes too long must not hold up the news again and again.
        nextRecount = .now + Self.recountPause
        counted = try board.recount(landed.counts)
        (mayLack, nextRecount) = (false, .now)
    }

    /// Folds old receipts, a part at a time: news are read between.
    private func fold(_ open: PostgresConnection) throws(PostgresFailure) {
        if ContinuousClock.now < nextFold { return }
        let (now, landed, began) = (SystemClock().now, LandedTable(open), ContinuousClock.now)
        let isMore = try open.transaction { (_) throws(PostgresFailure) in
            try landed.fold(before: now.advanced(by: .zero - Self.foldAge), from: &foldStarts)
        }
        if isMore {
            // As long a pause as it took.
            nextFold = .now + (.now - began)
            return
        }
        nextFold = .now + Self.foldEvery
        try landed.removeServers(from: now.advanced(by: .zero - Self.forgetAge), starts: foldStarts)
        try LeaseTable(open, usesDatabaseClock: true).removeLost(
            before: now.advanced(by: .zero - Self.forgetAge))
    }
}
