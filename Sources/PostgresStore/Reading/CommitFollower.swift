import JobKit
import JobStore
import StoreThreads

/// The thread that reads what other servers committed, and folds old receipts.
// Safe because all mutable state is touched by the thread only; the opener hands the object over to it before the
// thread starts and does not touch it again.
final class CommitFollower: @unchecked Sendable {
    private let address: PostgresAddress
    private let board: PostgresBoard
    private let bell: Bell
    private let milliseconds: Int
    private var connection: PostgresConnection?
    /// The last row seen of each server.
    private var last: [String: Int64]
    private var nextFold = ContinuousClock.now + foldEvery
    private static let foldEvery = Duration.seconds(10)
    private var nextScan = ContinuousClock.now + scanEvery
    private static let scanEvery = Duration.seconds(10)
    /// The time between two scans from the beginning is at least so many times as long as one.
    private static let scanShare = 200
    /// The longest time until a scan that failed is repeated.
    private static let scanPauseMax = Duration.seconds(300)
    /// The age at which receipts are folded: other servers have read them long before.
    private static let foldAge = Duration.seconds(120)
    /// The age at which servers of which nothing is left are forgotten, and lost leases.
    private static let forgetAge = Duration.seconds(24 * 3_600)

    /// - Parameters:
    ///   - last: the last row of each server that `board` knows.
    ///   - bell: rung when the store is closed.
    init(
        _ address: PostgresAddress, board: PostgresBoard, last: [String: Int64], bell: Bell, milliseconds: Int
    ) {
        self.address = address
        self.board = board
        self.last = last
        self.bell = bell
        self.milliseconds = milliseconds
    }

    /// The body of the thread.
    func run() {
        OSThread.standBack()
        var pause = milliseconds
        while true {
            bell.wait(milliseconds: pause)
            if board.isClosed { break }
            do throws(PostgresFailure) {
                try look()
                pause = milliseconds
            } catch {
                // The writer reports that PostgreSQL is away.
                connection = nil
                pause = min(pause * 2, 2_000)
            }
        }
        connection = nil
    }

    private func look() throws(PostgresFailure) {
        let open = if let connection { connection } else { try PostgresConnection(address) }
        connection = open
        let landed = LandedTable(open)
        let own = board.server
        // What others did before this server saw them first is in the counts that it began with.
        for row in try landed.rows(after: last, besides: own) {
            last[row.server] = row.number
            board.note(row.news.firsts)
            board.publish(row.news)
            board.publish(requestsIn: row.news)
            board.wakeLines(after: row.news)
        }
        try fold(open)
        try scan(open)
    }

    /// Folds old receipts, a part at a time: news are read between.
    private func fold(_ open: PostgresConnection) throws(PostgresFailure) {
        if ContinuousClock.now < nextFold { return }
        let (now, landed, began) = (SystemClock().now, LandedTable(open), ContinuousClock.now)
        let isMore = try open.transaction { (_) throws(PostgresFailure) in
            try landed.fold(before: now.advanced(by: .zero - Self.foldAge))
        }
        if isMore {
            // As long a pause as it took.
            nextFold = .now + (.now - began)
            return
        }
        nextFold = .now + Self.foldEvery
        try landed.removeServers(from: now.advanced(by: .zero - Self.forgetAge))
        try LeaseTable(open, usesDatabaseClock: true).removeLost(
            before: now.advanced(by: .zero - Self.forgetAge))
    }

    /// Looks for the first work from the beginning, which neither this server nor the news of others may have told: a
    /// commit took long, or an older program made it.
    private func scan(_ connection: PostgresConnection) throws(PostgresFailure) {
        let began = ContinuousClock.now
        if began < nextScan { return }
        // Also after a failure: one that takes too long must not hold up the news again and again.
        nextScan = .now + Self.scanPauseMax
        let firsts = try DispatchTable(connection).firsts(since: ScanStarts())
        nextScan = .now + max(Self.scanEvery, (.now - began) * Self.scanShare)
        board.note(firsts)
        if let time = [firsts[.ready], firsts[.due]].compactMap(\.self).min() { board.tell(opening: time) }
    }
}
