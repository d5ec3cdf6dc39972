import JobKit
import JobStore
import StoreThreads

// DESIGN
// A scan from the beginning walks all dead entries that an open snapshot has PostgreSQL keep: minutes, after hours. So
// it has a connection of its own with a long timeout, and beside the open store a thread of its own: neither the writer
// nor the news wait for it. The store makes one before the writer starts, which begins where that one ended.

/// Looks for the first work from the beginning of each order.
struct FirstsScan {
    private let connection: PostgresConnection
    private static let timeout = Duration.seconds(600)
    /// The time after which PostgreSQL ends the scan. It is shorter than `timeout`, since a scan that this server has
    /// given up would go on in the database and hold a snapshot of its own.
    private static let endsAfter = Duration.seconds(590)

    init(_ address: PostgresAddress) throws(PostgresFailure) {
        var address = address
        address.statementTimeout = Self.timeout
        connection = try PostgresConnection(address)
        try connection.favourIndexes(endingStatementsAfter: Self.endsAfter)
    }

    /// The first value of each order.
    func firsts(since starts: ScanStarts = ScanStarts()) throws(PostgresFailure) -> ScanFirsts {
        try connection.transaction { (connection) throws(PostgresFailure) in
            try DispatchTable(connection).firsts(since: starts)
        }
    }
}

/// The thread that looks, now and then, for work that neither this server nor the news of others have told, as when a
/// commit took long.
// Safe because all mutable state is touched by the thread only; the opener hands the object over to it before the
// thread starts and does not touch it again.
final class FirstsScanner: @unchecked Sendable {
    private let address: PostgresAddress
    private let board: PostgresBoard
    private let bell: Bell
    private var scan: FirstsScan?
    private static let every = Duration.seconds(10)
    /// The time between two scans is at least so many times as long as one.
    private static let share = 200
    /// The longest time between two scans.
    private static let pauseMax = Duration.seconds(3_600)
    /// The longest time until a scan that failed is repeated.
    private static let failurePause = Duration.seconds(300)

    /// - Parameter bell: rung when the store is closed.
    init(_ address: PostgresAddress, board: PostgresBoard, scan: FirstsScan, bell: Bell) {
        self.address = address
        self.board = board
        self.scan = scan
        self.bell = bell
    }

    /// The body of the thread.
    func run() {
        OSThread.standBack()
        var pause = Self.every
        while true {
            bell.wait(milliseconds: Int(pause.components.seconds) * 1_000)
            if board.isClosed { break }
            let began = ContinuousClock.now
            var longest = Self.pauseMax
            do throws(PostgresFailure) {
                try look()
            } catch {
                // The writer reports that PostgreSQL is away.
                scan = nil
                longest = Self.failurePause
            }
            pause = min(max(Self.every, (.now - began) * Self.share), longest)
        }
        scan = nil
    }

    private func look() throws(PostgresFailure) {
        let open = if let scan { scan } else { try FirstsScan(address) }
        scan = open
        let firsts = try open.firsts()
        board.note(firsts)
        let first = [firsts[.ready], firsts[.turn], firsts[.due]].compactMap(\.self).min()
        if let first { board.tell(opening: first) }
    }
}
