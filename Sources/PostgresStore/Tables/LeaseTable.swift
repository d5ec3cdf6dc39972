import JobKit
import JobStore

// DESIGN
// A lease is a row, which claims of its owner lock FOR KEY SHARE, so that they wait for no heartbeat. Recovery marks
// the rows of expired leases as lost, but for those with open claims, whose turn comes with the next recovery, and then
// requeues the jobs of their owners: no claim of an owner can come after that, and none is overlooked. Time is the
// database's, the same for all servers.
// A change of the limits of a queue is written into each lease in the same way, but it waits for open claims: none is
// open meanwhile, and each that comes later finds in its lease that there was one.

/// The leases of the owners of claims.
struct LeaseTable {
    private let connection: PostgresConnection
    private let renew, begin, hold, lose, ofOwner, delete, deleteLost, announce, alive, putVersion: String
    let isOver: String

    /// - Parameter usesDatabaseClock: whether leases follow the clock of the database and not that of the callers.
    init(_ connection: PostgresConnection, usesDatabaseClock: Bool) {
        self.connection = connection
        let schema = connection.address.schema
        let now = usesDatabaseClock ? "(extract(epoch FROM clock_timestamp()) * 1000)::bigint" : "$1::bigint"
        renew = """
            UPDATE \(schema).lease SET until = greatest(until, \(now) + $3) WHERE owner = $2 AND NOT is_lost
            """
        begin = """
            INSERT INTO \(schema).lease (owner, until, is_lost, queue_version) \
            SELECT $2, \(now) + $3, false, number FROM \(schema).queue_version FOR SHARE ON CONFLICT DO NOTHING
            """
        hold = "SELECT queue_version FROM \(schema).lease WHERE owner = $1 AND NOT is_lost FOR KEY SHARE"
        putVersion = """
            UPDATE \(schema).lease SET queue_version = $1 WHERE owner = ANY(ARRAY(SELECT owner FROM \(schema).lease \
            WHERE NOT is_lost ORDER BY owner FOR UPDATE))
            """
        lose = """
            UPDATE \(schema).lease SET is_lost = true WHERE owner = ANY(ARRAY(SELECT owner FROM \(schema).lease \
            WHERE NOT is_lost AND until <= \(now) AND owner <> $2 ORDER BY owner \
            FOR UPDATE SKIP LOCKED))
            """
        // The gaps between the owners that have leases are scanned, and not the many entries of these owners.
        isOver = """
            WITH alive AS (SELECT owner FROM \(schema).lease WHERE NOT is_lost UNION VALUES ($1), ('')), \
            gap AS (SELECT owner AS low, lead(owner) OVER (ORDER BY owner) AS high FROM alive) \
            SELECT lost.id FROM gap CROSS JOIN LATERAL (SELECT id FROM \(schema).ticket \
            WHERE owner > gap.low AND owner < gap.high LIMIT $2) AS lost UNION ALL \
            SELECT id FROM \(schema).ticket WHERE owner > (SELECT max(owner) FROM alive) LIMIT $2
            """
        ofOwner = "SELECT id FROM \(schema).ticket WHERE owner = ANY($1)"
        delete = "DELETE FROM \(schema).lease WHERE owner = $1"
        announce = "UPDATE \(schema).lease SET about = $2 WHERE owner = $1 AND NOT is_lost"
        let present = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        alive = """
            SELECT owner, until, about, CASE WHEN $1::bigint = 1 THEN \
            (SELECT count(*) FROM \(schema).ticket WHERE ticket.owner = lease.owner) ELSE 0 END \
            FROM \(schema).lease WHERE NOT is_lost AND about IS NOT NULL AND until > \(present)
            """
        deleteLost = "DELETE FROM \(schema).lease WHERE is_lost AND until < $1"
    }

