import JobKit
import JobStore

/// Idempotency keys with the jobs that they made.
struct IdempotencyTable {
    /// The values stored with a key.
    struct Row {
        var id: JobID
        var fingerprint: [UInt8]
    }

    private let connection: PostgresConnection
    private let take, select, delete: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).idempotency"
        // A key whose time is over is taken like a new one.
        take = """
            INSERT INTO \(table) AS known SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[], $4::bigint[]) \
            ON CONFLICT (key) DO UPDATE SET id = excluded.id, fingerprint = excluded.fingerprint, \
            expires_at = excluded.expires_at WHERE known.expires_at <= $5 RETURNING key
            """
        select = "SELECT key, id, fingerprint FROM \(table) WHERE key = ANY($1)"
        delete = "DELETE FROM \(table) WHERE key = ANY($1)"
    }

    /// Takes those of these keys that no request holds at `now`, and answers which. Each key is there once. They are
    /// taken in their order, so that no two servers wait for each other.
    func take(_ claims: [(claim: IdempotencyClaim, id: JobID)], at now: Timestamp) throws(PostgresFailure)
        -> Set<String>
    {
        guard !claims.isEmpty else { return [] }
        let claims = claims.sorted { $0.claim.key < $1.claim.key }
        let rows = try connection.run(
            take,
            [
                .texts(claims.map(\.claim.key)), .ids(claims.map(\.id)),
                .blobs(claims.map(\.claim.fingerprint)), .times(claims.map(\.claim.expiresAt)), .time(now),
            ])
        return Set((0..<rows.count).map { rows.text($0, 0) })
    }

    /// The values stored with these keys.
    func rows(of keys: [String]) throws(PostgresFailure) -> [String: Row] {
        guard !keys.isEmpty else { return [:] }
        let rows = try connection.run(select, [.texts(keys)])
        var found: [String: Row] = [:]
        for row in 0..<rows.count {
            found[rows.text(row, 0)] = Row(id: rows.id(row, 1), fingerprint: rows.bytes(row, 2))
        }
        return found
    }

    /// Removes keys whose jobs were refused.
    func remove(_ keys: [String]) throws(PostgresFailure) {
        if !keys.isEmpty { try connection.run(delete, [.texts(keys)]) }
    }
}
