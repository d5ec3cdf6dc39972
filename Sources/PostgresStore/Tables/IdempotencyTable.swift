import JobKit
import JobStore
import StrictJSON

/// Idempotency keys with the jobs that they made, or that their requests joined.
struct IdempotencyTable {
    /// The values stored with a key.
    struct Row: Equatable {
        var id: JobID
        var fingerprint: [UInt8]
        var expiresAt: Timestamp

        init(_ claim: IdempotencyClaim, naming id: JobID) {
            self.id = id
            fingerprint = claim.fingerprint
            expiresAt = claim.expiresAt
        }

        init(id: JobID, fingerprint: [UInt8], expiresAt: Timestamp) {
            self.id = id
            self.fingerprint = fingerprint
            self.expiresAt = expiresAt
        }
    }

    private let connection: PostgresConnection
    private let take, put, select, delete, deleteOld: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).idempotency"
        let insert = """
            INSERT INTO \(table) AS known SELECT * FROM unnest($1::bytea[], $2::uuid[], $3::bytea[], $4::bigint[]) \
            ON CONFLICT (key) DO UPDATE SET id = excluded.id, fingerprint = excluded.fingerprint, \
            expires_at = excluded.expires_at
            """
        put = insert
        // A key whose time is over is taken like a new one.
        take = "\(insert) WHERE known.expires_at <= $5 RETURNING key"
        select = "SELECT key, id, fingerprint, expires_at FROM \(table) WHERE key = ANY($1)"
        delete = "DELETE FROM \(table) WHERE key = ANY($1)"
        deleteOld = """
            DELETE FROM \(table) WHERE key = ANY(ARRAY(SELECT key FROM \(table) WHERE expires_at >= $3 \
            AND expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))
            """
    }

    /// Takes those of these keys that no request holds at `now`, and returns which. They are taken in their order, so
    /// that no two servers wait for each other.
    func take(_ claims: [ByteKey: Row], at now: Timestamp) throws(PostgresFailure) -> Set<ByteKey> {
        guard !claims.isEmpty else { return [] }
        let rows = try connection.run(take, Self.columns(claims) + [.time(now)])
        return Set((0..<rows.count).map { ByteKey(rows.text($0, 0)) })
    }

    /// Stores keys, replacing what was stored with them.
    func put(_ claims: [ByteKey: Row]) throws(PostgresFailure) {
        if !claims.isEmpty { try connection.later(put, Self.columns(claims)) }
    }

    private static func columns(_ claims: [ByteKey: Row]) -> [PostgresValue] {
        let claims = claims.sorted { $0.key < $1.key }
        return [
            .raws(claims.map(\.key.text)), .ids(claims.map(\.value.id)),
            .blobs(claims.map(\.value.fingerprint)),
            .times(claims.map(\.value.expiresAt)),
        ]
    }

    /// The values stored with these keys.
    func rows(of keys: some Collection<ByteKey>) throws(PostgresFailure) -> [ByteKey: Row] {
        guard !keys.isEmpty else { return [:] }
        let rows = try connection.run(select, [.raws(keys.map(\.text))])
        var found: [ByteKey: Row] = [:]
        for row in 0..<rows.count {
            found[ByteKey(rows.text(row, 0))] = Row(
                id: rows.id(row, 1), fingerprint: rows.bytes(row, 2),
                expiresAt: Timestamp(milliseconds: rows.integer(row, 3)))
        }
        return found
    }

    /// Removes keys whose jobs were refused.
    func remove(_ keys: some Collection<ByteKey>) throws(PostgresFailure) {
        if !keys.isEmpty { try connection.later(delete, [.raws(keys.map(\.text))]) }
    }

    /// Removes up to `limit` expired keys and returns their number.
    func removeOld(at now: Timestamp, since start: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        try connection.run(deleteOld, [.time(now), .integer(Int64(limit)), .time(start)]).changed
    }
}
