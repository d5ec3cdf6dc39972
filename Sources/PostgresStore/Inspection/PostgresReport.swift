/// The facts about the PostgreSQL of a store that an operator should know.
package struct PostgresReport: Sendable, Hashable {
    /// A transaction that keeps old rows from being removed.
    package struct Snapshot: Sendable, Hashable {
        package var process: Int64
        package var application: String
        package var seconds: Int64
    }

    /// `15.18`
    package var version = ""
    /// `150018`
    package var versionNumber: Int64 = 0
    package var isStandby = false
    /// The version of the schema; nil when there is none.
    package var schemaVersion: Int64?
    /// Whether another store was not copied to the end into it.
    package var isUnfinishedCopy: Bool { schemaVersion.map { $0 >= PostgresMigration.copying } ?? false }
    /// The version that this program knows.
    package var schemaNewest: Int64 = 0
    /// Settings by name; those that this PostgreSQL does not know are missing.
    package var settings: [String: String] = [:]
    /// The standbys that are connected, and those of them for which commits wait.
    package var standbys: Int64 = 0
    package var synchronousStandbys: Int64 = 0
    /// Names of replication slots that nothing uses and that keep old rows or log.
    package var idleSlots: [String] = []
    package var connections: Int64 = 0
    /// The time by which the clock of the database is ahead of that of this machine, in milliseconds.
    package var clockAhead: Int64 = 0
    /// The time of a question and its answer, in microseconds.
    package var roundTrip: Int64 = 0
    /// The oldest transaction that keeps old rows from being removed.
    package var oldest: Snapshot?
    /// Prepared transactions that nothing ends.
    package var preparedTransactions: Int64 = 0
    /// The rows of the unfinished jobs, those of them that are dead, and the bytes of their table.
    package var tickets: Int64 = 0
    package var deadTickets: Int64 = 0
    package var ticketBytes: Int64 = 0
    package var isTicketVacuumed = true
    /// The servers that are alive.
    package var servers: Int64 = 0
    /// Jobs of servers without a lease.
    package var abandoned: Int64 = 0

    init() {}
}
