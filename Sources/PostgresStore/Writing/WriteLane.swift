import Glibc
import JobKit
import JobStore

// DESIGN
// A server writes through one lane, group by group. Each group first passes the fence: it locks the row of the server
// FOR KEY SHARE, which heartbeats pass and a server that declares this one dead has to wait for. So a server that was
// declared dead commits nothing any more: the statement fails, and with it the COMMIT that may be on its way. It fails
// once for each life of a server, and the database logs the reason in words; to await an answer would cost a group that
// awaits none a round trip. Each group inserts a receipt. When the connection breaks in COMMIT, the lane locks the row
// FOR UPDATE, which succeeds when the old transaction is over, and then looks for the receipt: the change
// was made or it was not, and nothing is guessed. When the database is away for too long to find out, callers are told
// that, and claims, which their runner did not get then, are undone when it is back. The writes of owners of claims are
// fenced by their leases and tickets, too; see `LeaseTable`. The statement of the fence also reads how often settings
// were changed, so that a job that this commit stores or claims runs with what was acknowledged before, whichever
// server did that.

/// The single sequence of one server's writes. Used by one thread.
final class WriteLane {
    private let address: PostgresAddress
    let owner: OwnerID
    private var connection: PostgresConnection?
    /// The number of the last receipt.
    private(set) var receipt: Int64 = 0
    /// The number of changes of settings that the last commit has seen.
    private(set) var settingsEpoch: Int64 = 0
    /// The longest time that the lane tries to resolve a change in doubt.
    private let doubtMax: Duration
    private let register, fence, sign, lock, look: String

    /// - Parameter owner: the life of the server; no other lane writes under it.
    init(_ address: PostgresAddress, for owner: OwnerID, doubtMax: Duration = .seconds(30)) {
        self.address = address
        self.owner = owner
        self.doubtMax = doubtMax
        let (server, landed) = ("\(address.schema).server", "\(address.schema).landed")
        register = "INSERT INTO \(server) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        fence = """
            SELECT CASE count(*) WHEN 1 THEN 1 ELSE concat('\(PostgresFailure.fencedText)', count(*))::int END, \
            (SELECT settings FROM \(address.schema).epoch) FROM (SELECT 1 FROM \(server) WHERE id = $1 FOR KEY SHARE) AS alive
            """
        sign = "INSERT INTO \(landed) VALUES ($1, $2, $3, $4, $5)"
        lock = "SELECT 1 FROM \(server) WHERE id = $1 FOR UPDATE"
        look = "SELECT 1 FROM \(landed) WHERE server = $1 AND number = $2"
    }

    /// Enters the server into the list of those that are alive.
    func enter(at now: Timestamp) throws(PostgresFailure) {
        let connection = try current()
        try connection.run(register, [.text(owner.description), .time(now)])
    }

    /// Closes the connection. The server stays in the list as long as others may read its receipts.
    func leave() { connection = nil }

    /// Makes the changes of `body` durable, all or none.
    /// - Parameter news: tells, after `body`, what other servers shall read about the change.
    /// - Throws: what failed; nothing was changed then, unless the failure `isInDoubt`, which means that the database
    ///   could not be reached for a long time. `.fenced` when the server was declared dead.
    func commit<Value>(
        news: () -> CommitNews = { CommitNews() },
        _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value {
        receipt += 1
        var value: Value?
        do throws(PostgresFailure) {
            return try current().transaction { (connection) throws(PostgresFailure) in
                try connection.later(fence, [.text(owner.description)]) {
                    self.settingsEpoch = $0.integer(0, 1)
                }
                let made = try body(connection)
                let news = news()
                try connection.later(
                    sign,
                    [
                        .text(owner.description), .integer(receipt), .time(SystemClock().now),
                        .bytes(news.isEmpty ? nil : news.encoded()),
                        .bytes(news.ends.isEmpty ? nil : EndFacts.encoded(news.ends)),
                    ])
                value = made
                return made
            }
        } catch {
            if error.isConnectionLost { connection = nil }
            guard error.isInDoubt, let value else { throw error }
            guard try isCommitted(error) else {
                var failure = error
                failure.isInDoubt = false
                throw failure
            }
            return value
        }
    }

    /// Whether the change with the last receipt was made.
    private func isCommitted(_ doubt: PostgresFailure) throws(PostgresFailure) -> Bool {
        let deadline = ContinuousClock.now + doubtMax
        while true {
            do throws(PostgresFailure) {
                return try current().transaction { (connection) throws(PostgresFailure) in
                    try connection.run(lock, [.text(owner.description)])
                    return try connection.run(look, [.text(owner.description), .integer(receipt)]).count > 0
                }
            } catch {
                connection = nil
                guard ContinuousClock.now < deadline else { throw doubt }
                usleep(50_000)
            }
        }
    }

    /// Waits until what the server began on earlier connections is over.
    func settle() throws(PostgresFailure) {
        _ = try current().transaction { (connection) throws(PostgresFailure) in
            try connection.run(lock, [.text(owner.description)])
        }
    }

    private func current() throws(PostgresFailure) -> PostgresConnection {
        if let connection, !connection.isBroken { return connection }
        let opened = try PostgresConnection(address)
        try opened.favourIndexes()
        connection = opened
        return opened
    }
}

extension PostgresFailure {
    /// The text in the log of the database about a server that was declared dead, or never entered: the fence casts it
    /// to a number, which fails.
    static let fencedText = "this jobserver was declared dead and writes no more"

    /// Whether the server may write no more.
    var isFenced: Bool { state == "22P02" && message.utf8.firstRange(of: Self.fencedText.utf8) != nil }
}