    /// Begins or extends a lease. Returns false when it was lost.
    func renew(_ owner: OwnerID, now: Timestamp, lease: Duration) throws(PostgresFailure) -> Bool {
        let length = lease.components.seconds * 1_000 + lease.components.attoseconds / 1_000_000_000_000_000
        let values: [PostgresValue] = [.time(now), .text(owner.description), .integer(length)]
        if try connection.run(renew, values).changed > 0 { return true }
        return try connection.run(begin, values).changed > 0
    }

    /// Keeps the lease of an owner from being lost until the end of the transaction. Returns the number of the last
    /// change of configurations of queues; nil when the owner has no lease.
    func hold(_ owner: OwnerID) throws(PostgresFailure) -> Int64? {
        let rows = try connection.run(hold, [.text(owner.description)])
        return rows.count > 0 ? rows.integer(0, 0) : nil
    }

    /// Does the same, and tells the outcome with the next answer of the database.
    func holdLater(_ owner: OwnerID, then: @escaping (Int64?) -> Void) throws(PostgresFailure) {
        try connection.later(hold, [.text(owner.description)]) { rows in
            then(rows.count > 0 ? rows.integer(0, 0) : nil)
        }
    }

    /// Tells the claims of all owners of a change of configurations. No claim is open until the end of the transaction.
    func put(version: Int64) throws(PostgresFailure) { try connection.run(putVersion, [.integer(version)]) }

    /// Revokes expired leases.
    /// - Parameter survivor: keeps its lease.
    func takeOver(besides survivor: OwnerID?, at now: Timestamp) throws(PostgresFailure) {
        try connection.run(lose, [.time(now), .text(survivor?.description ?? "")])
    }

    /// Up to `limit` jobs in flight whose owners have no lease.
    func abandoned(besides survivor: OwnerID?, limit: Int) throws(PostgresFailure) -> [JobID] {
        try connection.run(isOver, [.text(survivor?.description ?? ""), .integer(Int64(limit))]).ids()
    }

    /// The jobs in flight of an owner.
    func held(by owner: OwnerID) throws(PostgresFailure) -> [JobID] {
        try connection.run(ofOwner, [.texts([owner.description])]).ids()
    }

    /// Ends the lease of an owner that stops in order.
    func end(_ owner: OwnerID) throws(PostgresFailure) {
        try connection.run(delete, [.text(owner.description)])
    }

    /// Shows the server with this lease to others. Returns false when the lease was lost.
    func announce(_ server: ServerRecord) throws(PostgresFailure) -> Bool {
        let about = [
            ("host", server.host), ("version", server.version),
            ("started", String(server.startedAt.milliseconds)), ("address", server.address ?? ""),
            ("key", server.secretKey ?? ""),
        ]
        return try connection.run(
            announce, [.text(server.id.description), .bytes(PairCoding.encode(about))]
        ).changed > 0
    }

    /// The servers that are alive by the clock of the database, the longest running first.
    func servers(countingJobs: Bool) throws(PostgresFailure) -> [ServerRecord] {
        let rows = try connection.run(alive, [.integer(countingJobs ? 1 : 0)])
        return (0..<rows.count).map { row in
            let about = Dictionary(PairCoding.decode(rows.bytes(row, 2))) { first, _ in first }
            var server = ServerRecord(
                id: OwnerID(rows.text(row, 0)), host: about["host"] ?? "", version: about["version"] ?? "",
                startedAt: Timestamp(milliseconds: about["started"].flatMap { Int64($0) } ?? 0),
                address: about["address"].flatMap { $0.isEmpty ? nil : $0 })
            server.secretKey = about["key"].flatMap { $0.isEmpty ? nil : $0 }
            server.leaseUntil = rows.time(row, 1)
            server.running = Int(rows.integer(row, 3))
            return server
        }.sorted { ($0.startedAt, $0.id.description) < ($1.startedAt, $1.id.description) }
    }

    /// Forgets leases that were lost long ago.
    func removeLost(before time: Timestamp) throws(PostgresFailure) {
        try connection.run(deleteLost, [.time(time)])
    }
}
